"""`gpu_ls_plugin.improve` for JAX: through DLPack, or as a callback of compiled code."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable


class Improved(NamedTuple):
    """Improved rows, their costs, and which rows were valid.

    Attributes
    ----------
    rows : jax.Array
        The shape and type of the given rows.
    costs : jax.Array
        One cost for each row: float64, or float32 unless JAX's ``jax_enable_x64`` is set.
    valid : jax.Array of bool
        False for each row that is not a solution. Such rows are returned unchanged.
    """

    rows: jax.Array
    costs: jax.Array
    valid: jax.Array


def improve(
    coordinates: jax.Array | None,
    rows: jax.Array,
    *,
    distances: jax.Array | None = None,
    demands: jax.Array | None = None,
    capacity: int | jax.Array | None = None,
    search: Callable[..., Any] | str | None = None,
    moves: int | None = None,
    kicks: int | None = None,
    seconds: float | None = None,
    seed: int | None = 1,
    check: bool = False,
) -> Improved:
    """Improve rows of many instances by local search; `jax.jit` and `jax.vmap` can trace it.

    Concrete arrays stay on their device (DLPack). In traced code, `jax.pure_callback` calls the
    search: compiled code waits for it, and on a GPU it copies the arrays to the host and back. A
    search has no gradient; apply `jax.lax.stop_gradient` to arguments of a function that is
    differentiated.

    Parameters
    ----------
    coordinates, rows, distances, demands, capacity, search, moves, kicks, seconds, seed, check
        As in `gpu_ls_plugin.improve`; `vmap` searches its instances in one call.

    Returns
    -------
    Improved

    Raises
    ------
    InvalidParameterError
        `rows` are not integers.
    """
    if not jnp.issubdtype(jnp.result_type(rows), jnp.integer):
        raise InvalidParameterError(f"rows: {jnp.result_type(rows)} is not an integer type")
    given = {"coordinates": coordinates, "distances": distances, "demands": demands}
    if getattr(capacity, "ndim", 0):  # one for each instance
        given["capacity"], capacity = capacity, None
    arrays = {"rows": rows, **{name: some for name, some in given.items() if some is not None}}
    options: dict[str, Any] = {"search": search, "moves": moves, "kicks": kicks}
    options |= {"seconds": seconds, "seed": seed, "check": check}
    if "capacity" not in arrays:
        options["capacity"] = capacity
    if any(isinstance(some, jax.core.Tracer) for some in arrays.values()):
        return _traced(arrays, options)
    return Improved(*_cast(_search(arrays, options)))


def _traced(arrays: dict[str, Any], options: dict[str, Any]) -> Improved:
    """Return the results of a callback, which runs when compiled code does."""
    shape, kind = jnp.shape(arrays["rows"]), jnp.result_type(arrays["rows"])
    shapes = (
        jax.ShapeDtypeStruct(shape, kind),
        jax.ShapeDtypeStruct(shape[:-1], _costs()),
        jax.ShapeDtypeStruct(shape[:-1], jnp.bool_),
    )
    constants = {name: jax.lax.stop_gradient(some) for name, some in arrays.items()}
    called = partial(_on_host, options)
    return Improved(*jax.pure_callback(called, shapes, constants, vmap_method="broadcast_all"))


def _on_host(options: dict[str, Any], arrays: dict[str, Any]) -> tuple[Any, ...]:
    """Search arrays of the host; further axes in front are more instances."""
    host = {name: np.asarray(some) for name, some in arrays.items()}
    rows = host["rows"]
    axes = _instance_axes(host)
    host = {name: some.reshape(-1, *some.shape[axes:]) for name, some in host.items()}
    found = _search(host, options)
    kinds = (rows.dtype, _costs(), np.bool_)
    shapes = (rows.shape, rows.shape[:-1], rows.shape[:-1])
    return tuple(
        np.asarray(made, kind).reshape(shape)
        for made, kind, shape in zip(found, kinds, shapes, strict=True)
    )


def _instance_axes(arrays: dict[str, Any]) -> int:
    """Return how many axes of the arrays count instances: one, and one for each `vmap`."""
    own = {"coordinates": 2, "distances": 2, "demands": 1}  # axes of one instance
    name = next(name for name in own if name in arrays)
    return int(arrays[name].ndim - own[name])


def _search(arrays: dict[str, Any], options: dict[str, Any]) -> tuple[Any, Any, Any]:
    engine: Any = gls  # its arrays are of any library, so they have no types
    others = {name: some for name, some in arrays.items() if name not in ("coordinates", "rows")}
    found = engine.improve(arrays.get("coordinates"), arrays["rows"], **others, **options)
    return found.rows, found.costs, found.valid


def _costs() -> Any:
    """Return the type of costs: float64, if JAX has it."""
    return jax.dtypes.canonicalize_dtype(np.float64)


def _cast(found: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Return the results with costs of the same type as in compiled code."""
    rows, costs, valid = found
    return jnp.asarray(rows), jnp.asarray(costs, _costs()), jnp.asarray(valid)
