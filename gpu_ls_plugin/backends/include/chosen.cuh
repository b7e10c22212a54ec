// One of two types.
#pragma once

namespace gls {

template <bool first, class First, class Second>
struct ChosenType {
  using Type = First;
};
template <class First, class Second>
struct ChosenType<false, First, Second> {
  using Type = Second;
};

template <bool first, class First, class Second>
using Chosen = typename ChosenType<first, First, Second>::Type;

}  // namespace gls
