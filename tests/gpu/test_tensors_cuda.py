"""`improve` on a GPU: arrays of CuPy, torch and JAX stay there, and nothing waits for the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends.cuda import CudaBackend
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from tests.tours.tensors.test_improve import instances, lengths, random_rows

pytestmark = pytest.mark.gpu

SIZES = (4, 5, 8, 100, 700, 1500, 5000)  # with warps and blocks, in shared and in global memory


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy")


@pytest.mark.parametrize("kicks", [None, 20])
@pytest.mark.parametrize("n", SIZES)
def test_rows_become_better_tours(cupy, n, kicks):
    count = 7 if n < 1000 else 2
    coordinates, rows = instances(count, n, dtype="float32"), random_rows(count, 3, n)
    found = gls.improve(cupy.asarray(coordinates), cupy.asarray(rows), kicks=kicks)
    assert isinstance(found.rows, cupy.ndarray)
    better, costs = found.rows.get(), found.costs.get()
    assert found.valid.all()
    assert (np.sort(better) == np.arange(n)).all()
    np.testing.assert_allclose(costs, lengths(coordinates, better), rtol=1e-12)
    assert (costs <= lengths(coordinates, rows)).all()
    on_host = gls.improve(coordinates, rows, kicks=kicks).costs
    assert abs(costs.mean() / on_host.mean() - 1) < 0.05


def test_distances_and_invalid_rows(cupy):
    coordinates, rows = instances(5, 40), random_rows(5, 2, 40, dtype="int32")
    distances = np.linalg.norm(coordinates[:, :, None] - coordinates[:, None], axis=-1)
    rows[1, 0, 3] = rows[1, 0, 4]
    distances[2, 3, 4] = -1
    arrays = cupy.asarray(rows), cupy.asarray(distances)
    found = gls.improve(None, arrays[0], distances=arrays[1], kicks=10)
    expected = np.array([[True, True], [False, True], [False, False], [True, True], [True, True]])
    assert (found.valid.get() == expected).all()
    assert (found.rows.get()[~expected] == rows[~expected]).all()
    assert (np.isnan(found.costs.get()) == ~expected).all()


def test_nothing_is_copied_to_the_host_and_nothing_waits(cupy, monkeypatch):
    coordinates, rows = instances(5, 40), random_rows(5, 2, 40)
    arrays = cupy.asarray(coordinates), cupy.asarray(rows)
    expected = gls.improve(*arrays, kicks=10)  # compiles

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("the call waits for the device")

    monkeypatch.setattr(CudaBackend, "to_numpy", refuse)
    monkeypatch.setattr(CudaBackend, "wait", refuse)
    monkeypatch.setattr(cupy, "asnumpy", refuse)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()  # any wait or copy to the host makes the capture fail
        found = gls.improve(*arrays, kicks=10)
        graph = stream.end_capture()
        graph.launch()
        stream.synchronize()
    monkeypatch.undo()
    assert (found.rows == expected.rows).all()


def test_torch_tensors_stay_on_their_stream():
    torch = pytest.importorskip("torch")
    coordinates, rows = instances(6, 60, dtype="float32"), random_rows(6, 60)
    with torch.cuda.stream(torch.cuda.Stream()):
        on_gpu = torch.from_numpy(coordinates).cuda(), torch.from_numpy(rows).cuda()
        found = gls.improve(*on_gpu)
        total = found.costs.sum() + found.valid.sum()
    torch.cuda.synchronize()
    assert (found.rows.device, found.rows.dtype) == (on_gpu[1].device, torch.int64)
    assert (found.costs.dtype, found.valid.dtype) == (torch.float64, torch.bool)
    expected = lengths(coordinates, found.rows.cpu().numpy()[:, None])
    assert abs(float(total) - expected.sum() - 6) < 1e-9


@pytest.mark.parametrize("kind", ["int16", "int32", "int64"])
def test_torch_tensors_may_have_gaps(kind):
    torch = pytest.importorskip("torch")
    coordinates, rows = instances(6, 60, dtype="float32"), random_rows(6, 3, 60, dtype=kind)
    expected = gls.improve(*map(torch.from_numpy, (coordinates, rows[:, 1].copy())))
    places = torch.from_numpy(coordinates).cuda().permute(2, 0, 1).contiguous().permute(1, 2, 0)
    given = torch.from_numpy(rows).cuda()[:, 1]
    assert not (places.is_contiguous() or given.is_contiguous())
    found = gls.improve(places, given)
    assert found.rows.dtype == given.dtype
    assert (found.valid.cpu() == expected.valid).all()
    own = lengths(coordinates, found.rows.cpu().numpy()[:, None])[:, 0]
    np.testing.assert_allclose(found.costs.cpu().numpy(), own, rtol=1e-6)


def test_torch_tensors_of_other_types_are_refused():
    torch = pytest.importorskip("torch")
    coordinates, rows = torch.rand(2, 6, 2).cuda(), torch.arange(6).repeat(2, 1).cuda()
    for wrong in (coordinates.bool(), coordinates.to(torch.complex64)):
        with pytest.raises(InvalidTypeError, match="coordinates"):
            gls.improve(wrong, rows)


def test_jax_arrays_stay_on_their_device():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    coordinates, rows = instances(6, 60, dtype="float32"), random_rows(6, 60, dtype="int32")
    given = jax.numpy.asarray(coordinates), jax.numpy.asarray(rows)
    found = gls.improve(*given)
    assert isinstance(found.rows, jax.Array)
    assert found.rows.devices() == given[1].devices()
    assert bool(found.valid.all())
    own = lengths(coordinates, np.asarray(found.rows)[:, None])[:, 0]
    np.testing.assert_allclose(np.asarray(found.costs), own, rtol=1e-6)
