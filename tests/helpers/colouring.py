"""A third party's problem whose rows are not permutations, and its plugin."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Problem, check_values, hookimpl


class GraphColouring(Problem):
    """Colour the nodes of a graph so that few edges have two ends of the same colour.

    Solutions that differ only in the names of colours are equal.
    """

    integer = True

    def __init__(self, edges: Any, n: int, colours: int, name: str = "") -> None:
        self.edges, self.n, self.colours = np.asarray(edges), n, colours
        self.name, self.optimum = name, 0

    def check(self, rows: Any, *, parameter: str = "rows") -> Any:
        words = ("colourings", "nodes", "colour")
        return check_values(rows, self.n, self.colours, parameter=parameter, words=words)

    def cost(self, rows: Any) -> Any:
        ends = self.check(rows)[:, self.edges]
        return (ends[..., 0] == ends[..., 1]).sum(axis=1, dtype=self.cost_dtype)

    def canonical(self, rows: Any) -> Any:
        """Return rows with colours numbered in order of appearance."""
        rows = self.check(rows)
        written = np.empty_like(rows)
        for row, given in enumerate(rows):
            _, first, place = np.unique(given, return_index=True, return_inverse=True)
            written[row] = first.argsort().argsort()[place.ravel()]
        return written

    def device_data(self) -> Any:
        return {"edges": self.edges.astype(np.int32)}


class TheirGraph:
    """A problem of a framework."""

    def __init__(self, edges: Any, n: int) -> None:
        self.edges, self.n = edges, n


@hookimpl
def gpu_ls_problem_from(obj: object) -> Problem | None:
    return GraphColouring(obj.edges, obj.n, 3) if isinstance(obj, TheirGraph) else None
