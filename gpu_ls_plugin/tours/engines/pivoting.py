"""Pivoting rules: which improving move a search takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core import checks

FIRST_OF = ("city", "step")  # values of `First.best_of`
# Maximum numbers per pass: of cities that `Multi` looks at, and of triples that `RandomK` draws.
MOST_CITIES = constant("tours/engines/descent/multi_descent.cuh", "kMost")
MOST_SAMPLES = 10**9


class Pivoting:
    """A rule that says which improving move a search takes.

    Attributes
    ----------
    name : str
        Name in the registry.
    """

    name: ClassVar[str]

    @property
    def by_step(self) -> bool:
        """Whether a look stops at the earliest first step with an improving move; see `First`."""
        return False


@dataclass(frozen=True)
class Best(Pivoting):
    """Take the best move of the whole neighbourhood in each pass (O'Neil and Burtscher 2015).

    On candidate lists, this is the rule of Fosin et al. 2013.
    """

    name = "best"


@dataclass(frozen=True)
class First(Pivoting):
    """Work through a queue of cities, and take the best improving move at the current city.

    A city without an improving move leaves the queue until a move changes one of its edges
    (don't-look bits, Bentley 1992).

    Parameters
    ----------
    best_of : {"city", "step"}
        "city": take the best of all moves at the city; the lanes of a GPU evaluate them together
        anyway. "step": take the best move of the earliest first step that has an improving move. A
        first step removes an edge of the city and adds a candidate edge. On a CPU, "step" saves a
        third of the work per kick, and the same number of kicks leads to equally good tours.
        `best_of` has no effect on filtered neighbourhoods.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `best_of` has another value.
    """

    best_of: Literal["city", "step"] = "city"

    name = "first"

    def __post_init__(self) -> None:
        checks.fields(self, checks.choice, "best_of", known=FIRST_OF)

    @property
    def by_step(self) -> bool:
        """Whether a look at a city stops at the earliest first step with an improving move."""
        return self.best_of == "step"


@dataclass(frozen=True)
class Multi(Pivoting):
    """Find the best move of each of several cities, and apply all independent ones at once.

    This follows Rios et al. (2017). A pass skips each move that touches or crosses a move of an
    earlier city. The cities take turns; a city without an improving move is left out until one of
    its edges changes (don't-look bits). Use it on a GPU for a few tours that are far from a local
    optimum: it takes a third of the time of `First()`. Its local optima are up to 0.2 % longer on
    average.

    Parameters
    ----------
    cities : int
        Number of cities that a pass looks at together, from 1 to 64.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `cities` is not an integer in this range.
    """

    cities: int = 64

    name = "multi"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "cities", least=1, most=MOST_CITIES)


@dataclass(frozen=True)
class RandomK(Pivoting):
    """Take the best move of k random triples of edges in each pass (Delevacq et al. 2012, 4.2).

    A pass evaluates all seven reconnections of each triple with `ThreeOpt()`, and the three that
    change two edges with `TwoOpt()`. A tour is finished after one pass without a gain. A large k
    comes closer to `Best()`; a small k is faster. If a tour has many more cities than triples, a
    sample seldom contains the edges that a kick has changed: improve such tours with another search
    first. One kernel makes all passes, and the kicks of an `IteratedLocalSearch` with a
    `DoubleBridge`.

    Parameters
    ----------
    k : int
        Number of triples of distinct edges that a pass draws uniformly, from 1 to 10**9.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `k` is not an integer in this range.
    """

    k: int = 1000

    name = "random_k"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "k", least=1, most=MOST_SAMPLES)
