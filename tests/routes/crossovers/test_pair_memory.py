"""What Python says of the memory of pairs of giant tours is what the kernels take."""

from __future__ import annotations

import pytest

from gpu_ls_plugin.routes.crossovers.route_edge_assembly import HEADER, pair_bytes
from tests.helpers import host_program

CUSTOMERS = [1, 2, 7, 50, 127, 128, 1000]


@pytest.mark.parametrize(("city", "city_bytes"), [("uint16", 2), ("int", 4)])
@pytest.mark.parametrize("copies", [1, 9, 40])
def test_memory_of_edge_assembly(copies, city, city_bytes):
    function = f"RouteEdgeAssembly<Host, Euc2D, HostMemory<{city}>>::bytes(n, {copies})"
    found = host_program.memory_of(function, HEADER, counts=CUSTOMERS)
    assert found == [pair_bytes(n + copies, city_bytes, n) for n in CUSTOMERS]
