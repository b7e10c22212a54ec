"""Data of a travelling salesman problem that kernels read: its lengths and its objective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import in_order, kept_words, packed_words, words_of
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.tours.problem.metric_check import check_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP

OBJECTIVE = "tours/problem/objective.cuh"


def metric_data(backend: Backend, problem: TSP) -> Any:
    """Return the array that the metric's functor reads; repeated calls return the same array.

    Raises
    ------
    FaultyPartError
        The metric comes from a plugin, and its functor and its Python class compute different
        lengths.
    """
    data = backend.device_data(problem)["metric_data"]
    if foreign(problem.metric):
        backend.made_once(problem, "measured", lambda: _measure(backend, problem, data))
    return data


def search_data(backend: Backend, problem: TSP) -> Any:
    """Return the array that the functor of `search_metric(problem)` reads; it is made once.

    Raises
    ------
    FaultyPartError
        As in `metric_data`.
    """
    data = metric_data(backend, problem)
    if problem.objective.length_alone:
        return data
    found, _ = backend.made_once(
        problem, "search data", lambda: _with_objective(backend, problem, data)
    )
    return found


def batch_data(backend: Backend, problem: TSP, size: int) -> dict[str, Any]:
    """Return the device data for a search of `size` tours, keyed by the names of kernel arguments.

    These are ``metric_data`` and, if the objective keeps data of tours, ``kept_tours``: uint8
    (`size`, bytes per tour).
    """
    data = search_data(backend, problem)
    own = problem.objective.kept_bytes(problem)
    if not own:
        return {"metric_data": data}
    kept = backend.xp.empty((size, own), "uint8")
    words = backend.made_once(problem, "words", lambda: backend.to_numpy(data)).copy()
    chosen = _kept_tours(backend.address(kept), own)
    begin = words_of(OBJECTIVE, "UnderData")
    words[begin : begin + len(chosen)] = chosen
    return {"metric_data": backend.xp.asarray(words), "kept_tours": kept}


def _measure(backend: Backend, problem: TSP, data: Any) -> None:
    """Raise FaultyPartError if the metric's functor and its `lengths` disagree."""
    with backend.current():
        check_metric(backend, problem, data)


def _with_objective(backend: Backend, problem: TSP, data: Any) -> tuple[Any, Any]:
    """Return the data of the metric and the objective, and the arrays that these point to."""
    objective, xp = problem.objective, backend.xp
    if problem.rows is not None:
        own, kept = objective.row_words(backend, problem)
        return xp.concatenate([data, xp.asarray(own)], axis=1), kept
    under = in_order(OBJECTIVE, "UnderData", {"metric_data": data})
    room = _kept_tours(0, 0) if objective.kept_bytes(problem) else []
    words = kept_words(xp, [*under, *room, *objective.words(backend, problem)])
    return packed_words(xp, words, backend.address), words


def _kept_tours(first: int, stride: int) -> list[int]:
    return in_order(OBJECTIVE, "KeptTours", {"first": first, "stride": stride})
