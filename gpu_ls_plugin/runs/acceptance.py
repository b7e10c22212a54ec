"""Acceptance rules of iterated searches (Lourenço, Martin and Stützle 2003, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gpu_ls_plugin.core import checks

LOWEST, HIGHEST = 1e-9, 1e6  # limits of levels, in mean edge lengths


class Acceptance:
    """A rule that decides whether a chain continues from the tour after a kick and its repair.

    Attributes
    ----------
    name : str
        Name in the registry.
    functor : str
        C++ type, as described in `runs/acceptance.cuh`.
    header : str
        Path, within the package, of the file that defines the functor.
    never_worse : bool
        Whether the rule rejects every rise of the cost.
    """

    name: ClassVar[str]
    functor: ClassVar[str]
    header: ClassVar[str] = "runs/acceptance.cuh"
    never_worse: ClassVar[bool] = True

    def source(self) -> str:
        """Return the C++ source that defines the functor, empty if `header` defines it."""
        return ""

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        """Return whether each tour is accepted, by the rule of `functor`, for chains on the host.

        Parameters
        ----------
        rise : array
            Change of the cost.
        level : array
            The rule's parameter, in the unit of costs.
        uniform : array
            Random numbers in (0, 1].

        Returns
        -------
        boolean array
        """
        raise NotImplementedError(
            f"{self.name} works only in chains that one kernel runs; define takes()"
        )

    def level(self, progress: float) -> float:
        """Return the rule's parameter, in mean edge lengths, once a share of the budget is used."""
        return 0.0


@dataclass(frozen=True)
class Better(Acceptance):
    """Accept a tour that is cheaper than the one before."""

    name = "better"
    functor = "gls::Better"

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        return rise < 0


@dataclass(frozen=True)
class BetterOrEqual(Acceptance):
    """Accept a tour that costs no more than the one before."""

    name = "better_or_equal"
    functor = "gls::BetterOrEqual"

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        return rise <= 0


@dataclass(frozen=True)
class Always(Acceptance):
    """Accept every tour: a random walk on local optima (Fosin et al. 2013, Algorithm 1)."""

    name = "always"
    functor = "gls::Always"
    never_worse = False

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        return rise == rise


@dataclass(frozen=True)
class Threshold(Acceptance):
    """Accept a tour that costs at most `rise` more than the one before.

    Parameters
    ----------
    rise : float
        In units of the mean edge length of the chain's first local optimum; not negative.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `rise` is negative or not a number.
    """

    rise: float = 0.1

    name = "threshold"
    functor = "gls::Threshold"
    never_worse = False

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "rise", least=0, most=HIGHEST)

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        """Return whether the cost rose by at most the level."""
        return rise <= level

    def level(self, progress: float) -> float:
        return self.rise


@dataclass(frozen=True)
class Annealing(Acceptance):
    """Simulated annealing: accept a rise of the cost with a probability that falls over time.

    A rise r is accepted with probability exp(-r / T). T falls from `start` over the budget,
    linearly to 0 or geometrically to `end` (Kirkpatrick, Gelatt and Vecchi 1983; Martin, Otto and
    Felten 1991).

    Parameters
    ----------
    start : float
        First temperature, in units of the mean edge length of the chain's first local optimum; not
        negative.
    end : float, optional
        Last temperature, more than 0 and at most `start`; without it, T falls linearly to 0.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A temperature is out of range or not a number.
    """

    start: float = 0.8
    end: float | None = None

    name = "annealing"
    functor = "gls::Annealing"
    never_worse = False

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "start", least=0, most=HIGHEST)
        if self.end is not None:
            checks.fields(self, checks.number, "end", least=LOWEST, most=self.start)

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        """Return whether the rise is at most -level ln u."""
        return rise <= level * -np.log(uniform)

    def level(self, progress: float) -> float:
        """Return the temperature once a share of the budget is used."""
        if self.end is None:
            return self.start * (1.0 - progress)
        return float(self.start * (self.end / self.start) ** progress)
