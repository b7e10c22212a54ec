"""The machine of an experiment: processor, GPU, and versions of packages."""

from __future__ import annotations

import json
import os
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import compiler
from gpu_ls_plugin.backends.cpu import thread_count
from gpu_ls_plugin.core.exceptions import GpuLsError
from gpu_ls_plugin.plugins.info import distribution_version

PACKAGES = ("gpu-ls-plugin", "numpy", "scipy")


@cache
def machine(*packages: str) -> dict[str, str]:
    """Return the names of the hardware and the versions of packages, including `packages`."""
    found = {
        "processor": processor(),
        "processor model": _model(),
        "cores": str(_usable_cores()),
        "threads": str(thread_count()),
        "memory": _memory(),
        "gpu": gpu(),
        "compiler": _compiler(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }
    versions = {name: distribution_version(name) for name in (*PACKAGES, *packages)}
    facts = found | versions | {"commit of gpu-ls-plugin": _commit()}
    return {name: fact for name, fact in facts.items() if fact}


def processor() -> str:
    """Return the name of the processor."""
    return _cpu_facts().get("model name") or platform.processor() or platform.machine()


def _model() -> str:
    """Return the processor's family and model; a virtual machine may hide part of its name."""
    facts = _cpu_facts()
    if not {"cpu family", "model"} <= facts.keys():
        return ""
    return f"family {facts['cpu family']}, model {facts['model']}"


def _cpu_facts() -> dict[str, str]:
    """Return what Linux tells about the first processor; empty on other systems."""
    listing, facts = Path("/proc/cpuinfo"), dict[str, str]()
    for line in listing.read_text(encoding="utf-8").splitlines() if listing.exists() else []:
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    return facts


def gpu() -> str:
    """Return the name of the current GPU, or "none" if no GPU can be used."""
    if backends.available()["cuda"] is not None:
        return "none"
    cuda = backends.get_backend("cuda").xp.cuda
    name: str = cuda.runtime.getDeviceProperties(cuda.Device().id)["name"].decode()
    return name


def _compiler() -> str:
    """Return the compiler of CPU kernels and its flags; empty if there is none."""
    try:
        program = compiler.program_of("")
        name = compiler.version(program.compiler).partition("\n")[0]
    except GpuLsError:
        return ""
    return " ".join([name, *program.flags])


def _memory() -> str:
    """Return the size of the memory; empty if the system does not tell it."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return ""
    return f"{size / 2**30:.1f} GiB"


def _commit() -> str:
    """Return the commit if the package was installed from a repository; else an empty string."""
    try:
        text = metadata.distribution(PACKAGES[0]).read_text("direct_url.json") or "{}"
    except metadata.PackageNotFoundError:
        return ""
    return str(json.loads(text).get("vcs_info", {}).get("commit_id", ""))


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
