// Conditional<condition, First, Second>: std::conditional_t, which NVRTC lacks.
#pragma once

namespace gls {

template <bool condition, class First, class Second>
struct ConditionalType {
  using Type = First;
};
template <class First, class Second>
struct ConditionalType<false, First, Second> {
  using Type = Second;
};

template <bool condition, class First, class Second>
using Conditional = typename ConditionalType<condition, First, Second>::Type;

}  // namespace gls
