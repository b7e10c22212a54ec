"""What Dask calls when a worker of a local cluster begins."""

from __future__ import annotations

import signal


def dask_setup(worker: object) -> None:
    """Leave Ctrl-C to whoever started the cluster: a terminal sends it to all processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
