"""The state of a run in a file, from which the same call goes on."""

from __future__ import annotations

import json
import warnings
import zipfile
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.distributed.elites import Elites, joined
from gpu_ls_plugin.exceptions import ClusterWarning, FileFormatError, InvalidParameterError
from gpu_ls_plugin.files import atomically
from gpu_ls_plugin.history import Point

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_ls_plugin.distributed.tally import Island
    from gpu_ls_plugin.problems.problem import Problem

VERSION = 1


@dataclass
class Checkpoint:
    """Where a run stands.

    Attributes
    ----------
    islands : dict
        The elites of each island.
    lives, stretches : int
        How often islands have begun anew, and stretches that all have made.
    seconds : float
        That the run has taken.
    kicks : int
        Of each row.
    history : list of Point
    """

    islands: dict[int, Elites] = field(default_factory=dict)
    lives: int = 0
    stretches: int = 0
    seconds: float = 0.0
    kicks: int = 0
    history: list[Point] = field(default_factory=list)

    def save(self, path: Path, problem: Problem, seed: int) -> None:
        """Write all to a file, which appears complete or not at all."""
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
            f"{name}_{island}": getattr(elites, name)
            for island, elites in self.islands.items()
            for name in ("rows", "costs", "feasible")
        }
        with atomically(path) as file, open(file, "wb") as stream:
            np.savez(stream, head=np.array(json.dumps(head)), **arrays)

    @classmethod
    def load(cls, path: Path, problem: Problem, seed: int) -> Checkpoint:
        """Return what was saved.

        Raises
        ------
        FileFormatError
            The file holds something else.
        InvalidParameterError
            It is of another problem or seed.
        OSError
            The file cannot be read.
        """
        try:
            with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as found:
                arrays = dict(found.items())
            head = json.loads(str(arrays.pop("head")))
            if head["version"] != VERSION:
                raise ValueError(f"not a checkpoint of version {VERSION}")
            if (head["problem"], head["seed"]) != (identity(problem), seed):
                raise InvalidParameterError(
                    f"checkpoint: {path} is of another problem or seed; name another file, or "
                    "remove it"
                )
            return cls(
                _islands(arrays, problem),
                int(head["lives"]),
                int(head["stretches"]),
                float(head["seconds"]),
                int(head["kicks"]),
                [Point(**point) for point in head["history"]],
            )
        except InvalidParameterError:
            raise
        except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise FileFormatError(f"{path}: not a checkpoint of islands: {error}") from error


def checkpoint_of(
    problem: Problem,
    islands: list[Island],
    best: Elites,
    elapsed: float,
    history: list[Point],
) -> Checkpoint:
    """Return where a run stands; the best row of all is among those of the first island."""
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


class Keeper:
    """Writes checkpoints to a file, if there is one; a full disk ends no search.

    Parameters
    ----------
    path : Path or None
    problem, seed
        Of the run.
    """

    def __init__(self, path: Path | None, problem: Problem, seed: int) -> None:
        self.path, self._problem, self._seed = path, problem, seed
        self._warned = False

    def found(self) -> Checkpoint:
        """Return where the run stood when the file was written; the beginning without one."""
        if self.path is None or not self.path.exists():
            return Checkpoint()
        return Checkpoint.load(self.path, self._problem, self._seed)

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write where a run stands; warn once where that cannot be done."""
        if self.path is None:
            return
        try:
            checkpoint.save(self.path, self._problem, self._seed)
        except OSError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"checkpoint: {self.path} cannot be written ({error.strerror or error}); the "
                    "search goes on, and tries again",
                    ClusterWarning,
                    stacklevel=2,
                )


def identity(problem: Problem) -> str:
    """Return a text that differs between problems: rows of one may mean nothing to another."""
    words = f"{type(problem).__name__} {problem.n}"
    permutations = problem.tsp is not None or getattr(problem, "distinct", False)
    if permutations:
        rng = np.random.default_rng(0)
        rows = rng.permuted(np.tile(np.arange(problem.n, dtype=np.int32), (3, 1)), axis=1)
        words += f" {(problem.tsp or problem).cost(rows).tolist()}"
    return sha256(words.encode()).hexdigest()


def _islands(arrays: dict[str, Any], problem: Problem) -> dict[int, Elites]:
    numbers = sorted(int(name[5:]) for name in arrays if name.startswith("rows_"))
    found = {}
    for number in numbers:
        rows = problem.check(arrays[f"rows_{number}"]) if len(arrays[f"rows_{number}"]) else None
        if rows is not None:  # costs are computed again: a file is not believed
            found[number] = Elites.of(problem, rows, (problem.tsp or problem).cost(rows))
    return found
