"""Best insertion of items in an order of priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.sequences.construction.random_sequences import in_order, uniform
from gpu_ls_plugin.sequences.engines.kernels import built
from gpu_ls_plugin.sequences.problem.sequence import require_functor, sequence_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

NOISE = 0.5  # random part of the ranks of all rows but the first, in numbers of items


def neh(
    problem: Problem,
    size: int = 1,
    seed: int | None = 0,
    *,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> NDArray[np.int32]:
    """Construct sequences by inserting items one by one, each at its best place.

    The first row inserts the items in the order of `SequenceObjective.priorities`; for flow shops,
    this is the heuristic of Nawaz, Enscore and Ham (1983). The other rows change the order at
    random; without priorities, the order of all rows is random. Row r depends only on `seed` and r.

    Parameters
    ----------
    problem : Sequence
        Its objective has a functor.
    size : int
        Number of sequences.
    seed : int or None
        None draws a seed.
    backend, device
        See `get_backend`.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range, or `problem` is not a sequence problem.
    UnsupportedProblemError
        The objective has no functor.
    """
    sequence = require_functor(sequence_problem(problem))
    size, seed = checks.size(size), checks.seed(seed)
    keys, given = uniform(sequence.n, size, seed), sequence.objective.priorities()
    if given is not None:
        ranks = np.empty(sequence.n)
        ranks[np.argsort(-np.asarray(given, np.float64), kind="stable")] = np.arange(sequence.n)
        keys = ranks + NOISE * sequence.n * keys * (np.arange(size) > 0)[:, None]
    chosen = get_backend(backend, device)
    with chosen.current():
        rows = chosen.xp.asarray(in_order(sequence, keys))
        made: NDArray[np.int32] = chosen.to_numpy(built(chosen, sequence, rows, seed))
    return made
