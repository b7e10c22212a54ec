"""Shared memory of layouts, against the compiler's use and the size of a multiprocessor."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.compile_check import compile_kernel
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.routing import Routing
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.tours.crossovers import assembly_layouts, edge_assembly
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import chain_kernel
from gpu_ls_plugin.tours.engines.descent import descent_layouts
from gpu_ls_plugin.tours.engines.descent.city_descent import descent_kernel, multi_descent_kernel
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.moves.composed import Moves, chain_needs
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.problem.metric_with_objective import Under
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS
from tests.helpers import host_program
from tests.helpers.declared_shared import declared_shared
from tests.helpers.marks import slow_after

SHARED = tuning.SHARED_MEMORY[90]
RESERVED = 1 << 10  # bytes that the driver reserves for each block
KINDS = {  # metric, type of lengths, grid
    "packed": ("EUC_2D", "int", "fine"),
    "real": ("EUC", "double", ""),
    "long": ("EXPLICIT", "gls::int64", ""),
}
ROUTED = {"loads": {}, "durations": {"metric": "EUC", "route_limit": 9}}
MOVES = {
    "one": (LinKernighan(3),),
    "two": (TwoOpt(), OrOpt(3)),
    "three": (TwoOpt(), OrOpt(3), ThreeOpt()),
}
CITIES = range(10, 20_000, 7)


def composed(kind, moves):
    """Return a metric, its moves and the needs of chains."""
    if kind in ROUTED:
        problem = CVRP(((0, 0), (0, 3), (4, 0)), (0, 1, 1), 2, **ROUTED[kind])
        metric, real = Under(problem.nodes.metric, Routing(problem)), not problem.integer
        length, grid = ("double", "") if real else ("int", "fine")
    else:
        name, length, grid = KINDS[kind]
        metric = BUILT_IN_METRICS[name]()
    made = Moves.of(MOVES[moves], symmetric=True, length=length, grid=grid)
    return metric, made, chain_needs(metric, made, MOVES[moves])


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize(
    ("kind", "moves"),
    slow_after(2, [("packed", "three"), *((kind, "two") for kind in KINDS), ("packed", "one")]),
)
def test_memory_of_a_chain_beside_its_tour(kind, moves):
    """If the tour is in global memory, this is all the shared memory of a warp."""
    metric, made, needs = composed(kind, moves)
    alone = tour_layouts.ChainShape("gls::Warp<1>", 32, 1, False, False)
    report = compile_kernel(chain_kernel(metric, made, DoubleBridge(), Annealing(), alone), 90)
    assert not report.error
    assert report.shared <= needs.slot_bytes < report.shared + 16


@pytest.mark.parametrize("registers", chain_layouts.CHAIN_WARPS)
@pytest.mark.parametrize("kind", KINDS)
def test_chains_fit(kind, registers):
    needs = replace(composed(kind, "three")[2], registers=registers)
    rules = (
        lambda n: chain_layouts.chain_shape(n, 64, SHARED, needs),
        lambda n: chain_layouts.part_shape(n, SHARED, needs) if n < 5_000 else None,
    )
    for shape, n in ((rule(n), n) for n in CITIES for rule in rules):
        if shape is not None and shape.in_shared:
            needed = shape.blocks * (shape.shared_bytes(n) + RESERVED)
            assert needed <= SHARED + RESERVED, (n, shape)


@pytest.mark.usefixtures("nvrtc")
def test_ptx_declares_the_memory_that_the_assembler_uses():
    metric, made, _ = composed("packed", "two")
    kernel = descent_kernel(metric, made, "gls::Block<64>", "gls::SharedMemory<true>")
    taken = compile_kernel(kernel, 90).shared
    assert 0 < taken <= declared_shared(kernel) < taken + 64


def crossovers(kind):
    name, length, grid = KINDS[kind]
    return (
        lambda n: [assembly_layouts.assembly_shape(n, 64, SHARED)],
        lambda shape: edge_assembly.assembly_kernel(BUILT_IN_METRICS[name](), length, grid, shape),
    )


def descents(kind):
    metric, made, needs = composed(kind, "two")
    return (
        lambda n: [
            descent_layouts.descent_shape(n, size, SHARED, needs=needs) for size in (1, 4, 16)
        ],
        lambda shape: descent_kernel(metric, made, shape.team, shape.memory),
    )


def independent(kind):
    metric, made, needs = composed(kind, "two")
    return (
        lambda n: [descent_layouts.multi_shape(n, SHARED, needs)],
        lambda shape: multi_descent_kernel(metric, made, shape.team, shape.memory),
    )


# Layouts for a number of cities, and the kernel of a layout; the kinds; least number of kernels.
ENGINES = {
    crossovers: (["long"], 6),
    descents: ([*KINDS, *ROUTED], 6),
    independent: (KINDS, 3),
}


@pytest.mark.slow
@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize(
    ("engine", "kind"), [(engine, kind) for engine, (kinds, _) in ENGINES.items() for kind in kinds]
)
def test_tours_fit_beside_the_static_memory_of_their_kernels(engine, kind):
    layouts_of, kernel_of = engine(kind)
    static = {}
    for n in (*CITIES, *range(20_000, 40_000, 7)):
        for shape in layouts_of(n):
            if not (shape.in_shared or engine is independent):
                continue  # it has no dynamic memory
            key = shape.team, shape.memory
            if key not in static:
                static[key] = declared_shared(kernel_of(shape))
                if engine is crossovers:
                    assert static[key] <= shape.teams * assembly_layouts.ASSEMBLY_STATIC_BYTES
            assert shape.shared_bytes(n) + static[key] <= SHARED, (n, shape)
    assert len(static) >= ENGINES[engine][1]


@pytest.mark.slow
@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("kind", KINDS)
def test_memory_of_multi_improvement_beside_its_tour(kind):
    """If the tour is in global memory, this is a part of the static shared memory."""
    metric, made, needs = composed(kind, "two")
    inside, outside = (
        descent_layouts.multi_shape(1000, SHARED, needs, at) for at in ("auto", "global")
    )
    inside = replace(inside, team=outside.team)
    static = []
    for shape in (inside, outside):
        report = compile_kernel(multi_descent_kernel(metric, made, shape.team, shape.memory), 90)
        assert not report.error
        static.append(report.shared)
    batch = static[1] - static[0]
    assert batch <= descent_layouts.LOOK_BATCH_BYTES < batch + 300  # for all types of lengths


@pytest.mark.parametrize(("city", "city_bytes"), [("uint16", 2), ("int", 4)])
def test_memory_of_a_tour(city, city_bytes):
    found = host_program.memory_of(
        f"tour_bytes<{city}>(n, n)", "tours/kernels/tour_memory.cuh", counts=CITIES[:99]
    )
    assert found == [tour_layouts.tour_bytes(n, city_bytes) for n in CITIES[:99]]
