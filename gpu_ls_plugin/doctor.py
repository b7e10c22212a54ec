"""What `gpu-ls doctor` finds: versions, compiler, GPU, caches, and how to get what is missing."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import cpu
from gpu_ls_plugin.plugin_info import distribution_version

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRED = ("numpy", "scipy", "pluggy", "vrplib", "rich")
OPTIONAL = {"cupy": "cuda13", "pymoo": "pymoo", "matplotlib": "plot"}


@dataclass(frozen=True)
class Finding:
    """One line of the report: what was looked for, what was found, what to do if it was not."""

    name: str
    status: Literal["ok", "missing"]
    detail: str = ""
    remedy: str = ""
    optional: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dictionary, ready for JSON."""
        return asdict(self)


def examine() -> list[Finding]:
    """Look at everything that searches and adapters need; nothing is compiled or changed."""
    return [*_packages(), _compiler(), *_backends(), _gpu(), *_caches()]


def can_search() -> bool:
    """Whether at least one backend can run here."""
    return None in backends.available().values()


def _packages() -> Iterator[Finding]:
    yield Finding("python", "ok", f"{platform.python_version()} on {platform.platform()}")
    yield Finding("gpu-ls-plugin", "ok", distribution_version("gpu-ls-plugin") or "not installed")
    for name in REQUIRED:
        yield _package(name, f"pip install {name}", optional=False)
    for name, extra in OPTIONAL.items():
        yield _package(name, f'pip install "gpu-ls-plugin[{extra}]"', optional=True)


def _package(module: str, remedy: str, *, optional: bool) -> Finding:
    """The version of the distribution that holds a module; wheels of CuPy have many names."""
    names = metadata.packages_distributions().get(module, [])
    found = [f"{name} {metadata.version(name)}" for name in dict.fromkeys(names)]
    if found:
        return Finding(module, "ok", ", ".join(found), optional=optional)
    return Finding(module, "missing", "not installed", remedy, optional)


def _compiler() -> Finding:
    command = cpu.find_compiler()
    if command is None:
        return Finding("C++ compiler", "missing", cpu.unavailable_reason() or "", cpu.REMEDY)
    name = shlex.join(command)
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return Finding("C++ compiler", "missing", f"{name} does not run: {error}", cpu.REMEDY)
    return Finding("C++ compiler", "ok", f"{name}: {done.stdout.partition(chr(10))[0]}")


def _backends() -> Iterator[Finding]:
    for name, reason in backends.available().items():
        detail, _, remedy = (reason or "usable").partition("; ")
        optional = name != "cpu"
        yield Finding(f"backend {name}", "missing" if reason else "ok", detail, remedy, optional)


def _gpu() -> Finding:
    reason = backends.available()["cuda"]
    if reason is not None:
        detail, _, remedy = reason.partition("; ")
        return Finding("GPU", "missing", detail, remedy, optional=True)
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


def _caches() -> Iterator[Finding]:
    cupy = os.environ.get("CUPY_CACHE_DIR") or Path.home() / ".cupy" / "kernel_cache"
    yield _cache("cache of CPU programs", cpu.cache_folder(), "GPU_LS_CACHE_DIR")
    yield _cache("cache of CUDA programs", Path(cupy), "CUPY_CACHE_DIR")


def _cache(name: str, folder: Path, variable: str) -> Finding:
    """Whether a cache folder can be written, or be made in the nearest folder that exists."""
    place = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    if place.is_dir() and os.access(place, os.W_OK):
        state = "" if folder.exists() else " (not made yet)"
        return Finding(name, "ok", f"{folder}{state}")
    remedy = f"point {variable} to a folder that can be written"
    return Finding(name, "missing", f"{folder} cannot be written", remedy)
