"""Compiles the kernels of a search in advance, by calling the search with a limit of 0 moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem


def compile_search(
    search: Callable[..., Any], problem: Problem, tours: Any, backend: str | Backend
) -> None:
    """Compile the kernels that a search needs for a batch like `tours`.

    Parameters
    ----------
    search : callable
    problem : Problem
    tours : array, shape (P, n), integer
        Not changed.
    backend : {"auto", "cpu", "cuda"} or Backend

    Raises
    ------
    CompilationError, UnsupportedProblemError, BackendUnavailableError
        Raised by the search.
    KeyboardInterrupt
        Ctrl-C was pressed.
    """
    own = getattr(search, "compile_batch", None)
    if own is None:
        compile_batch(search, problem, tours, backend)
    else:
        own(problem, tours, get_backend(backend, tours=tours))


def compile_batch(
    search: Callable[..., Any],
    problem: Problem,
    tours: Any,
    backend: str | Backend,
    device: int | None = None,
) -> None:
    """Compile the kernels of the first launches of a search for a batch like `tours`."""
    place = {"backend": backend} | ({} if device is None else {"device": device})
    found = search(problem, tours, budget=Budget(moves=0), callback=lambda _: None, **place)
    if found.statistics.interrupted:  # the search has caught the exception
        raise KeyboardInterrupt
