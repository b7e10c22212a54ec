"""Layouts of pairs: Python and C++ agree on the memory of a pair."""

from __future__ import annotations

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.text import snake_case
from gpu_ls_plugin.tours.crossovers import assembly_layouts, pair_layouts
from gpu_ls_plugin.tours.crossovers.assembly_layouts import CycleBlocks, SingleCycles
from tests.helpers import host_program
from tests.helpers.marks import diagonal

# The C++ types, with the type of a city left open.
FUNCTORS = {
    gls.EdgeRecombination(): "EdgeRecombination<{}>",
    gls.PartitionRecombination(): "PartitionCrossover<{}, double>",
    gls.OrderRecombination(): "OrderCrossover<{}>",
    gls.PartiallyMappedRecombination(): "PartiallyMapped<{}>",
    gls.CycleRecombination(): "Cycle<{}>",
    gls.SegmentRecombination(): "SegmentCrossover<{}>",
}
STRATEGIES = {
    SingleCycles(): "SingleCycles<{}>",
    CycleBlocks(): "CycleBlocks<{}>",
}
parts = pytest.mark.parametrize("part", FUNCTORS, ids=lambda part: part.name)
CITIES = [*range(1, 70), 127, 128, 129, 1000, 65_535, 65_536]


@pytest.mark.parametrize(
    ("part", "of_city"), diagonal([*FUNCTORS, *STRATEGIES], [("uint16", 2), ("int", 4)])
)
def test_memory_of_a_pair(part, of_city):
    city, city_bytes = of_city
    functor = (FUNCTORS | STRATEGIES)[part]
    folder = getattr(part, "folder", "tours/crossovers")
    header = f"{folder}/{snake_case(functor.partition('<')[0])}.cuh"
    found = host_program.memory_of(f"{functor.format(city)}::bytes", header, counts=CITIES)
    assert found == [part.pair_bytes(n, city_bytes) for n in CITIES]


@pytest.mark.parametrize(("city", "city_bytes"), [("uint16", 2), ("int", 4)])
@pytest.mark.parametrize("beside", [0, 7], ids=["small", "large"])
def test_memory_of_edge_assembly(beside, city, city_bytes):
    """Walks and children share memory that has room for either."""

    class Beside:
        def pair_bytes(self, n, _):
            return 16 * beside * n

    strategy = f"""
    template <class City>
    struct Beside {{
      static gls::int64 bytes(int n) {{ return 16 * {beside} * n; }}
    }};
    """
    assembly = f"EdgeAssembly<Host, Euc2D, int, HostMemory<{city}>, Beside>::team_bytes"
    found = host_program.memory_of(
        assembly, "tours/crossovers/edge_assembly.cuh", strategy, counts=CITIES
    )
    assert found == [assembly_layouts.assembly_bytes(n, city_bytes, Beside()) for n in CITIES]


@pytest.mark.parametrize(("n", "short"), [(1000, True), (65_024, True), (65_025, False)])
def test_numbers_of_16_bits_stand_for_cities_and_edges_of_a_walk(n, short):
    assert assembly_layouts.host_shape(n).short == short


@parts
@pytest.mark.parametrize("capability", tuning.SHARED_MEMORY)
def test_pairs_fit(part, capability):
    shared = tuning.SHARED_MEMORY[capability]
    for n in range(1, 20_000, 7):
        for pairs in (1, 8, 64):
            shape = pair_layouts.pair_shape(n, part.pair_bytes(n, 2), pairs, shared)
            assert shape.shared_bytes(n) <= shared
            assert shape.teams <= pairs or not shape.in_shared
    assert pair_layouts.pair_shape(1000, part.pair_bytes(1000, 2), 64, shared).in_shared
    many = tuning.LARGEST_SHORT + 1
    assert not pair_layouts.pair_shape(many, part.pair_bytes(many, 2), 64, shared).in_shared


@parts
def test_memory_that_is_asked_for_is_enough(part):
    """A pair takes no more than `bytes_per_tour` in any layout."""
    for n in CITIES:
        assert part.bytes_per_tour(n) >= part.pair_bytes(n, 4) + 4 * n + 8
