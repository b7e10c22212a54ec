"""Small random problems of each metric, with many equal lengths."""

from __future__ import annotations

import numpy as np

from gpu_ls_plugin.tours.problem.tsp import TSP

PLANAR = ("EUC_2D", "CEIL_2D", "ATT", "MAN_2D", "MAX_2D", "EUC")
COORDINATE = (*PLANAR, "GEO")
METRICS = (*COORDINATE, "EXPLICIT", "EXPLICIT_REAL")
INTEGER = tuple(name for name in METRICS if name not in ("EUC", "EXPLICIT_REAL"))


def random_problem(metric: str, n: int, seed: int = 0, span: int = 60) -> TSP:
    """Return random integer points in a square, or a random symmetric matrix."""
    random = np.random.default_rng([seed, n])
    if not metric.startswith("EXPLICIT"):
        side = min(span, 85) if metric in ("GEO", "HAVERSINE") else span  # degrees
        return TSP(random.integers(0, side, (n, 2)), metric, name=f"{metric}-{n}")
    half = random.integers(1, span, (n, n)).astype("i8" if metric == "EXPLICIT" else "f8")
    if metric == "EXPLICIT_REAL":
        half += random.random((n, n))
    return TSP.from_matrix(half + half.T, name=f"{metric}-{n}")


def random_tours(n: int, size: int, seed: int = 0) -> np.ndarray:
    """Return random permutations, without the library."""
    rows = np.tile(np.arange(n, dtype=np.int32), (size, 1))
    return np.random.default_rng([seed, n]).permuted(rows, axis=1)


def off_the_grid(n: int) -> list[np.ndarray]:
    """Return batches of n cities: far away, with fractions, and with two cities at each place."""
    random = np.random.default_rng(5)
    return [
        random.random((n, 2)) * 50 + 1e7,
        random.integers(0, 40, (n, 2)) / 2 + 0.25,
        np.repeat(random.integers(0, 9, (n // 2, 2)), 2, axis=0),
    ]


def next_to_a_kilometre() -> list[tuple[float, float]]:
    """Return cities on one meridian, at about whole kilometres from (0, 0).

    Degrees are not precise enough: lengths differ from integers by a few units in the last place.
    """
    kilometres = np.arange(1, 10_000, 7)
    degrees = 180.0 / 3.141592 * kilometres / 6378.388
    whole = np.trunc(degrees)
    return [(float(d), 0.0) for d in whole + 0.6 * (degrees - whole)]
