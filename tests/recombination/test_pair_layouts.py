"""How pairs are laid out: what Python says of their memory is what the kernels take."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.recombination import pair_layouts
from gpu_ls_plugin.recombination.edge_recombination import graph_bytes
from gpu_ls_plugin.recombination.partition_crossover import components_bytes
from tests.helpers import host_program

CITIES = [*range(1, 70), 127, 128, 129, 1000, 65_535, 65_536]


@pytest.mark.parametrize(
    ("functor", "header", "said"),
    [
        ("EdgeRecombination<{}>", "edge_recombination", graph_bytes),
        ("PartitionCrossover<{}, double>", "partition_crossover", components_bytes),
    ],
)
@pytest.mark.parametrize(("city", "city_bytes"), [("uint16", 2), ("int", 4)])
def test_memory_of_a_pair(functor, header, said, city, city_bytes):
    text = f"""
    struct Probe {{
      static void run(const gls::Host&, int item, const int* cities, gls::int64* bytes) {{
        using namespace gls;
        bytes[item] = {functor.format(city)}::bytes(cities[item]);
      }}
    }};
    """
    found = np.zeros(len(CITIES), np.int64)
    host_program.run(
        text,
        len(CITIES),
        "const int* cities, gls::int64* bytes",
        {"cities": np.array(CITIES, np.int32), "bytes": found},
        f"recombination/{header}.cuh",
    )
    assert found.tolist() == [said(n, city_bytes) for n in CITIES]


@pytest.mark.parametrize("said", [graph_bytes, components_bytes])
@pytest.mark.parametrize("capability", tuning.SHARED_MEMORY)
def test_pairs_fit(said, capability):
    shared = tuning.SHARED_MEMORY[capability]
    for n in range(1, 20_000, 7):
        for pairs in (1, 8, 64):
            shape = pair_layouts.pair_shape(n, said(n, 2), pairs, shared)
            assert shape.shared_bytes(n) <= shared
            assert shape.teams <= pairs or not shape.in_shared
    assert pair_layouts.pair_shape(1000, said(1000, 2), 64, shared).in_shared
    assert not shape.in_shared  # so many cities do not fit


def test_memory_that_is_asked_for_is_enough():
    """A pair takes no more than `bytes_per_tour`, wherever it lies."""
    for part, said in (
        (gls.EdgeRecombination(), graph_bytes),
        (gls.PartitionCrossover(), components_bytes),
    ):
        for n in CITIES:
            assert part.bytes_per_tour(n) >= said(n, 4) + 4 * n + 8
