"""`gpu_ls_plugin.improve` as an operator of torch, so that `torch.compile` can trace it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

# Types that NumPy does not have, and the type that replaces them.
_NARROW = {torch.float16: torch.float32, torch.bfloat16: torch.float32}
_DEVICES = ("cpu", "cuda", "meta")


class Improved(NamedTuple):
    """Improved rows, their costs, and which rows were valid.

    Attributes
    ----------
    rows : Tensor
        As the given rows: the same shape, type and device.
    costs : Tensor, float64
        One cost for each row.
    valid : Tensor, bool
        False for each row that is not a solution. Such rows are returned unchanged.
    """

    rows: torch.Tensor
    costs: torch.Tensor
    valid: torch.Tensor


def improve(
    coordinates: torch.Tensor | None,
    rows: torch.Tensor,
    *,
    distances: torch.Tensor | None = None,
    demands: torch.Tensor | None = None,
    capacity: int | torch.Tensor | None = None,
    search: Callable[..., Any] | str | None = None,
    moves: int | None = None,
    kicks: int | None = None,
    seconds: float | None = None,
    seed: int | None = 1,
    check: bool = False,
) -> Improved:
    """Improve rows of many instances by local search, as an operator of torch.

    The function does the same as `gpu_ls_plugin.improve`, which also takes tensors. In addition,
    `torch.compile` and `torch.export` can trace this one (``gpu_ls_plugin::improve``). Tensors
    on the CPU are searched there, without a copy and without initialising CUDA. On a GPU, the work
    is queued on torch's current stream.

    A search has no gradient: tensors that require one raise an error, unless gradients are
    disabled, as in `torch.no_grad`. The results never require a gradient.

    Parameters
    ----------
    coordinates : Tensor, shape (B, n, 2), or None
        The points of each instance; None if `distances` are given.
    rows : Tensor of integers, shape (B, n) or (B, P, n)
        One or P rows of each instance, on the device that searches them. They are not changed.
    distances : Tensor, shape (B, n, n), optional
        The distances of each instance.
    demands : Tensor of integers, shape (B, N + 1), optional
        Demands of the depot, which is 0, and of N customers. The rows are then sequences of
        customers 1..N, with 0 for the depot, padded with 0 at the end.
    capacity : int or Tensor, shape (B,), optional
        Capacity of the vehicles of all instances or of each one, if there are demands.
    search : callable or str, optional
        A search or its text, such as "two_opt+or_opt/quadrant(10)". Compiled code needs a text.
    moves, kicks, seconds, seed
        Limits and the seed of the search. A time limit makes the call wait for the device.
    check : bool
        Whether to wait for the device and to raise an error if a row is invalid.

    Returns
    -------
    Improved

    Raises
    ------
    InvalidTypeError
        `rows` is not a tensor (a `Problem` and its rows are for `gpu_ls_plugin.improve`), or
        compiled code got a search that is not a text.
    InvalidParameterError
        A tensor requires a gradient, the tensors are on several devices or on one that is neither a
        CPU nor CUDA, or `seconds` or `check` were given while a CUDA graph is captured.
    """
    several = isinstance(capacity, torch.Tensor)
    tensors = {"coordinates": coordinates, "rows": rows, "distances": distances, "demands": demands}
    tensors["capacity"] = capacity if several else None
    _check(tensors)
    one = None if several else capacity
    given: list[Any] = [*tensors.values(), one, search, moves, kicks, seconds, seed, check]
    if search is None or isinstance(search, str):
        return Improved(*_improve(*given))
    if torch.compiler.is_compiling():
        raise InvalidTypeError(
            f"search: {type(search).__name__} is an object; pass its text in compiled code, such "
            'as "two_opt+or_opt"'
        )
    with torch.no_grad():
        return Improved(*_search(*given))


def _check(tensors: dict[str, Any]) -> None:
    """Raise unless all given tensors are on one device and need no gradient."""
    device = None
    for name, tensor in reversed(tensors.items()):
        if tensor is None and name != "rows":
            continue
        if not isinstance(tensor, torch.Tensor):
            raise InvalidTypeError(
                f"{name}: {type(tensor).__name__} is not a torch tensor; for a problem or other "
                "arrays, call gpu_ls_plugin.improve"
            )
        if tensor.requires_grad and torch.is_grad_enabled():
            raise InvalidParameterError(
                f"{name}: the tensor requires a gradient, but a local search has none; pass "
                f"{name}.detach()"
            )
        if device is not None and tensor.device != device:
            raise InvalidParameterError(
                f"{name}: the tensor is on {tensor.device}, but others are on {device}; move all "
                "of them to one device"
            )
        device = tensor.device
        if device.type not in _DEVICES:
            raise InvalidParameterError(
                f"{name}: the tensor is on {device}, and searches run on CPUs and on CUDA; pass "
                f"{name}.cpu()"
            )


def _capturing() -> bool:
    """Return whether torch's current stream is being captured in a CUDA graph."""
    return bool(torch.cuda.is_current_stream_capturing())


def _search(
    coordinates: Any,
    rows: Any,
    distances: Any,
    demands: Any,
    capacities: Any,
    capacity: Any,
    search: Any,
    moves: int | None,
    kicks: int | None,
    seconds: float | None,
    seed: int | None,
    check: bool,
) -> tuple[Any, Any, Any]:
    """Run `gpu_ls_plugin.improve`; the results share no memory with the arguments."""
    captured = rows.is_cuda and _capturing()
    if captured and (check or seconds is not None):
        raise InvalidParameterError(
            "seconds, check: they wait for the device, which a CUDA graph cannot; leave them out"
        )
    engine: Any = gls  # its arrays are of any library, so they have no types
    with _memory_of_torch() if captured else nullcontext():
        found = engine.improve(
            _plain(coordinates),
            rows.detach(),
            distances=_plain(distances),
            demands=_plain(demands),
            capacity=capacity if capacities is None else capacities.detach(),
            search=search,
            moves=moves,
            kicks=kicks,
            seconds=seconds,
            seed=seed,
            check=check,
        )
    improved = found.rows.contiguous()
    if improved.data_ptr() == rows.data_ptr():  # torch forbids results that are arguments
        improved = improved.clone()
    return improved, found.costs.contiguous(), found.valid.contiguous()


def _plain(tensor: Any) -> Any:
    """Return a tensor without gradient, of a type that other libraries know."""
    if tensor is None:
        return None
    return tensor.detach().to(_NARROW.get(tensor.dtype, tensor.dtype))


def _memory_of_torch() -> AbstractContextManager[Any]:
    """Return a context in which captured work takes memory of torch, which its graph keeps."""
    from gpu_ls_plugin.backends.cuda import allocating_by

    return allocating_by(torch.cuda.caching_allocator_alloc, torch.cuda.caching_allocator_delete)


def _shapes(coordinates: Any, rows: Any, *others: Any) -> tuple[Any, Any, Any]:
    """Return empty results, which have the shapes and types of real ones."""
    one_each = rows.shape[:-1]
    return (
        rows.new_empty(rows.shape),
        rows.new_empty(one_each, dtype=torch.float64),
        rows.new_empty(one_each, dtype=torch.bool),
    )


_improve: Any = torch.library.custom_op(
    "gpu_ls_plugin::improve",
    _search,
    mutates_args=(),
    schema="(Tensor? coordinates, Tensor rows, Tensor? distances, Tensor? demands, "
    "Tensor? capacities, int? capacity, str? search, int? moves, int? kicks, float? seconds, "
    "int? seed, bool check) "
    "-> (Tensor, Tensor, Tensor)",
)
_improve.register_fake(_shapes)
