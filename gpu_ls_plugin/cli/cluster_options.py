"""Options of `gpu-ls solve` for searches on a cluster."""

from __future__ import annotations

import logging
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.files import check_writable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gpu_ls_plugin.distributed.islands import Islands

CLUSTERS = ("dask", "gpus", "workers")
OF_CLUSTERS = ("checkpoint", "topology", "every")
TOPOLOGIES = ("ring", "complete", "random")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options to `gpu-ls solve`."""
    group = command.add_argument_group(
        "many GPUs and machines", "a population on each worker; populations exchange rows"
    )
    add = group.add_argument
    add("--dask", metavar="ADDRESS", help="address of a Dask scheduler, tcp://host:8786")
    add("--gpus", type=_number_or_all, metavar="N", help="number of GPUs of this machine, or all")
    add("--workers", type=int, metavar="N", help="number of CPU processes on this machine")
    add("--every", type=float, metavar="SECONDS", help="seconds between two exchanges (default: 1)")
    add(
        "--topology", choices=TOPOLOGIES, help="islands that send rows to an island (default: ring)"
    )
    add(
        "--checkpoint",
        type=Path,
        metavar="FILE",
        help="keep the best rows here, and continue from the file if it exists",
    )


def asked_for(options: argparse.Namespace) -> bool:
    """Return whether a cluster is requested; without one, raise if options need a cluster."""
    if any(getattr(options, name) is not None for name in CLUSTERS):
        if options.dask is not None and (options.gpus, options.workers) != (None, None):
            raise InvalidParameterError(
                "dask: the workers of a running cluster cannot be chosen; remove gpus and workers"
            )
        return True
    for name in OF_CLUSTERS:
        if getattr(options, name) is not None:
            raise InvalidParameterError(
                f"{name}: for a cluster only; add --workers N, --gpus all or --dask ADDRESS"
            )
    return False


@contextmanager
def opened_islands(options: argparse.Namespace) -> Iterator[Islands]:
    """Yield islands on the requested cluster; a local cluster ends with the block."""
    from gpu_ls_plugin.distributed import Exchange, Islands, local_cluster
    from gpu_ls_plugin.distributed.cluster import require_dask

    require_dask()
    _quieten()
    if options.checkpoint is not None:
        check_writable(options.checkpoint)
    exchange = Exchange() if options.every is None else Exchange(every=options.every)
    cluster: Any = nullcontext(options.dask)
    if options.dask is None:
        cluster = local_cluster(options.workers, gpus=options.gpus)
    with cluster as client:
        yield Islands(None, client, exchange, options.topology or "ring", options.checkpoint)


def _quieten() -> None:
    """Silence Dask about lost workers and connections, because the search warns about them."""
    for name in ("", ".client", ".comm", ".core", ".nanny", ".scheduler", ".utils", ".worker"):
        logging.getLogger(f"distributed{name}").setLevel(logging.CRITICAL)


def _number_or_all(text: str) -> int | str:
    return text if text == "all" else int(text)
