"""Vehicle routing as a pymoo problem: giant tours, and what they violate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.evolution.batches.rows import as_tours
from gpu_ls_plugin.evolution.recognition import sample_tours
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_pymoo.domain_problem import DomainProblem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem

    Values = NDArray[np.float64]


class CVRPProblem(DomainProblem):
    """A vehicle routing problem as a pymoo problem: giant tours are rows of integers.

    Parameters
    ----------
    cvrp : gpu_ls_plugin.CVRP
        The instance, kept as it is in `cvrp`. If it knows its optimum, pymoo shows the gap.
    hard : bool, optional
        Whether violations of load, duration, fleet and further resources are pymoo's constraints
        ``G``, which it compares before ``F``; by default they are, unless the instance is
        `penalised`. F is then the travelled cost, to which a `penalised` instance adds its
        penalties. Otherwise there are no constraints, and F adds the penalties of the instance, or
        so much that hardly any length is worth a violation: infeasible tours look like solutions.

    Raises
    ------
    InvalidTypeError
        `cvrp` is not a CVRP, or `hard` is neither a bool nor None.

    Notes
    -----
    There is a constraint for the load, one for the duration if the instance limits it, one for the
    fleet if it does, and one for each resource of a plugin. Local searches work by penalised costs
    in either case, and never break a constraint more than it is broken.
    """

    wraps: ClassVar[tuple[type, ...]] = (CVRP,)
    bare: ClassVar[bool] = False

    def __init__(self, cvrp: CVRP, hard: bool | None = None) -> None:
        if not isinstance(cvrp, CVRP):
            raise InvalidTypeError(f"cvrp: {type(cvrp).__name__} is not a gpu_ls_plugin.CVRP")
        self.cvrp = cvrp
        if hard is None:
            hard = cvrp.penalties is None
        self.hard = checks.instance("hard", hard, kind=bool, wanted="a bool")
        limits = {"load": True, "duration": cvrp.route_limit, "vehicles": cvrp.fleet}
        names = [name for name, limit in limits.items() if limit is not None]
        names += [resource.name for resource in cvrp.resources]
        self.constraints = tuple(names) if self.hard else ()
        self._shape(0, cvrp.n - 1, constraints=len(self.constraints))

    @property
    def ours(self) -> Problem:
        """The TSP of giant tours, under the constraints."""
        return self.cvrp.tsp

    def searched_by_fitness(self) -> bool:
        """Return whether pymoo minds constraints as searches do, which may have prices, too."""
        if self.knows_fitness():
            return True
        return self._own and self.callback is None and self.cvrp.penalties is None

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out.update(self.values(as_tours(rows)))

    def values(self, tours: ArrayLike) -> dict[str, Values]:
        """Return F (P, 1), and G (P, constraints) where there are any, of giant tours (P, n)."""
        priced = not self.hard or self.cvrp.penalties is not None
        costs = self.cvrp.tsp.cost(tours) if priced else self.cvrp.cost(tours)
        made = {"F": np.asarray(costs, dtype=np.float64)[:, np.newaxis]}
        if self.constraints:
            violations = self.cvrp.violations(tours)
            known = vars(violations) | dict(violations.resources)
            columns = [known[name] for name in self.constraints]
            made["G"] = np.stack(columns, axis=1).astype(np.float64)
        return made

    def routes(self, tour: ArrayLike) -> list[list[int]]:
        """Return the customers of each route of one row, for example of ``result.X``."""
        return self.cvrp.routes(as_tours(tour))

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        optimum = self.cvrp.optimum
        return None if optimum is None else np.array([[optimum]], dtype=float)

    def name(self) -> str:
        """Return the instance's name."""
        return self.cvrp.name or super().name()

    def _some_rows(self) -> NDArray[Any]:
        return sample_tours(self.cvrp.tsp)
