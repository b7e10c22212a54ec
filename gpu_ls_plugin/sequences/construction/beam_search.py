"""Beam search for sequences of jobs in flow shops, from the first job to the last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.sequences.construction.random_sequences import uniform
from gpu_ls_plugin.sequences.engines.kernels import problem_arguments, without_others
from gpu_ls_plugin.sequences.problem.flow_shop_objectives import TotalFlowtime
from gpu_ls_plugin.sequences.problem.functor import CONTRACT, FILLED, filled
from gpu_ls_plugin.sequences.problem.sequence import sequence_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.sequences.problem.sequence import Sequence

HEADER = "sequences/construction/beam_search.cuh"
LEVEL = struct_of(HEADER, "BeamLevel")
# Nodes of a level: the least number, the number for each row, and the most if they are more than
# rows: this number divided by the square of the jobs and by the machines.
WIDTH, WIDTH_OF_ROW, MOST_TIMES = 128, 32, 5 * 10**10
# Bounds of the weight of idle times, which the seed draws, and how many machines in front of the
# first one its weight assumes, as a part of all machines.
IDLE, IN_FRONT = (0.5, 0.9), 0.1
NODE_THREADS = 64


def beam_search(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
    width: int | None = None,
) -> NDArray[np.int32]:
    """Return the best sequences of a beam search, for flow shops with total flowtime.

    Sequences grow from the first job to the last. Each level keeps those with the least sum of
    flowtime and penalty of idle times. Idle times count more at early places, where more jobs
    follow, and on early machines (Liu and Reeves 2001; Fernandez-Viagas and Framinan 2017).

    Parameters
    ----------
    problem : FlowShop
        Its objective is "total_flowtime".
    size : int
        Number of sequences. If there are fewer permutations, they are repeated.
    seed : int or None
        Draws the weight of idle times. None draws a seed.
    backend, device
        See `get_backend`.
    width : int, optional
        How many sequences a level keeps, at least `size`; by default, it grows with `size`.

    Returns
    -------
    ndarray, shape (size, n), int32
        The sequences, the best one first.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range, or `problem` is not a sequence problem.
    UnsupportedProblemError
        The objective is not the total flowtime of a flow shop.
    """
    sequence = sequence_problem(problem)
    objective = sequence.objective
    if not isinstance(objective, TotalFlowtime):
        raise UnsupportedProblemError(
            f"problem: beam_search is for the total flowtime of flow shops, not {problem!r:.80}; "
            "use neh"
        )
    size, seed = checks.size(size), checks.seed(seed)
    if width is None:
        width = usual_width(sequence.n, objective.times.shape[1], size)
    else:
        width = checks.integer("width", width, least=size)
    weights = weights_of_idle(sequence.n, objective.times.shape[1], seed)
    chosen = get_backend(backend, device)
    with chosen.current():
        found = _searched(chosen, sequence, weights, width)
    return found[np.arange(size) % len(found)]


def usual_width(n: int, machines: int, size: int) -> int:
    """Return the default number of nodes of a level."""
    return max(size, min(max(WIDTH, WIDTH_OF_ROW * size), MOST_TIMES // (n * n * machines)))


def weights_of_idle(n: int, machines: int, seed: int) -> NDArray[np.float64]:
    """Return the penalty of a unit of idle time before each place on each machine (n, machines).

    It is proportional to the number of jobs that follow. Early machines weigh more; the later the
    place, the less the machines differ.
    """
    least, most = IDLE
    scale = least + (most - least) * uniform(1, 1, seed)[0, 0]
    place, machine = np.arange(n)[:, None], np.arange(machines) + 1 + IN_FRONT * machines
    progress = place / max(1, n - 2)
    divisor = machine + progress * np.maximum(machines - machine, 0)
    return np.asarray(scale * np.maximum(n - 2 - place, 0) / divisor)


def beam_kernel(problem: Sequence, team: str) -> Kernel:
    """Compose the kernel of a level; each team handles a node."""
    objective = problem.objective
    return Kernel(
        name="expand_beam",
        header=HEADER,
        body=f"gls::ExpandBeam<{FILLED}>",
        parameters=(LEVEL, *parse_parameters("const gls::uint64* objective_words")),
        team=team,
        functors=(filled(objective),),
        headers=(CONTRACT, objective.header),
        parts=(objective.name, "beam_search"),
    )


def _searched(
    backend: Backend, problem: Sequence, weights: NDArray[Any], width: int
) -> NDArray[np.int32]:
    """Return the sequences of the last level, sorted by cost."""
    xp, n, machines = backend.xp, problem.n, weights.shape[1]
    kernel = beam_kernel(problem, backend.block(NODE_THREADS))
    words, known = problem_arguments(backend, problem)
    known = without_others(kernel) | {
        name: value for name, value in known.items() if name in ("n", "objective_words")
    }
    known["weights"] = xp.asarray(weights)
    types = {"rows": "int32", "ends": "int32", "totals": "int64", "penalties": "float64"}
    if not problem.integer:
        types |= {"ends": "float64", "totals": "float64"}
    shapes = {"rows": (n,), "ends": (machines,), "totals": (), "penalties": ()}
    chosen, nodes = xp.zeros(1, "int64"), {name: xp.zeros(0, kind) for name, kind in types.items()}
    for placed in range(n + 1):
        parents = {f"parent_{name}": array for name, array in nodes.items()} if placed else {}
        nodes = {name: xp.empty((len(chosen), *shapes[name]), kind) for name, kind in types.items()}
        guides = xp.empty(len(chosen) * max(1, n - placed))
        level = {"placed": placed, "chosen": chosen, "guides": guides, **parents, **nodes}
        backend.launch(kernel, len(chosen), known | level)
        if placed < n:  # the last nodes have no children
            chosen = least(xp, guides, width)
    found: NDArray[np.int32] = backend.to_numpy(
        nodes["rows"][xp.argsort(nodes["totals"], kind="stable")]
    )
    del words  # the kernel has read them
    return found


def least(xp: Any, values: Any, count: int) -> Any:
    """Return the places of the `count` least values, in order; the first ones if some are equal."""
    if len(values) <= count:
        return xp.arange(len(values))
    if xp is not np:  # sorting is fast on GPUs
        return xp.sort(xp.argsort(values, kind="stable")[:count])
    limit = np.partition(values, count - 1)[count - 1]
    lower, same = np.flatnonzero(values < limit), np.flatnonzero(values == limit)
    return np.sort(np.concatenate([lower, same[: count - len(lower)]]))
