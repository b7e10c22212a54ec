"""What a plan is asked for: settings, and who is going to run it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.settings import Settings


def repairs(search: Any) -> bool:
    """Return whether a search is one that repairs kicked tours."""
    return bool(getattr(search, "repairs", False))


@dataclass(frozen=True)
class Request:
    """What a plan is asked for.

    Attributes
    ----------
    given : Settings
    backend : Backend
    islands : int
        That search at the same time; 0 for none.
    alike : bool
        Whether all backends are to make the same moves.
    generations : bool
        Whether an evolutionary algorithm runs it, which needs chains or states that go on
        generation by generation.
    """

    given: Settings
    backend: Backend
    islands: int = 0
    alike: bool = False
    generations: bool = False

    @property
    def seconds(self) -> float:
        """Seconds of the run."""
        return self.given.seconds

    def of_island(self, population: int) -> int:
        """Return the part of a population that each of several islands has on a GPU.

        Half as many chains of routes make each 1.4 times as many kicks on an H200, and half as many
        tours that are crossed converge sooner; what they lack, other islands have. Whole
        populations on two GPUs come to a gap no sooner than one.
        """
        several = self.islands > 1 and self.backend.name != "cpu"
        return -(-population // 2) if several else population
