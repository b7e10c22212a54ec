"""The hooks that a plugin may implement; every one is optional.

A plugin is a module (or object) named by an entry point of the group `gpu_ls_plugin`. It marks
its functions with `hookimpl` and may leave out arguments that it does not need. Hooks hand over
factories and source text, never live device objects, so that a plugin can be loaded on a machine
without a GPU.
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
    """Callable that enters one part; the plugin's name is added as its owner."""

    def __call__(self, kind: str, name: str, factory: Callable[..., Any]) -> None:
        """Enter `factory` as the part `name` of this kind."""


@hookspec
def gpu_ls_register_parts(register: Register) -> None:
    """Enter parts (metrics, neighbourhoods, perturbations, ...) by kind and name.

    Called once, when the plugins are loaded: at the first look-up of a part by name.

    Parameters
    ----------
    register : callable
        ``register(kind, name, factory)``, with a kind out of
        `gpu_ls_plugin.core.registry.KINDS`. The factory of a construction is the function
        itself; of any other part it returns the part.

    Raises
    ------
    DuplicatePartError
        From `register`: another plugin has the name. The whole plugin is rolled back.
    InvalidParameterError, InvalidTypeError
        From `register`: there is no such kind, the name is not a string, or the factory cannot be
        called. The whole plugin is rolled back.
    """


@hookspec(firstresult=True)
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Turn a framework's problem into one of ours.

    The plugin that was registered last is asked first; the first answer that is not None counts.

    Parameters
    ----------
    obj : object
        Whatever a user handed to an adapter, for example pymoo's ``TravelingSalesman``. It must
        not be changed.

    Returns
    -------
    Problem or None
        None if the object is of no type that the plugin knows.
    """


@hookspec
def gpu_ls_kernel_sources() -> list[Kernel]:  # type: ignore[empty-body]
    """List composed kernels that ``gpu-ls compile-check`` compiles besides the built-in ones.

    Called by the compile check only, which needs no GPU; a spill or an error fails it, as does an
    exception here or anything but a list of kernels, which is reported by the plugin's name. For a
    metric, `gpu_ls_plugin.plugins.instantiations.metric_kernels` composes all of them.

    Returns
    -------
    list of Kernel
        Composed for CUDA.
    """


@hookspec
def gpu_ls_search_finished(problem: Problem, search: object, statistics: Statistics) -> None:
    """Observe the end of a search: called once for a batch, never for a move.

    An exception in a plugin is logged as a warning and does not lose the result (with
    ``GPU_LS_STRICT_PLUGINS=1`` it is raised as `PluginError`).

    Parameters
    ----------
    problem : Problem
        The problem that was searched.
    search : object
        The search with its parts, for example a `LocalSearch`.
    statistics : Statistics
        Counts and times of the whole batch; read only.
    """
