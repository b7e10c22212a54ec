"""Records of plugins and their status, which `gpu-ls plugins` shows."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, PackageNotFoundError, version
from typing import Literal

from gpu_ls_plugin.core.exceptions import MissingExtraError

Status = Literal["loaded", "disabled", "extra not installed", "error"]


@dataclass(frozen=True)
class PluginInfo:
    """A plugin: its origin, its status, and the error if it failed."""

    name: str
    distribution: str = ""
    version: str = ""
    module: str = ""
    status: Status = "loaded"
    error: str = ""  # the failure and the remedy
    parts: tuple[str, ...] = ()  # registered parts, as ``kind:name``

    @property
    def origin(self) -> str:
        """The distribution, or the module if there is no distribution."""
        return self.distribution or self.module or "an object in memory"


def distribution_version(distribution: str) -> str:
    """Return the version of a distribution, empty if it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def describe(entry: EntryPoint) -> PluginInfo:
    """Return the record of an entry point, without importing its module."""
    if entry.dist is None:
        return PluginInfo(entry.name, module=entry.module)
    return PluginInfo(entry.name, entry.dist.name, entry.dist.version, entry.module)


def failure(entry: EntryPoint, info: PluginInfo, error: BaseException) -> PluginInfo:
    """Return the record of a plugin that raised `error` while it was loaded.

    A missing framework is not an error if an extra of the plugin's distribution installs it. Any
    other missing module is an error.
    """
    extra = _missing_extra(entry, error)
    if extra:
        remedy = f'pip install "{info.distribution}[{extra}]"'
        return replace(info, status="extra not installed", error=remedy)
    if isinstance(error, MissingExtraError):
        return replace(info, status="extra not installed", error=str(error))
    return replace(info, status="error", error=f"{type(error).__name__}: {error}")


def _missing_extra(entry: EntryPoint, error: BaseException) -> str:
    """Return the extra that installs the missing top-level module, empty if there is none."""
    if not isinstance(error, ModuleNotFoundError) or not error.name or entry.dist is None:
        return ""
    missing = _normalised(error.name)
    for requirement in entry.dist.requires or ():
        package = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"\bextra\s*==\s*['\"]([\w.-]+)['\"]", requirement)
        if package and extra and _normalised(package[0]) == missing:
            return extra[1]
    return next((name for name in entry.extras if _normalised(name) == missing), "")


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
