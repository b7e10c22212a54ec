"""Records without a framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.experiments import Results
from gpu_ls_plugin.experiments.records import CurvePoint, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpu_ls_plugin.experiments.records import Costs


def record(
    algorithm: str = "a",
    problem: str = "p",
    seed: int = 1,
    *,
    points: Sequence[tuple[float, Costs]] = (),
    **fields: object,
) -> Record:
    """Return a record whose curve has these seconds and costs."""
    curve = [CurvePoint(time, 10 * i, i, costs) for i, (time, costs) in enumerate(points, start=1)]
    return Record(algorithm, problem, seed, curve=curve, **fields)


def results(finals: Mapping[tuple[str, str], Sequence[float]], **fields: object) -> Results:
    """Return runs by algorithm and problem, with final costs for the seeds 1, 2, ...."""
    return Results(
        record(algorithm, problem, seed, points=[(1.0, [[float(cost)]])], **fields)
        for (algorithm, problem), costs in finals.items()
        for seed, cost in enumerate(costs, start=1)
    )
