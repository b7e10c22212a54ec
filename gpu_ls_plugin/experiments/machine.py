"""The machine of an experiment: processor, GPU, and versions of packages."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

from gpu_ls_plugin import backends
from gpu_ls_plugin.plugins.info import distribution_version

PACKAGES = ("gpu-ls-plugin", "numpy", "scipy")


@cache
def machine(*packages: str) -> dict[str, str]:
    """Return the names of the hardware and the versions of packages, including `packages`."""
    found = {
        "processor": processor(),
        "cores": str(_usable_cores()),
        "gpu": gpu(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }
    versions = {name: distribution_version(name) for name in (*PACKAGES, *packages)}
    return found | {name: version for name, version in versions.items() if version}


def processor() -> str:
    """Return the name of the processor."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def gpu() -> str:
    """Return the name of the current GPU, or "none" if no GPU can be used."""
    if backends.available()["cuda"] is not None:
        return "none"
    cuda = backends.get_backend("cuda").xp.cuda
    name: str = cuda.runtime.getDeviceProperties(cuda.Device().id)["name"].decode()
    return name


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
