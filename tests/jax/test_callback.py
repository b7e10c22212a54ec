"""Local search of JAX arrays, concrete and traced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from tests.helpers import improving
from tests.helpers.improving import costs_of, lengths
from tests.helpers.processes import run_python

jax: Any = pytest.importorskip("jax", reason='needs pip install "gpu-ls-plugin[jax]"')
jnp: Any = pytest.importorskip("jax.numpy")

BATCH, N = 3, 12
POINTS = np.random.default_rng(1).random((BATCH, N, 2), np.float32)
TOURS = np.random.default_rng(2).permuted(np.tile(np.arange(N, dtype=np.int32), (BATCH, 1)), axis=1)


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The calls of `gls.improve`, in order."""
    return improving.engine(monkeypatch)


def improve(*args: Any, **options: Any) -> Any:
    return gls.jax.improve(*args, **options)


def check(found: Any, points: Any = POINTS, given: Any = TOURS) -> None:
    """Check that rows are shorter tours with their exact costs."""
    assert isinstance(found.rows, jax.Array) and found.rows.dtype == given.dtype
    assert found.rows.shape == given.shape and found.costs.shape == given.shape[:-1]
    assert (np.sort(found.rows, axis=-1) == np.arange(N)).all()
    exact = costs_of(lengths(points), found.rows)
    np.testing.assert_allclose(found.costs, exact, rtol=1e-6)
    assert (exact < costs_of(lengths(points), given)).all() and found.valid.all()


def test_concrete_arrays_are_passed_as_they_are(calls: list[dict[str, Any]]) -> None:
    rows = jnp.asarray(TOURS)
    check(improve(jnp.asarray(POINTS), rows, moves=1000, seed=3))
    assert calls[-1]["rows"] is rows and calls[-1]["seed"] == 3


def test_compiled_code_searches_when_it_runs(calls: list[dict[str, Any]]) -> None:
    compiled = jax.jit(lambda points, rows: improve(points, rows[:, ::-1], search="two_opt"))
    for shift in (0, 1):
        given = np.roll(TOURS, shift, axis=0)
        check(compiled(POINTS, given), POINTS, given)
    assert len(calls) == 2 and calls[0]["search"] == "two_opt"
    exact = improve(jnp.asarray(POINTS), jnp.asarray(given)[:, ::-1], search="two_opt")
    assert (compiled(POINTS, given).rows == exact.rows).all()


@pytest.mark.parametrize("rows", [TOURS, np.stack([TOURS, TOURS[:, ::-1]], axis=1)], ids=["1", "2"])
def test_vmap_makes_one_call(rows: Any, calls: list[dict[str, Any]]) -> None:
    points = np.stack([POINTS, POINTS[::-1]])
    several = np.stack([rows, rows])
    found = jax.vmap(improve)(points, several)
    assert len(calls) == 1 and len(calls[0]["rows"]) == 2 * BATCH
    for half in range(2):
        check(jax.tree.map(lambda made, at=half: made[at], found), points[half], several[half])


def test_vmap_may_share_instances() -> None:
    several = np.stack([TOURS, TOURS[::-1]])
    found = jax.jit(jax.vmap(improve, in_axes=(None, 0)))(POINTS, several)
    for half in range(2):
        check(jax.tree.map(lambda made, at=half: made[at], found), POINTS, several[half])


def test_distances_and_demands_are_traced(calls: list[dict[str, Any]]) -> None:
    matrices = lengths(POINTS).astype(np.float32)
    found = jax.jit(lambda m, rows: improve(None, rows, distances=m))(matrices, TOURS)
    np.testing.assert_allclose(found.costs, costs_of(matrices, found.rows), rtol=1e-5)
    demands = np.tile(np.arange(4), (BATCH, 1))
    actions = np.tile([1, 2, 0, 3, 0], (BATCH, 1))
    routed = jax.jit(lambda c, rows, d: improve(c, rows, demands=d, capacity=3))
    found = routed(POINTS[:, :4], actions, demands)
    assert found.valid.all() and calls[-1]["capacity"] == 3
    assert (found.rows[:, 2] == 0).all()
    limits = np.array([3, 2, 3])
    for function in (improve, jax.jit(improve, static_argnames="search")):
        found = function(POINTS[:, :4], jnp.asarray(actions), demands=demands, capacity=limits)
        assert found.valid.tolist() == [True, False, True]


def test_rows_that_are_no_tours_stay_as_they_are() -> None:
    wrong = TOURS.copy()
    wrong[1, 0] = wrong[1, 1]
    for function in (improve, jax.jit(improve)):
        found = function(jnp.asarray(POINTS), jnp.asarray(wrong))
        assert found.valid.tolist() == [True, False, True]
        assert (found.rows[1] == wrong[1]).all()


def test_gradients_stop_at_a_search() -> None:
    def length(points: Any) -> Any:
        rows = improve(points, jnp.asarray(TOURS)).rows
        ends = jnp.take_along_axis(points, rows[:, :, None], axis=1)
        return jnp.linalg.norm(ends - jnp.roll(ends, -1, axis=1), axis=-1).sum()

    gradient = jax.grad(length)(jnp.asarray(POINTS))
    assert jnp.isfinite(gradient).all() and (gradient != 0).any()


def test_rows_of_floats_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="rows: float32 is not an integer type"):
        improve(jnp.asarray(POINTS), jnp.asarray(TOURS, jnp.float32))


def test_calls_that_need_another_function_say_so() -> None:
    points, rows = jnp.asarray(POINTS), jnp.asarray(TOURS)
    with pytest.raises(InvalidTypeError, match=r"call gls\.jax\.improve"):
        jax.jit(lambda x, r: gls.improve(x, r).costs)(points, rows)
    with pytest.raises(InvalidTypeError, match="another library"):
        gls.solve_many(points, 0.1)


def test_jax_is_not_imported_unasked() -> None:
    code = "import sys, gpu_ls_plugin as gls; gls.jax.__all__; print('jax' in sys.modules)"
    assert run_python("-c", code).split() == ["False"]
