"""Constants of launches that all engines share."""

from __future__ import annotations

# Maximum size of a block's dynamic shared memory in bytes, by compute capability times ten.
SHARED_MEMORY = {
    75: 64 << 10,
    80: 163 << 10,
    86: 99 << 10,
    90: 227 << 10,
    100: 227 << 10,
    120: 99 << 10,
}
PORTABLE_CLUSTER = 8  # number of blocks of a cluster that each device with clusters supports
CLUSTER_CAPABILITY = 90  # minimum compute capability of devices whose blocks form clusters
LAUNCH_SECONDS = 0.05  # intended duration of a launch; searches check limits between launches
LARGEST_SHORT = 1 << 16  # maximum number of cities whose numbers fit into 16 bits
ONE_THREAD = {"cpu": "gls::Host", "cuda": "gls::Thread<128>"}  # teams of one thread, by backend
# With this many rows, the device adds up what the host would, and small teams share out the rows.
# Fewer rows use the kernels that are compiled anyway.
MANY_ROWS = 1 << 16
FEW_CITIES = 32  # of a row for one thread
MANY_CITIES = 100_000  # of a row for a block, if its length is a whole number
BLOCK_OVERHEAD = 1 << 10  # bytes of shared memory that CUDA reserves per block


def largest_cluster(capability: int) -> int:
    """Return how many blocks form a cluster, at most, on devices of a compute capability."""
    return PORTABLE_CLUSTER if capability >= CLUSTER_CAPABILITY else 1


def padded(count: int, to: int = 16) -> int:
    """Return a number of bytes or lanes, rounded up to a multiple of `to`."""
    return -(-count // to) * to
