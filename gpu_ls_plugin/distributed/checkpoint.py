"""Checkpoints: files that hold the state of a run, so that the same call can continue it."""

from __future__ import annotations

import json
import math
import re
import warnings
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.core.exceptions import ClusterWarning, InvalidParameterError
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.schema import (
    CLOSE,
    fields,
    integer,
    listed,
    number,
    of_version,
    read_arrays,
    reading,
    same_costs,
    text,
)
from gpu_ls_plugin.runs.elites import Elites, joined

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.distributed.island_state import Island

VERSION = 2
ELITES = ("rows", "costs", "feasible")
NUMBERED = re.compile(r"rows_(0|[1-9][0-9]{0,8})")


@dataclass
class Checkpoint:
    """The state of a run."""

    islands: dict[int, Elites] = field(default_factory=dict)  # rows that each island offers
    lives: int = 0  # largest number of restarts of any island
    stretches: int = 0  # number of stretches that every island has completed
    seconds: float = 0.0  # duration of the run so far
    kicks: int = 0  # per row
    history: list[Point] = field(default_factory=list)

    def save(self, path: Path, problem: Problem, seed: int) -> None:
        """Write the state to a file, completely or not at all."""
        head = {
            "version": VERSION,
            "problem": identity(problem),
            "seed": seed,
            "lives": self.lives,
            "stretches": self.stretches,
            "seconds": self.seconds,
            "kicks": self.kicks,
            "history": [asdict(point) for point in self.history],
        }
        arrays: dict[str, Any] = {
            f"{name}_{island}": getattr(elites.valued(problem), name)
            for island, elites in self.islands.items()
            if len(elites)
            for name in ELITES
        }
        with atomically(path) as file, open(file, "wb") as stream:
            np.savez(stream, head=np.array(json.dumps(head)), **arrays)

    @classmethod
    def load(cls, path: Path, problem: Problem, seed: int) -> Checkpoint:
        """Return a saved state; raise InvalidParameterError if its problem or seed differs."""
        with reading(path, "not a checkpoint of islands"):
            arrays = read_arrays(path)
            head = HEAD(
                "", of_version(VERSION, "a checkpoint", json.loads(arrays.pop("head").item()))
            )
            if (head.pop("problem"), head.pop("seed")) != (identity(problem), seed):
                raise InvalidParameterError(
                    f"checkpoint: {path} belongs to another problem or seed; name another file, or "
                    "remove it"
                )
            found = cls(_islands(arrays, problem), **head)
            found.check_history(problem)
            return found

    def check_history(self, problem: Problem) -> None:
        """Raise ValueError if the history has a better cost than every row."""
        best = joined(problem, self.islands.values()).allowed.costs[:1].tolist()
        least = best[0] if best else math.inf
        claimed = min((point.best_cost for point in self.history), default=math.inf)
        if claimed < least and not math.isclose(claimed, least, rel_tol=CLOSE, abs_tol=CLOSE):
            raise ValueError(f"history: best_cost {claimed}, but the best row costs {least}")


COST = number(-math.inf, infinite=True)  # infinite until a feasible row is found
POINT = fields(Point, elapsed=number(), kicks=integer(), best_cost=COST, mean_cost=COST)
HEAD = fields(
    dict,
    problem=text,
    **dict.fromkeys(("seed", "lives", "stretches", "kicks"), integer(most=2**64 - 1)),
    seconds=number(),
    history=listed(POINT),
)


def checkpoint_of(
    problem: Problem, islands: list[Island], best: Elites, elapsed: float, history: list[Point]
) -> Checkpoint:
    """Return the state of a run; the first island also gets the best row of all islands."""
    elites = {island.number: island.elites for island in islands if len(island.elites)}
    elites[0] = joined(problem, [best, *([elites[0]] if 0 in elites else [])])
    return Checkpoint(
        elites,
        max(island.life for island in islands),
        min(island.stretches for island in islands),
        elapsed,
        min(island.kicks for island in islands),
        history,
    )


def resume(problem: Problem, islands: list[Island], saved: Checkpoint) -> Elites:
    """Continue from a checkpoint; return its rows, the best first.

    If the checkpoint has more islands than the run, an island may get the rows of several.
    """
    for place, elites in saved.islands.items():
        island = islands[place % len(islands)]
        island.elites = joined(problem, [island.elites, elites])
    for island in islands:
        island.kicks, island.stretches = saved.kicks, saved.stretches
        island.life = saved.lives + 1 if saved.islands else 0
    return joined(problem, saved.islands.values())


class Keeper:
    """Writes checkpoints to a file, if one is given; the search continues if writing fails."""

    def __init__(self, path: Path | None, problem: Problem, seed: int) -> None:
        self.path, self._problem, self._seed = path, problem, seed
        self._warned = False

    def found(self) -> Checkpoint:
        """Return the saved state, or the state of a new run if there is no file."""
        if self.path is None or not self.path.exists():
            return Checkpoint()
        return Checkpoint.load(self.path, self._problem, self._seed)

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write the state; warn once if the file cannot be written."""
        if self.path is None:
            return
        try:
            checkpoint.save(self.path, self._problem, self._seed)
        except OSError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"checkpoint: {self.path} cannot be written ({error.strerror or error}); the "
                    "search continues, and tries again later",
                    ClusterWarning,
                    stacklevel=2,
                )


def identity(problem: Problem) -> str:
    """Return a hash of a problem's data, without its name, comment and optimum."""
    if problem not in _identities:
        from gpu_ls_plugin.experiments.description import describe  # slow: imports SciPy

        _identities[problem] = sha256(describe(problem).encode("utf-8", "replace")).hexdigest()
    return _identities[problem]


# This cache exists because hashing a large matrix takes a second.
_identities: WeakKeyDictionary[Problem, str] = WeakKeyDictionary()


def _islands(arrays: dict[str, NDArray[Any]], problem: Problem) -> dict[int, Elites]:
    """Return the elites of each island from "rows_0", "costs_0", "feasible_0" and so on."""
    numbers = {int(match[1]) for match in map(NUMBERED.fullmatch, arrays) if match}
    names = {f"{name}_{number}" for number in numbers for name in ELITES}
    if names != arrays.keys():
        raise ValueError(f"{min(names ^ arrays.keys())!r:.80}: missing or unknown")
    return {
        number: _elites(problem, *(arrays[f"{name}_{number}"] for name in ELITES))
        for number in sorted(numbers)
    }


def _elites(
    problem: Problem, rows: NDArray[Any], costs: NDArray[Any], feasible: NDArray[Any]
) -> Elites:
    """Return elites; raise ValueError if the recorded costs or feasibility are wrong."""
    found = Elites.of(problem, problem.check(rows), costs).valued(problem)
    kinds = (costs.dtype.kind in "if", costs.shape, feasible.dtype.kind, feasible.shape)
    if kinds != (True, (len(rows),), "b", (len(rows),)):
        raise ValueError("costs or feasible: not a number and a flag for each row")
    given = Elites(rows, costs, feasible).sorted()
    same_costs(given.costs, found.costs)
    if (given.feasible != found.feasible).any():
        raise ValueError("feasible: differs from the feasibility of the rows")
    return found
