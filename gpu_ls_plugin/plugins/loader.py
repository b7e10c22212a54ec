"""Finds and loads plugins, and isolates their failures. The built-in parts also form a plugin.

Importing this module loads nothing. The first look-up of a part, or the first call of a hook, loads
the built-in plugin and then each entry point of the group `gpu_ls_plugin`. If a plugin fails, its
parts are removed and its record shows the error; the other plugins work.

Environment switches:

``GPU_LS_DISABLE_PLUGINS``
    Comma-separated names of plugins that are not loaded; ``all`` means all but the built-in one.
``GPU_LS_STRICT_PLUGINS``
    ``1`` raises `PluginError` for the first plugin that fails.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import os
import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pluggy

from gpu_ls_plugin.backends.composition import Kernel
from gpu_ls_plugin.core.exceptions import DuplicatePartError, InvalidTypeError, PluginError
from gpu_ls_plugin.core.registry import Part, Registry, registry
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.plugins import hookspecs
from gpu_ls_plugin.plugins.info import PluginInfo, describe, distribution_version, failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Statistics

BUILT_IN = "builtin"

_log = logging.getLogger(__name__)


def _installed() -> Iterable[importlib.metadata.EntryPoint]:
    return importlib.metadata.entry_points(group=hookspecs.PROJECT)


class Plugins:
    """The plugins of a registry, by default from the installed entry points."""

    def __init__(
        self,
        registry: Registry,
        entry_points: Callable[[], Iterable[importlib.metadata.EntryPoint]] = _installed,
    ) -> None:
        self.registry = registry
        self._entry_points = entry_points
        self._renew_lock()
        self._loading = self._loaded = False
        self._infos: list[PluginInfo] = []
        self._manager = _new_manager()

    def clear(self) -> None:
        """Remove all plugins and their parts; the next use loads them again."""
        for info in self._infos:
            self.registry.remove_owner(info.name)
        self._infos.clear()
        self.registry.failed.clear()
        self._manager = _new_manager()
        self._loaded = False

    def load_all(self) -> None:
        """Load the built-in plugin and all entry points, once; thread-safe."""
        if self._loaded:
            return
        with self._lock:
            if self._loading or self._loaded:  # a plugin that looks up parts also calls this
                return
            self._loading = True
            try:
                self._load()
                self._loaded = True
            except BaseException:
                self.clear()
                raise
            finally:
                self._loading = False

    def finish_before_forks(self) -> None:
        """Make forks of this process wait until no thread is loading plugins.

        A child has only the thread that forks: modules that another thread was importing would
        stay locked there.
        """
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=lambda: self._lock.acquire(),
                after_in_parent=lambda: self._lock.release(),
                after_in_child=self._renew_lock,
            )

    def infos(self) -> list[PluginInfo]:
        """Return the records of all plugins, the built-in one first."""
        self.load_all()
        return list(self._infos)

    def add(self, plugin: object, name: str) -> PluginInfo:
        """Register a plugin object that has no entry point; raise if it fails."""
        self.load_all()
        return self._enter(plugin, PluginInfo(name, module=getattr(plugin, "__name__", "")))

    def problem_from(self, obj: object) -> Problem:
        """Convert a framework's problem with the hook `gpu_ls_problem_from`."""
        self.load_all()
        problem: Problem | None = self._manager.hook.gpu_ls_problem_from(obj=obj)
        if problem is None:
            kind = f"{type(obj).__module__}.{type(obj).__qualname__}"
            raise InvalidTypeError(
                f"problem: no plugin turns {kind} into a problem; pass "
                "TSPProblem(gpu_ls_plugin.TSP(...)), pymoo's TravelingSalesman, or an object that "
                "the gpu_ls_problem_from of a plugin knows; outside pymoo pass a "
                f"gpu_ls_plugin.TSP, such as TSP.from_matrix(matrix). {OWN_OBJECTIVE}"
            )
        return problem

    def kernel_sources(self, failed: Callable[[str], object] = _log.warning) -> list[Kernel]:
        """Return the kernels that plugins add to the compile check.

        If a plugin fails or returns anything but kernels, the method calls `failed` with a message
        that names the plugin, and continues with the other plugins.
        """
        kernels: list[Kernel] = []
        self._call_each(
            "gpu_ls_kernel_sources", {}, lambda found: kernels.extend(_kernels(found)), failed
        )
        return kernels

    def search_finished(self, problem: Problem, search: object, statistics: Statistics) -> None:
        """Call the plugins that observe searches; log those that fail."""
        about = {"problem": problem, "search": search, "statistics": statistics}
        self._call_each("gpu_ls_search_finished", about, lambda found: None, _log.warning)

    def _call_each(
        self,
        name: str,
        arguments: dict[str, object],
        take: Callable[[object], object],
        failed: Callable[[str], object],
    ) -> None:
        """Call a hook of each plugin separately; pass results to `take` and errors to `failed`."""
        self.load_all()
        for implementation in getattr(self._manager.hook, name).get_hookimpls():
            hook = self._hook_of(name, implementation.plugin_name)
            try:
                take(next(iter(hook(**arguments)), None))
            except Exception as error:
                text = f"plugin {implementation.plugin_name!r}: {name}: {error!r}"
                if _strict():
                    raise PluginError(text) from error
                failed(text)

    def _renew_lock(self) -> None:
        self._lock = threading.RLock()

    def _load(self) -> None:
        builtin = importlib.import_module("gpu_ls_plugin.plugins.builtin")
        version = distribution_version("gpu-ls-plugin")
        self._enter(builtin, PluginInfo(BUILT_IN, "gpu-ls-plugin", version, builtin.__name__))
        disabled = _names(os.environ.get("GPU_LS_DISABLE_PLUGINS", ""))
        entries = sorted(self._entry_points(), key=lambda entry: entry.name)
        for entry in entries:
            self._load_entry(entry, skip=not disabled.isdisjoint({"all", entry.name}))
        for name in sorted(disabled - {"all"} - {entry.name for entry in entries}):
            text = "named by GPU_LS_DISABLE_PLUGINS, but no plugin of this name is installed"
            self._infos.append(PluginInfo(name, status="disabled", error=text))

    def _load_entry(self, entry: importlib.metadata.EntryPoint, *, skip: bool) -> None:
        info = describe(entry)
        if skip:
            self._infos.append(replace(info, status="disabled"))
            return
        try:
            self._require_free(info)
            self._enter(entry.load(), info)
        except (Exception, SystemExit) as error:
            info = failure(entry, info, error)
            if info.status == "error" and _strict():
                raise PluginError(f"plugin {info.name!r}: {info.error}") from error
            self._infos.append(info)
            if info.status == "error":
                self.registry.failed.append(info.name)

    def _require_free(self, info: PluginInfo) -> None:
        for other in self._infos:
            if other.name == info.name and other.status == "loaded":
                raise DuplicatePartError(
                    f"plugin name {info.name!r} is taken by {other.origin}; "
                    f"{info.origin} must choose another name"
                )

    def _enter(self, plugin: object, info: PluginInfo) -> PluginInfo:
        """Register a plugin and its parts; after an error, neither stays registered."""
        self._require_free(info)
        try:
            self._manager.register(plugin, info.name)
            self._manager.check_pending()
            if not self._manager.get_hookcallers(plugin):
                raise PluginError("no hook is implemented; mark functions with @hookimpl")
            register = self._register_for(info.name)
            self._hook_of("gpu_ls_register_parts", info.name)(register=register)
        except BaseException:
            self.registry.remove_owner(info.name)
            if self._manager.has_plugin(info.name):
                self._manager.unregister(name=info.name)
            raise
        own = (part for part in self.registry.parts() if part.owner == info.name)
        info = replace(info, parts=tuple(f"{part.kind}:{part.name}" for part in own))
        self._infos.append(info)
        return info

    def _register_for(self, owner: str) -> hookspecs.Register:
        def register(kind: str, name: str, factory: Callable[..., Any]) -> None:
            self.registry.register(Part(kind, name, factory, owner))

        return register

    def _hook_of(self, hook: str, name: str) -> pluggy.HookCaller:
        """Return a hook that calls only the implementation of one plugin."""
        others = [plugin for key, plugin in self._manager.list_name_plugin() if key != name]
        return self._manager.subset_hook_caller(hook, [other for other in others if other])


def _new_manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def _kernels(answer: object) -> list[Kernel]:
    """Return the kernels in the result of a hook; raise if it contains anything else."""
    kernels = []
    for kernel in answer if isinstance(answer, Iterable) else [answer]:
        if not isinstance(kernel, Kernel):
            raise InvalidTypeError(f"{answer!r:.200} is not a list of Kernel")
        kernels.append(kernel)
    return kernels


def _strict() -> bool:
    return os.environ.get("GPU_LS_STRICT_PLUGINS", "") not in ("", "0")


def _names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",") if name.strip()}


plugins = Plugins(registry)
"""The plugins of this process."""
plugins.finish_before_forks()

load_all = plugins.load_all
search_finished = plugins.search_finished
