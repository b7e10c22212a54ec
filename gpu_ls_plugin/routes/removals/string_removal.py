"""A perturbation of routes: slack induction by string removals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.engines.linked_chains import string_kernel
from gpu_ls_plugin.routes.kernels.linked_layouts import segment_bytes
from gpu_ls_plugin.routes.kernels.linked_rows import LinkedRows, check_total_demand
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.runs.acceptance import Always
from gpu_ls_plugin.tours.kicks.base import KernelPerturbation

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP

MOST_REMOVED = constant("routes/engines/string_removal.cuh", "kMostRemoved")
COSTS = ("costs", "best_costs")
COUNTS = tuple(f"{what}_counts" for what in ("kick", "move", "accepted", "idle", "look"))


@dataclass(frozen=True)
class StringRemoval(KernelPerturbation):
    """Remove strings of successive customers from routes, and reinsert them greedily.

    A kick draws a customer. Several routes near this customer each lose a string. The removed
    customers are sorted at random, by demand or by distance from the depot. Each goes to its
    cheapest place; some places are skipped at random (Christiaens and Vanden Berghe 2020). Kicks
    respect the capacity, the route limit and the fleet; under soft constraints, violations cost
    their penalty.

    Chains of an iterated search kick linked lists of routes and repair only what has changed, with
    built-in moves: relocations of one and two customers, swaps, 2-opt and 2-opt*. `perturb` does
    not repair; it leaves a tour unchanged if there is no place for some of the customers.

    Parameters
    ----------
    removed : int
        Average number of customers that a kick removes, 1 to 32; no kick removes more than 32.
    longest : int
        Maximum number of customers in a string, 1 to 32.
    split : float
        Share of the strings in which one customer stays in the route, 0 to 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    removed: int = 10
    longest: int = 10
    split: float = 0.5

    name = "string_removal"
    relinks = True
    bytes_per_city = 64  # upper bound: two gls::RouteLists and the successors in the best tour

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "removed", "longest", least=1, most=MOST_REMOVED)
        checks.fields(self, checks.number, "split", least=0.0, most=1.0)

    def bytes_per_tour(self, problem: Problem) -> int:
        """Return the bytes of device memory for a chain, with segments of resources."""
        return super().bytes_per_tour(problem) + segment_bytes(routing_problem(problem))

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of gls::StringRuin, by name."""
        return {"removed": self.removed, "longest": self.longest, "split": self.split}

    def check(self, problem: Problem) -> None:
        """Raise UnsupportedProblemError if routes cannot be searched as linked lists."""
        check_total_demand(routing_problem(problem))

    def problem_of(self, problem: Problem) -> TSP:
        """Check a problem and return the problem of its giant tours."""
        self.check(problem)
        return routing_problem(problem).tsp

    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        xp, size, routed = backend.xp, len(tours), routing_problem(problem)
        rows, taken = LinkedRows(backend, routed, problem, size), xp.array(tours)
        arguments = {
            **rows.arguments,
            **rows.of_chains(looks=0),
            **self.arguments,
            **{name: xp.zeros(size, "int64") for name in COUNTS},
            **{name: xp.zeros(size, routed.cost_dtype) for name in COSTS},
            **{"until": 1, "max_moves": 1, "patience": 0, "heat": 0.0, "cooling": 0.0},
            **numbers,
            "units": xp.zeros(size, "float32"),
            "tours": taken,
            "best_tours": taken.copy(),
            "moves_by": xp.zeros(1, "int64"),
        }
        kernel = string_kernel(Always(), rows.types)
        backend.launch(kernel, size, arguments, shared_bytes=rows.shared_bytes)
        return taken
