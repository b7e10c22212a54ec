"""The hooks of plugins, all of them optional.

A plugin is a module or object that an entry point of the group `gpu_ls_plugin` names. It marks its
functions with `hookimpl`, and may omit arguments that it does not need. Hooks exchange factories
and source text, but no objects on a device, so that plugins can be loaded without a GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Statistics

PROJECT = "gpu_ls_plugin"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Register(Protocol):
    """A function that registers a part of the plugin that is being loaded."""

    def __call__(self, kind: str, name: str, factory: Callable[..., Any]) -> None:
        """Register `factory` under a kind and a name."""


@hookspec
def gpu_ls_register_parts(register: Register) -> None:
    """Register parts (metrics, neighbourhoods, perturbations, ...) by kind and name.

    The library calls this hook once, when it loads the plugins; that is, when a part is first
    looked up by name.

    Parameters
    ----------
    register : callable
        ``register(kind, name, factory)``. The kind is one of `gpu_ls_plugin.core.registry.KINDS`.
        The factory of a construction is the function itself; any other factory returns the part.

    Raises
    ------
    DuplicatePartError
        Raised by `register`: another plugin has registered the name. No part of this plugin stays
        registered.
    InvalidParameterError, InvalidTypeError
        Raised by `register`: the kind is unknown, the name is not a string, or the factory is not
        callable. No part of this plugin stays registered.
    """


@hookspec(firstresult=True)
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Convert a framework's problem into one of this library.

    The plugin that was registered last is called first. The first result that is not None is used.

    Parameters
    ----------
    obj : object
        Argument of an adapter, for example pymoo's ``TravelingSalesman``; not changed.

    Returns
    -------
    Problem or None
        None if the plugin does not know the type of the object.
    """


@hookspec
def gpu_ls_kernel_sources() -> list[Kernel]:  # type: ignore[empty-body]
    """Return kernels that ``gpu-ls compile-check`` compiles in addition to the built-in ones.

    Only the compile check calls this hook; it needs no GPU. The check fails if a kernel does not
    compile or spills registers, or if this hook raises or returns anything but kernels; the message
    names the plugin. `gpu_ls_plugin.plugins.instantiations.metric_kernels` composes all kernels of
    a metric.

    Returns
    -------
    list of Kernel
        Composed for CUDA.
    """


@hookspec
def gpu_ls_search_finished(problem: Problem, search: object, statistics: Statistics) -> None:
    """Observe the end of a search; the library calls this hook once for each batch.

    An exception in a plugin is logged as a warning. With ``GPU_LS_STRICT_PLUGINS=1``, it is raised
    as a `PluginError`.

    Parameters
    ----------
    problem : Problem
        The problem that was searched.
    search : object
        The search with its parts, for example a `LocalSearch`.
    statistics : Statistics
        Counts and times of the whole batch; must not be changed.
    """
