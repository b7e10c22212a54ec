"""Garbage in the shared memory of a GPU, so that a kernel that reads it before it writes fails."""

from __future__ import annotations

from functools import cache
from typing import Any

WORD = 0x7F7F7F7F  # as an index, far outside of any array; as a float, 3e38
THREADS = 1024
SOURCE = f"""
extern "C" __global__ void litter(int words) {{
  extern __shared__ volatile int shared[];
  for (int i = threadIdx.x; i < words; i += {THREADS}) shared[i] = {WORD};
}}
"""


def litter() -> None:
    """Fill the shared memory of all multiprocessors of the current GPU."""
    kernel, blocks, size = _kernel()
    kernel((blocks,), (THREADS,), (size // 4,), shared_mem=size)


@cache
def _kernel() -> tuple[Any, int, int]:
    import cupy

    attributes = cupy.cuda.Device().attributes
    kernel, size = cupy.RawKernel(SOURCE, "litter"), attributes["MaxSharedMemoryPerBlockOptin"]
    kernel.max_dynamic_shared_size_bytes = size
    return kernel, 2 * attributes["MultiProcessorCount"], size
