"""What a search on states of assignment problems does in a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gpu_ls_plugin.searches.successors.improvements import Improvement
    from gpu_ls_plugin.successors import SuccessorGeneration


class RoundPlan(NamedTuple):
    """The numbers of a search on one problem."""

    steps: int  # of a round
    improvement: Improvement  # what steps are
    release: str  # name of the rule by which variables are released
    released: int  # variables at most
    mixing: float  # share of states that are mixed with another one instead
    migration: int  # rounds after which rows go on from better ones
    generation: SuccessorGeneration | None  # assigns released variables; None: random values
