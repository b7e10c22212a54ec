"""Instances of the assignment benchmarks, their known costs, and the gaps to reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    import gpu_ls_plugin as gls

AGENTS, JOBS, KINDS = (5, 10, 20), 200, ("D", "E")
GRAPH_SEEDS = (1, 2, 3)  # of G(500, 0.5)
# Best known costs (QAPLIB; nug30, kra30a and sko42 are optimal), and the bars in percent.
QAPLIB = {
    "tai100a": (21_044_752, 0.4),
    "tai80a": (13_499_184, 0.3),
    "nug30": (6124, 0.0),
    "kra30a": (88_900, 0.0),
    "sko42": (15_812, 0.0),
}
GENERALISED_BAR = 0.3  # percent over the bound
# Chromatic numbers of n x n queen graphs: OEIS A088202.
QUEENS = {8: 9, 9: 10, 10: 11, 11: 11}
MYCIELSKI = (6, 7, 8)  # colours, by construction (Mycielski 1955)
LEIGHTON = {"le450_15": (450, 15, 16_680), "le450_25": (450, 25, 17_343)}  # as le450_15c, le450_25c


class Graph(NamedTuple):
    """A graph and its number of colours, which suffice unless `known` is False."""

    problem: gls.GraphColouring
    known: bool = True


def generalised() -> dict[str, gls.GeneralisedAssignment]:
    """Return instances of types D and E by name."""
    import gpu_ls_plugin as gls

    return {
        f"{kind} {JOBS} x {agents}": gls.GeneralisedAssignment.generated(kind, JOBS, agents, seed=1)
        for kind in KINDS
        for agents in AGENTS
    }


def graphs() -> dict[str, Graph]:
    """Return graphs to be coloured by name."""
    import gpu_ls_plugin as gls

    found = {
        f"G(500, 0.5) #{seed}, 49": Graph(gls.GraphColouring.random(500, 0.5, 49, seed), False)
        for seed in GRAPH_SEEDS
    }
    for side, colours in QUEENS.items():
        name = f"queen{side}_{side}, {colours}"
        found[name] = Graph(gls.GraphColouring.queen(side, side, colours))
    for k in MYCIELSKI:
        found[f"mycielski{k}, {k}"] = Graph(gls.GraphColouring.mycielski(k, k))
    for name, (n, colours, edges) in LEIGHTON.items():
        problem = gls.GraphColouring.leighton(n, colours, edges, seed=1)
        found[f"{name}-like, {colours}"] = Graph(problem)
    return found


def quadratic(place: Path | None) -> dict[str, gls.QuadraticAssignment]:
    """Return instances of QAPLIB by name; missing ones are printed and left out.

    They are `.dat` files of a folder, or arrays NAME_flows and NAME_distances of an `.npz`.
    """
    import gpu_ls_plugin as gls

    if place is None:
        print("no instances of QAPLIB: --qaplib names neither a folder nor an .npz file")
        return {}
    if place.suffix == ".npz":
        tables = np.load(place)
        return {
            name: gls.QuadraticAssignment(
                tables[f"{name}_flows"], tables[f"{name}_distances"], name=name
            )
            for name in QAPLIB
            if f"{name}_flows" in tables
        }
    found = {}
    for name in QAPLIB:
        path = place / f"{name}.dat"
        if path.is_file():
            found[name] = gls.QuadraticAssignment.read(path)
        else:
            print(f"{name} is left out: {path} does not exist")
    return found
