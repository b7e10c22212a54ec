"""Slack induction by string removals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks
from gpu_ls_plugin.perturbations.base import Perturbation

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.problem import Problem

MOST_REMOVED = 32


@dataclass(frozen=True)
class StringRemoval(Perturbation):
    """Take strings of customers out of neighbouring routes, and insert them again greedily."""

    removed: int = 10
    longest: int = 10
    split: float = 0.5

    name = "string_removal"
    repairs = True

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "removed", "longest", least=1, most=MOST_REMOVED)
        checks.fields(self, checks.number, "split", least=0.0, most=1.0)

    def perturb(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        device: int | None = None,
        first_row: int = 0,
    ) -> Any:
        raise NotImplementedError
