"""Pivoting rules: which improving move a search takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core import checks

FIRST_OF = ("city", "step")  # what `First` takes the best move of
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
        """Whether a search takes a move of the first first step that has one, not a city's best."""
        return False


@dataclass(frozen=True)
class Best(Pivoting):
    """Take one best move of the whole neighbourhood per pass, as O'Neil and Burtscher 2015 do.

    On candidate lists that is the rule of Fosin et al. 2013.
    """

    name = "best"


@dataclass(frozen=True)
class First(Pivoting):
    """Work through the queue of cities and take the best move at the city in hand, or the first.

    A city without an improving move leaves the queue until a move changes one of its edges
    (don't-look bits, Bentley 1992).

    Parameters
    ----------
    best_of : {"city", "step"}
        Of what the best move is taken: of all moves at the city, which the lanes of a GPU evaluate
        together anyway, or of the first of its first steps (the edge that leaves and the candidate
        edge that comes) that has an improving one. On a CPU that is a third less work for a kick,
        and tours are as good after as many kicks. A filtered neighbourhood has no steps.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `best_of` is neither.
    """

    best_of: Literal["city", "step"] = "city"

    name = "first"

    def __post_init__(self) -> None:
        checks.fields(self, checks.choice, "best_of", known=FIRST_OF)

    @property
    def by_step(self) -> bool:
        """Whether a move of a city's first step that has one is taken, not the best of a city."""
        return self.best_of == "step"


@dataclass(frozen=True)
class Multi(Pivoting):
    """Look at several cities and apply all of their moves that are independent, at once.

    The best move of each city is found; those are applied, in the order of the cities, that do not
    touch or cross one before. Cities are looked at in turn, as long as they may have a move
    (don't-look bits). Pays for a few tours that are far from a local optimum, on a GPU, where it
    takes a third of the time of `First()`; its local optima are up to 0.2 % longer on average.

    Parameters
    ----------
    cities : int
        To look at together, from 1 to 64.

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
    """Take the best move of k random triples of edges per pass (Delevacq et al. 2012, 4.2).

    All reconnections of each triple are evaluated: seven with `ThreeOpt()`, those that change two
    edges with `TwoOpt()`. A tour is finished after one pass without gain: a local optimum as far as
    k samples can tell. Large k come closer to `Best()`, small k are faster.

    Parameters
    ----------
    k : int
        Triples of distinct edges that a pass draws, uniformly, from 1 to 10**9.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `k` is not an integer in this range.
    """

    k: int = 1000

    name = "random_k"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "k", least=1, most=MOST_SAMPLES)
