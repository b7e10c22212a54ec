"""The check of filters passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import Filter
from gpu_ls_plugin.testing import check_filter
from tests.helpers.marks import slow_after
from tests.testing.faults import ON_BOTH, found_out

LEAVE_CITY = """
struct Mine {{
  template <class Space, class PlacedTour>
  struct On : gls::Stateless {{
    using Move = typename Space::Move;
    static constexpr int kWords = 1, kRotations = 1;

    const PlacedTour& tour;
    const int city;
    GLS_DEVICE On(const PlacedTour& tour, const gls::uint64* parameters, gls::uint64*)
        : tour(tour), city(int(parameters[0])) {{}}
    GLS_DEVICE bool leaves(int p) const {{
      return tour.city(p) != city && tour.city(tour.next(p)) != city;
    }}

    struct Test {{
      const On& filter;
      const bool passed;
      GLS_DEVICE bool any() const {{ return {any}; }}
      GLS_DEVICE bool keeps(int position) const {{ return {keeps}; }}
    }};
    GLS_DEVICE Test at(const gls::Opening<Move>& opening) const {{
      bool passed = true;
      for (int x = 0; x < Space::kEdges; ++x) {{
        if (x != opening.open && !leaves(opening.move.at[x])) passed = false;
      }}
      return {{*this, passed}};
    }}
  }};
}};
"""
KEEPS = "passed && filter.leaves(position)"


class Mine(Filter):
    """Keeps moves that remove no edge at a city, or has a planted fault."""

    name = "mine"
    opens = True

    def __init__(self, any: str = "passed", keeps: str = KEEPS, city: Any = lambda: 3) -> None:
        self._text, self._city = LEAVE_CITY.format(any=any, keeps=keeps), city

    def functor(self) -> str:
        return "Mine"

    def source(self) -> str:
        return self._text

    def words(self, setting: Any) -> list[Any]:
        return [self._city()]


def leaves_city_3(problem: gls.TSP, removed: list[Any], added: list[Any]) -> bool:
    return all(3 not in edge for edge in removed)


CITIES = iter(range(10**6))
FAULTS: dict[str, tuple[Filter, str]] = {
    "rejects openings": (
        Mine("passed && filter.tour.city(0) != 2"),
        r"by move and by opening keep different moves.*any\(\) must be true for the openings",
    ),
    "keeps others": (
        Mine(keeps="passed"),
        r"keeps\(\) keep different moves: only the .* keeps the 2-opt move after",
    ),
    "keeps what it drops": (
        Mine("true", f"!({KEEPS})"),
        r"the functor and keeps\(\) keep different moves",
    ),
    "another one each time": (
        Mine(city=lambda: next(CITIES) % 5),
        "two calls keep different moves",
    ),
    "no C++": (Mine("undefined"), "CompilationError"),
}


@ON_BOTH
@pytest.mark.parametrize("fault", slow_after(3, FAULTS))
def test_a_faulty_filter_is_found_out(fault, backend):
    keeps = None if fault == "another one each time" else leaves_city_3
    found_out(check_filter, *FAULTS[fault], backend=backend, keeps=keeps)


@pytest.mark.slow
@ON_BOTH
def test_a_filter_that_is_right_passes(backend):
    check_filter(Mine(), leaves_city_3, backend=backend)


@pytest.mark.slow
def test_built_in_filters_pass():
    check_filter(gls.GainBound(), backend="cpu")


@pytest.mark.slow
def test_a_radius_agrees_with_brute_force():
    def keeps(problem: gls.TSP, removed: list[Any], added: list[Any]) -> bool:
        return all(problem.distance(a, b) <= 30 for a, b in added)

    check_filter(gls.Radius(30), keeps, backend="cpu")
