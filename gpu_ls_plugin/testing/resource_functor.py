"""Compares the C++ of a resource with its Python methods on routes joined in many ways."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import enumerators, kept_words, packed_words, struct_of
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.testing.subject import Subject

PROBE, CONTRACT = "testing/probe_resource.cuh", "routes/problem/resources/resource.cuh"
PARAMETERS = (*parse_parameters("const gls::uint64* words"), struct_of(PROBE, "ResourceProbes"))
WAYS = ("kOutside", "kInside", "kTurned", "kRest", "kWithout")
JOINS = enumerators(PROBE, "ResourceJoin")
ROUNDING = 1e-9  # relative error of real excesses
WRITING = (
    "functor() and source() must name and define the C++ struct, which has the members that "
    "routes/problem/resources/resource.cuh describes"
)
INDICES = "nodes are 0 to customers; is_depot(node, customers) holds for every copy of the depot"
READING = (
    "at() and excess() must compute the same as Python, words() must pass the data that Python "
    "reads, and join() must be associative"
)
TURNING = "set kTurns to true unless the segment of a path is that of the reverse path"
ADDING = "set kAdds to false and `segments` to 2 unless segments are sums"


class Constants(NamedTuple):
    """The constants of a resource in C++."""

    segment_bytes: int
    words: int
    turns: int
    adds: int


def check_functor(
    subject: Subject, problem: CVRP, rows: NDArray[np.int32], excess: NDArray[Any]
) -> None:
    """Raise unless the C++ agrees with Python on giant tours, given their excess in Python.

    The routes are joined in each way in which searches may join them.
    """
    backend, part, xp = subject.backend, subject.part, subject.backend.xp
    routes = [(row, route) for row, tour in enumerate(rows) for route in problem.routes(tour)]
    nodes = _walks(problem, [route for _, route in routes])
    with subject.blamed("its kernel", WRITING), backend.current():
        kernel = _kernel(subject, problem)
        words = kept_words(xp, part.words(backend, problem))
        found = xp.zeros((*nodes[:, 1:].shape, JOINS["kJoins"]), "float64")
        constants = xp.zeros(len(Constants._fields), "int32")
        arguments: dict[str, Any] = {
            "words": packed_words(xp, words, backend.address),
            "nodes": xp.asarray(nodes),
            "lengths": xp.asarray(_lengths(problem, nodes)),
            "stops": nodes.shape[1],
            "asked": len(nodes),
            "constants": constants,
            "excess": found,
        }
        backend.launch(kernel, 1, {**arguments, "asked": 0})  # compiles the kernel
        _check_constants(subject, problem, Constants(*backend.to_numpy(constants)), len(words))
        ask = partial(backend.launch, kernel, len(nodes), arguments)
        subject.rehearse(ask, "its functor", INDICES)
        ask()
    sums = np.zeros((len(rows), *found.shape[1:]))
    np.add.at(sums, [row for row, _ in routes], backend.to_numpy(found))
    _compare(subject, problem, rows, excess, sums)


def _kernel(subject: Subject, problem: CVRP) -> Kernel:
    team = subject.backend.warp()
    length = "gls::int64" if problem.integer else "double"
    return Kernel(
        name="probe_resource",
        header=PROBE,
        body=f"gls::ProbeResource<{team}, {subject.part.functor(problem)}, {length}>",
        parameters=PARAMETERS,
        team=team,
        functors=sources_of(subject.part),
        headers=(CONTRACT,),
    )


def _lengths(problem: CVRP, walks: NDArray[np.int32]) -> NDArray[Any]:
    """Return the length from each node of a walk to the next one, as int64 or float64."""
    nodes = np.where(walks > problem.customers, 0, np.maximum(walks, 0))
    lengths = problem.nodes.lengths(nodes, np.roll(nodes, -1, axis=1))
    return lengths.astype("int64" if problem.integer else "float64")


def _walks(problem: CVRP, routes: list[list[int]]) -> NDArray[np.int32]:
    """Return routes from depot to depot, filled up with -1, shape (routes, stops)."""
    begin = problem.n - 1 if problem.copies > 1 else 0  # any copy of the depot
    walks = np.full((len(routes), max(map(len, routes)) + 2), -1, np.int32)
    for walk, route in zip(walks, routes, strict=True):
        walk[: len(route) + 2] = [begin, *route, 0]
    return walks


def _check_constants(subject: Subject, problem: CVRP, found: Constants, words: int) -> None:
    """Compare the constants of the C++ with what the Python methods return."""
    part = subject.part
    said = part.segment_bytes(problem)
    subject.expect(
        said == found.segment_bytes,
        f"segment_bytes() returned {said}, but a Segment has {found.segment_bytes} bytes",
        f"return {found.segment_bytes}: searches reserve as much memory for each node",
    )
    wrong = f"words() returned {words} words, but kWords is {found.words}"
    subject.expect(words == found.words, wrong, "kWords must be the number of words")
    turns, segments = part.turns(problem), 1 if found.adds else 2
    subject.expect(
        turns == found.turns,
        f"turns() returned {turns}, but kTurns is {_constant(found.turns)}",
        "return kTurns: whether the excess of a route depends on its direction",
    )
    subject.expect(
        part.segments == segments,
        f"segments is {part.segments}, but kAdds is {_constant(found.adds)}",
        "set it to 1 if kAdds, otherwise to 2",
    )


def _constant(value: int) -> str:
    return "true" if value else "false"


def _compare(
    subject: Subject,
    problem: CVRP,
    rows: NDArray[np.int32],
    excess: NDArray[Any],
    sums: NDArray[np.float64],
) -> None:
    """Raise unless each way to join the routes of a row gives the excess of that row.

    `sums` has shape (P, cuts, joins).
    """
    close = 0.0 if problem.integer else ROUNDING * max(1.0, problem.longest * problem.n)
    outside, inside, turned, rest, without = (sums[:, :, JOINS[name]] for name in WAYS)

    def expect(found: NDArray[Any], expected: NDArray[Any], wrong: str, remedy: str) -> None:
        for row, cut in np.argwhere(~np.isclose(found, expected, ROUNDING, close))[:1]:
            routes = f"for the routes {problem.routes(rows[row])}, C++ finds an excess"
            pair = f"{routes} of {found[row, cut]:.15g}, not {expected[row, cut]:.15g} as"
            raise subject.fault(f"{pair} {wrong.format(cut=cut + 1)}", remedy)

    whole = np.broadcast_to(excess[:, np.newaxis], outside.shape)
    cut = "in Python, if it joins the first {cut} nodes of each route from the"
    expect(outside, whole, f"{cut} first one on, and the others from the last one on", READING)
    expect(inside, whole, f"{cut} last one on, and the others from the first one on", READING)
    wrong = "in Python, if it goes back from the depot to node {cut}, and on to the first node"
    expect(turned, whole, wrong, TURNING)
    wrong = "by join(), if without() takes the first {cut} nodes of each route away"
    expect(without, rest, wrong, ADDING)
