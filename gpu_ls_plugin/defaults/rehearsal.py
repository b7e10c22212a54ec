"""Rehearsals: calls for a GPU without one, which note the kernels that they launch."""

from __future__ import annotations

import math
import re
from contextlib import nullcontext
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import Backend
from gpu_ls_plugin.backends.tuning import SHARED_MEMORY, largest_cluster

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.backends.structs import Packed

MULTIPROCESSORS = 32  # as few as the smallest GPUs have; sizes of populations grow with them
MEMORY = 8 << 30  # bytes
MOST_SECONDS = 0.05  # of a launch of a search: a host is slower than a GPU
# Parts of a kernel's type on a GPU, and what replaces them on the host.
TEAMS = re.compile(r"gls::(Block|Warp|Thread)<\d+>")
MEMORIES = (
    (re.compile(r"gls::SharedMemory<(true|false)>"), "gls::HostMemory<gls::uint16>"),
    (re.compile(r"gls::GlobalMemory"), "gls::HostMemory<int>"),
)
# The host has no memory for what is in these.
WITHOUT_TWIN = re.compile("gls::(BlockMemory|SequenceShared)")


class HostArrays(ModuleType):
    """NumPy, with the few functions that only CuPy has."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def asnumpy(array: Any) -> Any:
        """Return the array."""
        return array


class Rehearsal(Backend):
    """A backend that composes kernels as for a GPU, notes them, and runs their twins on the host.

    A twin is the same kernel for one thread of a CPU: its arguments are the same.

    Parameters
    ----------
    architecture : int
        A key of `SHARED_MEMORY`.

    Attributes
    ----------
    kernels : dict
        The kernels, in the order of their first launches.
    """

    name = "cuda"

    def __init__(self, architecture: int) -> None:
        super().__init__()
        self.xp = HostArrays("host_arrays")
        self.device = 0
        self.kernels: dict[Kernel, None] = {}
        self._shared_memory = SHARED_MEMORY[architecture]
        self._largest_cluster = largest_cluster(architecture)

    def lane(self, number: int, processors: int) -> AbstractContextManager[None]:
        """Change nothing: there is one queue."""
        return nullcontext()

    @property
    def processors(self) -> int:
        return MULTIPROCESSORS

    @property
    def shared_memory(self) -> int:
        return self._shared_memory

    @property
    def largest_cluster(self) -> int:
        return self._largest_cluster

    def block(self, threads: int) -> str:
        return f"gls::Block<{threads}>"

    def warp(self, count: int = 4) -> str:
        return f"gls::Warp<{count}>"

    def available_memory(self) -> int:
        """Return a number of bytes that every GPU has."""
        return MEMORY

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def begin(self, kernel: Kernel) -> None:
        """Note a kernel that would be compiled beside a search."""
        self.kernels[kernel] = None

    def launch(
        self,
        kernel: Kernel,
        count: int,
        arguments: Mapping[str, Any] | Packed,
        *,
        shared_bytes: int = 0,
        seconds: float = math.inf,
    ) -> bool:
        """Note a kernel and run its twin: a search for a moment, all others to their end, as a GPU.

        A search may stop anywhere, but half a candidate list has numbers that are no cities.
        """
        self.kernels[kernel] = None
        if not WITHOUT_TWIN.search(kernel.body):
            limit = min(seconds, MOST_SECONDS) if _searches(kernel) else math.inf
            get_backend("cpu").launch(twin_of(kernel), count, arguments, seconds=limit)
        return True


def _searches(kernel: Kernel) -> bool:
    return any(pattern.search(kernel.body) for pattern, _ in MEMORIES) and kernel.name.endswith(
        ("descent", "chain")
    )


def twin_of(kernel: Kernel) -> Kernel:
    """Return a kernel of a GPU, composed for one thread of the host."""
    body = TEAMS.sub("gls::Host", kernel.body)
    for pattern, memory in MEMORIES:
        body = pattern.sub(memory, body)
    return replace(kernel, team="gls::Host", body=body, prepared=False, blocks_per_multiprocessor=1)
