"""The operator and the functions for rl4co on a GPU: streams, compiled code and CUDA graphs."""

from __future__ import annotations

from typing import Any

import pytest

import gpu_ls_plugin as gls
from tests.torch.samples import points, torch, tours

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU"),
]


def on_gpu(*tensors: Any) -> tuple[Any, ...]:
    return tuple(tensor.cuda() for tensor in tensors)


def is_tours(rows: Any) -> bool:
    return bool((rows.sort(dim=-1).values.cpu() == torch.arange(rows.shape[-1])).all())


def test_results_stay_on_the_device_and_are_those_of_improve() -> None:
    given = on_gpu(points(20, 50), tours(20, 50))
    found, same = gls.torch.improve(*given, kicks=10), gls.improve(*given, kicks=10)
    for own, other in zip(found, same, strict=True):
        assert own.is_cuda and (own == other).all()
    assert is_tours(found.rows)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_compiled_code_gives_the_same_rows() -> None:
    given = on_gpu(points(20, 50), tours(20, 50))

    def mean_cost(where: Any, rows: Any) -> Any:
        found = gls.torch.improve(where, rows)
        return found.rows, 2 * found.costs.mean()

    compiled = torch.compile(mean_cost, fullgraph=True)
    (rows, cost), (expected, own) = compiled(*given), mean_cost(*given)
    assert (rows == expected).all() and abs(float(cost - own)) < 1e-9


@pytest.mark.parametrize("kicks", [None, 5])
def test_a_cuda_graph_improves_other_rows_when_it_is_replayed(kicks: int | None) -> None:
    where, rows = on_gpu(points(20, 50), tours(20, 50))
    gls.torch.improve(where, rows, kicks=kicks)  # compiles
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = gls.torch.improve(where, rows, kicks=kicks)
    for seed in (5, 6):
        rows.copy_(tours(20, 50, seed=seed))
        graph.replay()
        expected = gls.torch.improve(where, rows, kicks=kicks)
        assert (found.rows == expected.rows).all() and (found.costs == expected.costs).all()


def test_tours_of_rl4co_stay_on_the_device() -> None:
    where, rows = on_gpu(points(20, 50), tours(20, 50))
    found = gls.torch.local_search_tsp({"locs": where}, rows)
    assert found.device == rows.device and found.dtype == rows.dtype and is_tours(found)
    assert (found == gls.torch.improve(where, rows, moves=1000).rows).all()
