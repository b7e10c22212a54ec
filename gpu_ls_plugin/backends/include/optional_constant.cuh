// Constants that a functor may leave out.
#pragma once

// Declares Trait<Part>::kValue: Part::constant, or `otherwise` if Part has no such constant.
#define GLS_OPTIONAL_CONSTANT(Trait, constant, type, otherwise) \
  template <class Part, class = void>                           \
  struct Trait {                                                \
    static constexpr type kValue = otherwise;                   \
  };                                                            \
  template <class Part>                                         \
  struct Trait<Part, decltype(void(Part::constant))> {          \
    static constexpr type kValue = Part::constant;              \
  }
