"""What a search on states of assignment problems does in a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gpu_ls_plugin.searches.successors.improvements import Improvement
    from gpu_ls_plugin.successors import SuccessorGeneration


class RoundPlan(NamedTuple):
    """The numbers of a search on one problem.

    Attributes
    ----------
    steps : int
        Of a round.
    improvement : Improvement
        What steps are.
    release : str
        Name of the rule by which variables are released.
    released : int
        Variables that are released at most.
    mixing : float
        Share of states that are mixed with another one instead.
    migration : int
        Rounds after which rows go on from better ones.
    generation : SuccessorGeneration or None
        What assigns released variables; None: random values.
    """

    steps: int
    improvement: Improvement
    release: str
    released: int
    mixing: float
    migration: int
    generation: SuccessorGeneration | None
