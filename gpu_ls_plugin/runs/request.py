"""A request to a domain for the plan of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.settings import Settings


def repairs(search: Any) -> bool:
    """Return whether a search repairs the kicked tours of an iterated search."""
    return bool(getattr(search, "repairs", False))


@dataclass(frozen=True)
class Request:
    """A request for a plan.

    Attributes
    ----------
    given : Settings
    backend : Backend
    islands : int
        Number of islands that search at the same time; 0 for none.
    alike : bool
        Whether all backends must make the same moves.
    generations : bool
        Whether an evolutionary algorithm runs the plan: chains or states advance by generations.
    """

    given: Settings
    backend: Backend
    islands: int = 0
    alike: bool = False
    generations: bool = False

    @property
    def seconds(self) -> float:
        """Time limit of the run in seconds."""
        return self.given.seconds

    def of_island(self, population: int) -> int:
        """Return the population of an island: on each of several GPUs, half of the usual one.

        On an H200, half as many chains of routes make 1.4 times as many kicks each, and half as
        many crossed tours converge sooner. Whole populations on two GPUs reach a gap no sooner
        than a single GPU does (docs/clusters.md).
        """
        several = self.islands > 1 and self.backend.name != "cpu"
        return -(-population // 2) if several else population
