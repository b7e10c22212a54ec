"""The built-in parts for assignment problems, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.domain import Assignments
from gpu_ls_plugin.assignment.engines.successor_search import SuccessorSearch
from gpu_ls_plugin.assignment.heuristics.by_type import ByType
from gpu_ls_plugin.assignment.heuristics.cheapest_value import CheapestValue
from gpu_ls_plugin.assignment.heuristics.expression import Expression
from gpu_ls_plugin.assignment.heuristics.masked import Masked
from gpu_ls_plugin.assignment.heuristics.weight_table import WeightTable

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS: Mapping[str, tuple[Any, ...]] = {
    "domain": (Assignments,),
    "heuristic": (WeightTable, Expression, CheapestValue, Masked, ByType),
    "search": (SuccessorSearch,),
}
