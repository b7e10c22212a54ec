"""The operator: results, gradients, compiled code, and processes without CUDA."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from tests.helpers.improving import costs_of, lengths
from tests.helpers.processes import run_python
from tests.torch.samples import BATCH, N, points, routes, torch, tours

pytestmark = pytest.mark.usefixtures("calls")


def improve(*args: Any, **options: Any) -> Any:
    return gls.torch.improve(*args, **options)


def is_tours(rows: Any) -> bool:
    return bool((rows.sort(dim=-1).values == torch.arange(rows.shape[-1])).all())


@pytest.mark.parametrize("shape", [(BATCH, N), (BATCH, 4, N)], ids=str)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
def test_tours_become_shorter_and_keep_their_type(shape: tuple[int, ...], dtype: Any) -> None:
    where, given = points(), tours(*shape).to(dtype)
    before = given.clone()
    found = improve(where, given)
    assert (given == before).all()
    assert found.rows.dtype == dtype and found.rows.shape == shape and is_tours(found.rows)
    assert found.costs.dtype == torch.float64 and found.costs.shape == shape[:-1]
    assert found.valid.dtype == torch.bool and found.valid.all()
    exact = costs_of(lengths(where), found.rows)
    np.testing.assert_allclose(found.costs, exact, rtol=1e-6)
    assert (exact < costs_of(lengths(where), given)).all()


def test_distances_may_replace_coordinates() -> None:
    matrices = torch.from_numpy(lengths(points()))
    found = improve(None, tours(), distances=matrices)
    np.testing.assert_allclose(found.costs, costs_of(matrices, found.rows), rtol=1e-6)


def test_routes_stay_feasible() -> None:
    customers, actions = routes()
    demands = torch.cat([customers.new_zeros(BATCH, 1), customers], dim=1)
    where = points(BATCH, 10)
    found = improve(where, actions, demands=demands, capacity=12)
    assert found.valid.all() and found.rows.shape == actions.shape
    assert (found.costs < torch.from_numpy(costs_of(lengths(where), actions, depot=True))).all()
    each = torch.tensor([12, 5, 12])
    again = improve(where, found.rows, demands=demands, capacity=each)
    assert again.valid.tolist() == [True, False, True]


def test_rows_that_are_no_tours_stay_as_they_are() -> None:
    given = tours()
    given[1, 0] = given[1, 1]
    found = improve(points(), given)
    assert found.valid.tolist() == [True, False, True]
    assert (found.rows[1] == given[1]).all()
    with pytest.raises(gls.exceptions.InvalidTourError):
        improve(points(), given, check=True)


def test_results_share_no_memory_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    given = tours()
    found = gls.torch.Improved(given, given[:, 0].double(), given[:, 0] >= 0)
    monkeypatch.setattr(gls, "improve", lambda *args, **options: found)
    improve(points(), given).rows.zero_()
    assert is_tours(given)


def test_arguments_reach_the_search(calls: list[dict[str, Any]]) -> None:
    options = {"moves": 2, "kicks": None, "seconds": None, "seed": 7, "check": False}
    improve(points(), tours(), search="two_opt", **options)
    assert {name: calls[-1][name] for name in options} == options
    assert calls[-1]["search"] == "two_opt"
    search = gls.LocalSearch([gls.TwoOpt()])
    improve(points(), tours(), search=search)
    assert calls[-1]["search"] is search


def test_tensors_on_the_cpu_are_not_copied(calls: list[dict[str, Any]]) -> None:
    where, given = points(), tours()
    improve(where, given)
    assert calls[-1]["coordinates"].data_ptr() == where.data_ptr()
    assert calls[-1]["rows"].data_ptr() == given.data_ptr()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_narrow_types_become_wider(dtype: Any, calls: list[dict[str, Any]]) -> None:
    assert is_tours(improve(points().to(dtype), tours()).rows)
    assert calls[-1]["coordinates"].dtype == torch.float32


def test_gradients_are_refused() -> None:
    where = points().requires_grad_()
    with pytest.raises(InvalidParameterError, match=r"coordinates: .*coordinates\.detach\(\)"):
        improve(where, tours())
    with torch.no_grad():
        found = improve(where, tours())
    assert not found.costs.requires_grad
    assert not improve(where.detach(), tours()).costs.requires_grad


def test_other_arguments_are_refused() -> None:
    problem = gls.TSP(points()[0].numpy(), "EUC")
    with pytest.raises(InvalidTypeError, match=r"coordinates: TSP .* call gpu_ls_plugin\.improve"):
        improve(problem, tours())
    with pytest.raises(InvalidTypeError, match="rows: ndarray is not a torch tensor"):
        improve(points(), tours().numpy())
    with pytest.raises(InvalidTypeError, match="rows: NoneType"):
        improve(points(), None)
    with pytest.raises(InvalidParameterError, match=r"coordinates: .* on meta, but .* on cpu"):
        improve(points().to("meta"), tours())


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_code_is_one_graph(dynamic: bool, calls: list[dict[str, Any]]) -> None:
    torch.compiler.reset()

    def shortest(where: Any, rows: Any) -> Any:
        found = gls.torch.improve(2 * where, rows + 0, search="two_opt", moves=9)
        return found.rows.flip(-1), found.costs.min() / 2, found.valid.sum()

    compiled = torch.compile(shortest, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for batch in (BATCH, 5):
        where, given = points(batch), tours(batch, N)
        rows, cost, valid = compiled(where, given)
        exact = shortest(where, given)
        assert (rows == exact[0]).all() and cost == exact[1] and valid == batch
    assert [len(call["rows"]) for call in calls] == [BATCH, BATCH, 5, 5]


def test_programs_are_exported() -> None:
    class Model(torch.nn.Module):  # type: ignore[misc]
        def forward(self, where: Any, rows: Any) -> Any:
            return gls.torch.improve(where, rows, moves=5).costs

    exported = torch.export.export(Model(), (points(), tours()))
    assert "gpu_ls_plugin.improve" in str(exported.graph)
    exact = improve(points(), tours(), moves=5).costs
    assert (exported.module()(points(), tours()) == exact).all()


class CapturedRows:
    """Stands for rows on a GPU, of which only the device is asked."""

    is_cuda = True


@pytest.mark.parametrize("options", [(1.0, 1, False), (None, 1, True)], ids=["seconds", "check"])
def test_a_capture_refuses_to_wait(
    options: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpu_ls_plugin.torch import custom_operator

    monkeypatch.setattr(custom_operator, "_capturing", lambda: True)
    with pytest.raises(InvalidParameterError, match="seconds, check: they wait"):
        custom_operator._search(None, CapturedRows(), *[None] * 7, *options)


def test_compiled_code_needs_a_text() -> None:
    torch.compiler.reset()
    search = gls.LocalSearch([gls.TwoOpt()])
    compiled = torch.compile(
        lambda where, rows: gls.torch.improve(where, rows, search=search),
        fullgraph=True,
        backend="eager",
    )
    with pytest.raises(Exception, match="pass its text in compiled code"):
        compiled(points(), tours())


def test_the_schema_and_the_shapes_are_right() -> None:
    options = ("two_opt", 3, None, None, 1, False)
    plain = (points(), tours(), None, None, None, None)
    torch.library.opcheck(torch.ops.gpu_ls_plugin.improve.default, (*plain, *options))
    several = (None, tours(BATCH, 2, N), torch.from_numpy(lengths(points())), None, None, None)
    torch.library.opcheck(torch.ops.gpu_ls_plugin.improve.default, (*several, *options))


class Samples(torch.utils.data.Dataset):  # type: ignore[misc]
    """Improved tours, made in a worker of a DataLoader."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        return improve(points(1, seed=index), tours(1, N, seed=index)).rows[0]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_workers_of_a_data_loader_search() -> None:
    loader = torch.utils.data.DataLoader(
        Samples(), batch_size=2, num_workers=2, multiprocessing_context="fork"
    )
    expected = [improve(points(1, seed=s), tours(1, N, seed=s)).rows[0] for s in range(4)]
    assert (torch.cat(list(loader)) == torch.stack(expected)).all()


def test_nothing_initialises_cuda_or_imports_torch_unasked() -> None:
    code = """
import sys
import gpu_ls_plugin as gls
assert gls.torch.__all__ and "torch" not in sys.modules
import torch
gls.improve = lambda where, rows, **options: gls.torch.Improved(rows, rows.sum(1), rows[:, 0] == 0)
gls.torch.improve(torch.zeros(1, 5, 2), torch.arange(5)[None])
print(torch.cuda.is_initialized(), "cupy" in sys.modules)
"""
    assert run_python("-c", code).split() == ["False", "False"]
