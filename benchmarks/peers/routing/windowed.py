"""Random instances with time windows, by rules like those of Solomon (1987) for any size."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SERVICE = 10
SHARES = (1.0, 0.5)  # of customers that have a window
# Customers that fill a vehicle, the horizon and the mean width of windows, in tenths of the grid's
# side: short routes, as of classes R1 and RC1, and long ones, as of R2 and RC2.
KINDS = {"short": (10.0, 23.0, 3.0), "long": (50.0, 100.0, 20.0)}
SIDE = 1_000


def windowed(customers: int, kind: str, positioning: str, share: float, seed: int) -> gls.VRP:
    """Return an instance: middles of windows are uniform, widths are normal."""
    size, horizon, width = KINDS[kind]
    base = gls.CVRP.generated(
        customers, depot="central", positioning=positioning, route_size=size, seed=seed
    )
    rng = np.random.default_rng(seed)
    places = base.nodes.coordinates
    assert places is not None
    away = np.hypot(*(places - places[0]).T)
    end = horizon * SIDE / 10
    first, last = np.ceil(away), np.floor(end - away - SERVICE)
    middle = rng.uniform(first, last)
    half = rng.normal(width, width / 4, customers + 1).clip(0.1) * SIDE / 20
    free = rng.random(customers + 1) >= share
    early = np.where(free, 0, (middle - half).clip(first, last).round())
    late = np.where(free, last, (middle + half).clip(first, last).round())
    windows = np.stack([early, late], axis=1).astype(int)
    windows[0] = 0, int(end)
    services = np.where(np.arange(customers + 1) == 0, 0, SERVICE)
    return gls.VRP(
        places,
        base.demands[: customers + 1],
        base.capacity,
        windows=windows,
        service_times=services,
        metric="EUC_2D",
        name=f"{kind}-{positioning}-{customers}",
    )


def files(folder: Path, sizes: Iterable[int]) -> list[Path]:
    """Write instances of each kind and size; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for seed, (customers, kind, positioning) in enumerate(
        product(sizes, KINDS, ("random", "random_clustered")), start=1
    ):
        problem = windowed(customers, kind, positioning, SHARES[seed % 2], seed)
        path = folder / f"{problem.name}.vrp"
        problem.write(path)
        found.append(path)
    return found
