"""Vehicle routing as a pymoo problem: costs and violations of giant tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
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
        It becomes the attribute `cvrp`. If it knows its optimum, pymoo shows the gap.
    hard : bool, optional
        Whether violations of load, duration, fleet and other resources are constraints ``G``,
        which pymoo compares before ``F``. By default True, unless the instance is `penalised`.
        If True, F is the travelled cost, plus the penalties of a `penalised` instance. If False,
        there are no constraints, and F is the travelled cost plus penalties: those of the instance,
        or very large ones.

    Raises
    ------
    InvalidTypeError
        `cvrp` is not a CVRP, or `hard` is neither a bool nor None.

    Notes
    -----
    There is a constraint for the load, one each for the duration and the fleet if the instance
    limits them, and one for each resource of a plugin. Local searches use penalised costs whether
    `hard` is True or False, and never make a violation larger.
    """

    wraps: ClassVar[tuple[type, ...]] = (CVRP,)
    bare: ClassVar[bool] = False

    def __init__(self, cvrp: CVRP, hard: bool | None = None) -> None:
        if not isinstance(cvrp, CVRP):
            raise InvalidTypeError(
                f"cvrp: {type(cvrp).__name__} is not a gpu_ls_plugin.CVRP. {OWN_OBJECTIVE}"
            )
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
    def wrapped(self) -> Problem:
        """The TSP of giant tours, under the constraints of the instance."""
        return self.cvrp.tsp

    def searched_by_fitness(self) -> bool:
        """Return whether pymoo and a search rank rows alike.

        They do not if both F and G count violations.
        """
        if self.knows_fitness():
            return True
        return self._own and self.callback is None and self.cvrp.penalties is None

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out.update(self.values(as_tours(rows)))

    def values(self, tours: ArrayLike) -> dict[str, Values]:
        """Return F (P, 1) of giant tours (P, n), and G (P, constraints) if there are any."""
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
        """Return the customers of each route of one row, such as ``result.X``."""
        return self.cvrp.routes(as_tours(tour))

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        optimum = self.cvrp.optimum
        return None if optimum is None else np.array([[optimum]], dtype=float)

    def _some_rows(self) -> NDArray[Any]:
        return sample_tours(self.cvrp.tsp)
