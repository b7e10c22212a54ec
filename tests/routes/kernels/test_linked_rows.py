"""Launch layouts of rows on linked lists, the memory of their lists, and near nodes."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.plugins.instantiations import instantiations
from gpu_ls_plugin.routes.kernels.linked_layouts import (
    LinkedShape,
    list_bytes,
    most_rows,
    rows_at_once,
)
from gpu_ls_plugin.routes.kernels.near_nodes import near_nodes
from tests.helpers import host_program
from tests.helpers.declared_shared import ptx_of
from tests.helpers.routing import random_cvrp

SHARED = 227 << 10  # bytes of a block


@pytest.mark.parametrize(
    ("kind", "customers", "rows", "uneven", "teams"),
    [
        ("capacity", 50, 1, False, 1),
        ("capacity", 50, 15, False, 1),  # a block each, all at the same time
        ("capacity", 50, 16, False, 16),
        ("capacity", 50, 40, False, 14),  # three turns
        ("real duration", 50, 11, False, 1),
        ("real duration", 50, 12, False, 12),
        ("real duration", 50, 16, False, 8),  # two turns
        ("capacity", 1500, 4, False, 4),  # blocks of their own would not fit at the same time
        ("capacity", 1500, 16, False, 5),
        ("capacity", 50, 16, True, 1),
        ("capacity", 50, 40, True, 1),
        ("capacity", 1500, 16, True, 5),
    ],
)
def test_few_or_uneven_rows_have_blocks_of_their_own(kind, customers, rows, uneven, teams):
    problem = random_cvrp(kind, customers)
    shape = LinkedShape.of(problem, rows, SHARED, 8, uneven=uneven)
    assert shape.team == f"gls::Warp<{teams}>" and shape.in_shared
    blocks = -(-rows // teams) if teams == 1 else 1
    assert blocks * shape.shared <= SHARED


@pytest.mark.parametrize(
    ("kind", "customers", "rows"),
    [("capacity", 50, 16), ("windows", 50, 16), ("capacity", 700, 10), ("windows", 700, 8)],
)
def test_rows_at_once_need_one_turn(kind, customers, rows):
    problem = random_cvrp(kind, customers)
    assert rows_at_once(problem, SHARED) == rows <= most_rows(problem)
    shape = LinkedShape.of(problem, rows, SHARED, 4)
    assert shape.team == f"gls::Warp<{rows}>" and shape.in_shared


def test_few_rows_in_shared_memory_do_not_pay():
    assert rows_at_once(random_cvrp("capacity", 3000), SHARED) == 16


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("linked_chain", "TimeWindows<int"),
        *(
            pytest.param(f"linked_{rest}", "", marks=pytest.mark.slow)
            for rest in ("chain", "descent")
        ),
    ],
)
def test_lists_are_in_registers(name, part):
    """An object in local memory would cost a load for each access to a list."""
    kernels = [k for k in instantiations() if k.name == name and part in k.body]
    assert kernels
    for kernel in kernels:
        ptx = ptx_of(kernel)
        assert "ld.shared" in ptx and "__local_depot" not in ptx, kernel.body


def test_rows_without_room_in_shared_memory_lie_outside():
    shape = LinkedShape.of(random_cvrp("capacity", 9000), 16, SHARED, 8)
    assert shape.team == "gls::Warp<4>" and not shape.in_shared


@pytest.mark.parametrize(("city", "city_bytes"), [("uint16", 2), ("int", 4)])
@pytest.mark.parametrize("kind", ["capacity", "real duration", "windows"])
def test_python_and_kernels_agree_on_the_size_of_lists(kind, city, city_bytes):
    timed, more = str(kind == "real duration").lower(), str(kind == "windows").lower()
    problem = random_cvrp(kind, 50)
    found = host_program.memory_of(
        f"RouteLists<{city}, double, double, {timed}, {timed}, {more}>::bytes(n, {problem.copies})",
        "routes/kernels/linked_routes.cuh",
        counts=[problem.n],
    )
    assert found == [list_bytes(problem, city_bytes)]


def test_near_nodes_are_those_of_a_stable_sort():
    problem = random_cvrp("windows", 40)
    nodes = np.arange(41)
    (part,) = problem.resources
    ways = [
        problem.nodes.lengths(a, b) + part.apart(problem, a, b)
        for a, b in (np.ix_(nodes, nodes), np.ix_(nodes, nodes)[::-1])
    ]
    apart = np.minimum(*ways).astype(float)
    np.fill_diagonal(apart, np.inf)
    assert len(np.unique(apart)) < apart.size / 3  # many are equal
    for each in (1, 8, 40):
        expected = np.argsort(apart, axis=1, kind="stable")[:, :each]
        np.testing.assert_array_equal(near_nodes(problem, each), expected)
