"""The tables of paper 002 (Delevacq, Delisle and Krajecki 2012), and the searches beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_ls_plugin import IteratedLocalSearch, LocalSearch

CHAINS = (1, 8, 64, 512, 2048)  # the paper's nbsol
KICKS = 2**20  # of table 1, of all chains together
# Of table 3: the kicks of all chains together, and the number k of random neighbours.
RANDOM_K = {
    "kroA100": (1_120_000, 5_500),
    "lin318": (1_120_000, 11_000),
    "rat783": (560_000, 10_000),
    "fl1577": (2_240_000, 1_200),
    "pcb3038": (2_240_000, 1_000),
}
INSTANCES = tuple(RANDOM_K)
# Mean deviation of the best solution in percent, and frequency of the optimum, by `CHAINS`.
TABLE_1 = {
    "kroA100": ((0.0,) * 5, (1.0,) * 5),
    "lin318": ((0.0,) * 5, (1.0,) * 5),
    "rat783": ((0.0, 0.0, 0.0, 0.020, 0.145), (1.0, 1.0, 1.0, 0.23, 0.0)),
    "fl1577": ((0.182, 0.010, 0.003, 0.015, 0.074), (0.33, 0.39, 0.67, 0.10, 0.0)),
    "pcb3038": ((0.210, 0.192, 0.306, 0.667, 1.104), (0.0,) * 5),
}
TABLE_3 = {
    "kroA100": ((0.0,) * 5, (1.0,) * 5),
    "lin318": ((0.482, 0.483, 0.633, 0.875, 0.886), (0.0,) * 5),
    "rat783": ((1.224, 1.582, 2.740, 3.496, 3.518), (0.0,) * 5),
    "fl1577": ((1.034, 1.703, 1.831, 1.776, 1.741), (0.0,) * 5),
    "pcb3038": ((4.636, 4.940, 5.162, 5.104, 4.970), (0.0,) * 5),
}
# Times one core: a thread (T) and a block (BG: global, BS: shared memory) per solution, and
# several blocks per solution with random-k-best improvement (RKBI).
SPEEDUPS = {
    "kroA100": {
        "T": (0.01, 0.06, 0.34, 0.93, 2.02),
        "BG": (0.08, 0.45, 2.83, 6.40, 7.07),
        "BS": (0.08, 0.50, 3.13, 7.01, 7.83),
        "RKBI": (25.06, 37.21, 45.29, 42.12, 42.32),
    },
    "lin318": {
        "T": (0.01, 0.06, 0.35, 0.84, 1.72),
        "BG": (0.09, 0.51, 3.23, 6.92, 7.77),
        "BS": (0.10, 0.57, 3.54, 7.61, 8.51),
        "RKBI": (27.55, 38.35, 45.40, 43.21, 43.58),
    },
    "rat783": {
        "T": (0.01, 0.06, 0.34, 0.80, 1.49),
        "BG": (0.07, 0.43, 2.69, 5.77, 6.37),
        "BS": (0.08, 0.49, 2.18, 3.13, 3.27),
        "RKBI": (14.76, 16.74, 17.02, 16.24, 16.74),
    },
    "fl1577": {
        "T": (0.01, 0.05, 0.23, 0.54, 0.79),
        "BG": (0.07, 0.33, 1.73, 4.59, 5.20),
        "BS": (0.08, 0.40, 0.97, 1.14, 1.13),
        "RKBI": (30.40, 29.47, 29.52, 28.02, 28.85),
    },
    "pcb3038": {
        "T": (0.01, 0.06, 0.39, 0.76, 1.27),
        "BG": (0.08, 0.46, 2.91, 5.20, 5.60),
        "RKBI": (31.23, 31.20, 31.70, 30.31, 33.59),
    },
}
# Table 2: blocks per solution.
BLOCKS = {
    "kroA100": (120, 70, 30, 5, 2),
    "lin318": (110, 60, 30, 5, 2),
    "rat783": (80, 100, 60, 10, 5),
    "fl1577": (140, 90, 60, 15, 15),
    "pcb3038": (120, 100, 90, 20, 20),
}
MANY_KICKS = 10.0  # per chain and city; from here on, `deep` anneals


def first_40() -> LocalSearch:
    """Return the paper's first improvement: 3-opt on 40 nearest neighbours."""
    import gpu_ls_plugin as gls

    return gls.LocalSearch([gls.ThreeOpt()], gls.Nearest(40))


def first_for_table_3() -> LocalSearch:
    """Return the 3-opt of the first tours of table 3, on 40 quadrant neighbours."""
    import gpu_ls_plugin as gls

    return gls.LocalSearch([gls.ThreeOpt()], gls.Quadrant(40))


def as_in_the_paper(kicks_per_city: float) -> IteratedLocalSearch:
    """Return the paper's search of table 1."""
    import gpu_ls_plugin as gls

    return gls.IteratedLocalSearch(first_40(), gls.DoubleBridge(), accept=gls.Better())


def usual(kicks_per_city: float) -> IteratedLocalSearch:
    """Return 3-opt on other candidates, which also anneals."""
    import gpu_ls_plugin as gls

    local = gls.LocalSearch([gls.ThreeOpt()], gls.Alpha(5) | gls.Quadrant(8))
    return gls.IteratedLocalSearch(local, gls.DoubleBridge(), accept=gls.Annealing())


def deep(kicks_per_city: float) -> IteratedLocalSearch:
    """Return Lin-Kernighan moves of depth 8; it anneals if a chain has many kicks per city."""
    import gpu_ls_plugin as gls

    local = gls.LocalSearch([gls.LinKernighan(8)], gls.Alpha(5))
    accept = gls.Annealing(0.2) if kicks_per_city >= MANY_KICKS else gls.BetterOrEqual()
    return gls.IteratedLocalSearch(local, gls.DoubleBridge(), accept=accept)


def crossed(kicks_per_city: float) -> IteratedLocalSearch:
    """Return the usual search of a population that crosses its tours 64 times."""
    import gpu_ls_plugin as gls

    help_ = gls.EdgeAssembly(max(0.02, kicks_per_city / 64), generations=10)
    local = usual(kicks_per_city).search
    return gls.IteratedLocalSearch(
        local, gls.DoubleBridge(), accept=gls.Annealing(0.2), cooperation=help_
    )


def random_k(k: int) -> IteratedLocalSearch:
    """Return the paper's search of table 3."""
    import gpu_ls_plugin as gls

    local = gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(k))
    return gls.IteratedLocalSearch(local, gls.DoubleBridge(), accept=gls.Better())
