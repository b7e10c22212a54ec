"""What a search on states of assignment problems does in a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gpu_ls_plugin.successors import SuccessorGeneration


class Tenure(NamedTuple):
    """How long a move is tabu: `least` steps, up to `spread` more, and some for each variable."""

    least: int
    spread: int
    per_variable: float


class Plan(NamedTuple):
    """The numbers of a search on one problem.

    Attributes
    ----------
    steps : int
        Of a round.
    sample : int
        Moves that are looked at in a step.
    tenure : Tenure
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
    sample: int
    tenure: Tenure
    release: str
    released: int
    mixing: float
    migration: int
    generation: SuccessorGeneration | None
