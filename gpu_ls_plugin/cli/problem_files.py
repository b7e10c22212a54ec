"""Problems that a solve reads: of which kind a file is, and what can be asked of that kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.problems.cvrp import CVRP
from gpu_ls_plugin.problems.cvrplib import is_routing_file
from gpu_ls_plugin.problems.tsp import TSP

if TYPE_CHECKING:
    from pathlib import Path


def read_problem(
    file: Path, *, optimum: float | None, vehicles: int | None, rounding: str | None
) -> TSP | CVRP:
    """Read a CVRPLIB file, or a TSPLIB file of a travelling salesman problem.

    Raises
    ------
    InvalidParameterError
        A travelling salesman problem has neither vehicles nor a rounding to choose.
    GpuLsError, OSError
        As `CVRP.read` and `TSP.read`.
    """
    if is_routing_file(file):
        rounding = "auto" if rounding is None else rounding
        return CVRP.read(file, rounding=rounding, vehicles=vehicles, optimum=optimum)
    problem = TSP.read(file, optimum=optimum)
    given: dict[str, Any] = {"vehicles": vehicles, "rounding": rounding}
    for name, value in given.items():
        if value is not None:
            raise InvalidParameterError(
                f"{name}: {file} is a travelling salesman problem; the option is for vehicle "
                "routing (.vrp), leave it out"
            )
    return problem
