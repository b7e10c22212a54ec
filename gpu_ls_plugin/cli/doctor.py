"""The checks of `gpu-ls doctor`: versions, compiler, GPU, caches, plugins; with remedies."""

from __future__ import annotations

import os
import platform
import re
import shlex
from dataclasses import asdict, dataclass
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import compiler, library_cache, ready_made
from gpu_ls_plugin.core.exceptions import GpuLsError
from gpu_ls_plugin.plugins.info import distribution_version
from gpu_ls_plugin.plugins.loader import plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

REQUIRED = ("numpy", "scipy", "pluggy", "vrplib", "rich")
OPTIONAL = {  # modules, with the extras that install them
    "cupy": "cuda13",
    "pymoo": "pymoo",
    "pygad": "pygad",
    "deap": "deap",
    "evotorch": "evotorch",
    "dask": "dask",
    "distributed": "dask",
    "matplotlib": "plot",
    "torch": "torch",
    "jax": "jax",
}
RELEASE = re.compile(r"\d+(?:\.\d+)*")
BOUND = re.compile(r"\s*(>=|<|==)\s*(\d+(?:\.\d+)*)(\.\*)?\s*")

Status = Literal["ok", "missing", "unsupported", "error"]


@dataclass(frozen=True)
class Finding:
    """One line of the report: the subject, its state, and a remedy if something is missing."""

    name: str
    status: Status
    detail: str = ""
    remedy: str = ""
    optional: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict for JSON."""
        return asdict(self)


def examine() -> list[Finding]:
    """Check everything that searches and adapters need, without changing anything."""
    reasons = backends.available()
    found = [*_packages(), _compiler(), _ready_made(), *_backends(reasons)]
    return [*found, _gpu(reasons["cuda"]), *_caches(), *_plugins()]


def can_search(findings: Iterable[Finding]) -> bool:
    """Return whether at least one backend can run here."""
    return any(found.name.startswith("backend ") and found.status == "ok" for found in findings)


def _packages() -> Iterator[Finding]:
    yield Finding("python", "ok", f"{platform.python_version()} on {platform.platform()}")
    yield Finding("gpu-ls-plugin", "ok", distribution_version("gpu-ls-plugin") or "not installed")
    holders = distributions_by_module()
    for name in REQUIRED:
        yield _package(name, holders.get(name, []), f"pip install {name}", optional=False)
    for name, extra in OPTIONAL.items():
        remedy = f'pip install "gpu-ls-plugin[{extra}]"' if extra else f"pip install {name}"
        yield _package(name, holders.get(name, []), remedy, optional=True)


@cache
def distributions_by_module() -> Mapping[str, list[str]]:
    """Return the distributions of each module; CuPy, for example, has several."""
    return metadata.packages_distributions()  # slow: reads the list of all installed files


def _package(module: str, names: list[str], remedy: str, *, optional: bool) -> Finding:
    """Return the finding about a module and the versions of its distributions."""
    found = [f"{name} {metadata.version(name)}" for name in dict.fromkeys(names)]
    wrong = [bounds for name in dict.fromkeys(names) if (bounds := _broken_bounds(name))]
    if wrong:
        detail = f"{', '.join(found)}, but {wrong[0]} is needed"
        return Finding(module, "unsupported", detail, remedy, optional)
    if found:
        return Finding(module, "ok", ", ".join(found), optional=optional)
    return Finding(module, "missing", "not installed", remedy, optional)


def _broken_bounds(name: str) -> str:
    """Return the bounds that the version of a distribution violates; empty if there are none."""
    own = metadata.version(name)
    for bounds in _needed().get(_normal(name), ()):
        if not all(map(partial(fits, own), bounds.split(","))):
            return bounds
    return ""


@cache
def _needed() -> Mapping[str, list[str]]:
    """Return the version bounds in this library's metadata, by distribution."""
    try:
        lines = metadata.requires("gpu-ls-plugin") or []
    except metadata.PackageNotFoundError:
        lines = []
    needed: dict[str, list[str]] = {}
    for line in lines:
        parts = re.fullmatch(r"([\w.-]+?)\s*((?:[<>=!~].*)?)", line.partition(";")[0].strip())
        if parts and parts[2]:
            needed.setdefault(_normal(parts[1]), []).append(parts[2])
    return needed


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def fits(version: str, bound: str) -> bool:
    """Return whether a version satisfies a bound; True if either cannot be parsed."""
    own, asked = RELEASE.match(version), BOUND.fullmatch(bound)
    if own is None or asked is None:
        return True
    mine, limit = (tuple(map(int, text.split("."))) for text in (own[0], asked[2]))
    match asked[1], asked[3]:
        case ">=", _:
            return mine >= limit
        case "<", _:
            return mine < limit
        case "==", ".*":
            return mine[: len(limit)] == limit
    return mine == limit


def _compiler() -> Finding:
    try:
        command = compiler.check_compiler()
        version = compiler.version(tuple(command))
    except GpuLsError as error:
        reason = str(error).removeprefix(compiler.PREFIX)
        optional = ready_made.serve_here()  # then only other kernels than the usual need it
        return Finding("C++ compiler", "missing", *_detail_and_remedy(reason), optional)
    first_line = version.partition("\n")[0]
    return Finding("C++ compiler", "ok", f"{shlex.join(command)}: {first_line}")


def _ready_made() -> Finding:
    count, levels = len(ready_made.shipped().digests), ready_made.levels()
    name, remedy = "ready-made kernels", "gpu-ls warm-up compiles the usual ones"
    if not count:
        return Finding(name, "missing", "none in this installation", remedy, optional=True)
    if ready_made.own_compiler():
        detail = f"{count}, not used while {' or '.join(ready_made.OWN_COMPILER)} is set"
    else:
        detail = f"{count}; level of this processor: {levels[0] if levels else 'too low'}"
    return Finding(name, "ok", detail, optional=True)


def _backends(reasons: Mapping[str, str | None]) -> Iterator[Finding]:
    for name, reason in reasons.items():
        status: Status = "missing" if reason else "ok"
        detail, remedy = _detail_and_remedy(reason or "usable")
        yield Finding(f"backend {name}", status, detail, remedy, optional=name != "cpu")


def _gpu(reason: str | None) -> Finding:
    if reason is not None:
        return Finding("GPU", "missing", *_detail_and_remedy(reason), optional=True)
    cuda = backends.get_backend("cuda").xp.cuda
    device = cuda.Device()
    properties = cuda.runtime.getDeviceProperties(device.id)
    driver = cuda.runtime.driverGetVersion()
    return Finding(
        "GPU",
        "ok",
        f"{properties['name'].decode()}, capability {int(device.compute_capability) / 10}, "
        f"{properties['totalGlobalMem'] / 2**30:.0f} GiB, driver for CUDA "
        f"{driver // 1000}.{driver % 1000 // 10}",
        optional=True,
    )


def _plugins() -> Iterator[Finding]:
    """Yield a finding for each plugin that failed to load."""
    for info in plugins.infos():
        if info.status == "error":
            text = f"failed to load: {info.error}"
            yield Finding(f"plugin {info.name}", "error", text, "see gpu-ls plugins", optional=True)


def _detail_and_remedy(message: str) -> tuple[str, str]:
    detail, semicolon, remedy = message.rpartition("; ")
    return (detail, remedy) if semicolon else (message, "")


def _caches() -> Iterator[Finding]:
    yield _cache("cache of CPU programs", _cpu_programs, "GPU_LS_CACHE_DIR")
    yield _cache("cache of CUDA programs", cuda_programs, "CUPY_CACHE_DIR")


def _cpu_programs() -> Path:
    folder = library_cache.cache_folder()
    if folder.exists():
        library_cache.require_own(folder)
    return folder


def cuda_programs() -> Path:
    """Return the folder in which CuPy keeps compiled kernels."""
    if own := os.environ.get("CUPY_CACHE_DIR"):
        return Path(own)
    return library_cache.home_folder() / ".cupy" / "kernel_cache"


def _is_there(path: Path) -> bool:
    """Return whether a path exists; raise OSError for an impossible path."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _cache(name: str, find: Callable[[], Path], variable: str) -> Finding:
    """Return the finding whether a cache folder can be written or created."""
    try:
        folder = find()
        folder_is_there = _is_there(folder)
        place = folder if folder_is_there else next(filter(_is_there, folder.parents), folder)
        if place.is_dir() and os.access(place, os.W_OK):
            state = "" if folder_is_there else " (not created yet)"
            return Finding(name, "ok", f"{folder}{state}")
        reason = f"{folder} cannot be written"
    except OSError as error:  # an impossible path, or no home folder
        reason = str(error)
    remedy = f"set {variable} to a folder that you can write to and others cannot"
    return Finding(name, "missing", reason, remedy)
