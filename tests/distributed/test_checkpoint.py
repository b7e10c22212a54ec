"""Runs that continue from a checkpoint, and files that are not checkpoints."""

from __future__ import annotations

import errno
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import ClusterWarning, FileFormatError, InvalidParameterError
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.distributed.checkpoint import Checkpoint, Keeper, identity
from gpu_ls_plugin.runs.elites import Elites
from tests.distributed.conftest import CHAINS, PROBLEM, N
from tests.helpers.bin_packing import BinPacking
from tests.helpers.random_problems import random_tours
from tests.helpers.routing import random_vrp
from tests.tours.objectives.third_party import Tolls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOURS = random_tours(N, 8)
ELITES = Elites.of(PROBLEM, TOURS[:3], PROBLEM.cost(TOURS[:3]))


def saved(path: Path) -> Checkpoint:
    checkpoint = Checkpoint(
        {0: ELITES, 3: ELITES.take([1])},
        2,
        7,
        1.5,
        40,
        [Point(0.1, 2, ELITES.costs[0].item(), 2e9)],
    )
    checkpoint.save(path, PROBLEM, 2**64 - 1)
    return checkpoint


def test_saved_states_are_loaded(tmp_path):
    before, after = saved(tmp_path / "c"), Checkpoint.load(tmp_path / "c", PROBLEM, 2**64 - 1)
    assert vars(after).keys() == vars(before).keys() and list(after.islands) == [0, 3]
    for name in ("lives", "stretches", "seconds", "kicks", "history"):
        assert getattr(after, name) == getattr(before, name)
    assert np.array_equal(after.islands[0].rows, ELITES.rows)
    assert np.array_equal(after.islands[0].costs, ELITES.costs)


def test_other_problems_and_seeds_are_refused(tmp_path):
    saved(tmp_path / "c")
    with pytest.raises(InvalidParameterError, match="another problem or seed"):
        Checkpoint.load(tmp_path / "c", PROBLEM, 1)
    other = gls.TSP(PROBLEM.coordinates + 1.5 * np.arange(N)[:, None], "EUC_2D")
    with pytest.raises(InvalidParameterError, match="another problem or seed"):
        Checkpoint.load(tmp_path / "c", other, 2**64 - 1)


@pytest.mark.parametrize("content", [b"", b"nothing", b"PK\x03\x04broken"])
def test_other_files_are_named(tmp_path, content):
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(FileFormatError, match="not a checkpoint of islands"):
        Checkpoint.load(tmp_path / "c", PROBLEM, 1)


def test_problems_of_all_kinds_have_identities():
    problems: list[Any] = [
        PROBLEM,
        gls.CVRP(PROBLEM.coordinates, np.arange(N) % 9, 40),
        gls.QuadraticAssignment.generated(9, 1),
        gls.QuadraticAssignment.generated(9, 2),
        gls.GraphColouring.queen(5, 5, 6),
    ]
    assert len({identity(problem) for problem in problems}) == len(problems)


def _drawn(seed: int) -> Any:
    return np.random.default_rng(seed).integers(0, 99, (N, 2))


PAIRS: dict[str, Callable[[int], Any]] = {
    "cities": lambda k: gls.TSP(_drawn(k)),
    "metrics": lambda k: gls.TSP(_drawn(1), ("EUC_2D", "CEIL_2D")[k]),
    "matrices": lambda k: gls.TSP.from_matrix(np.full((N, N), 5 + k) * (1 - np.eye(N, dtype=int))),
    "objectives": lambda k: gls.TSP(_drawn(1)).under(
        Tolls(np.arange(N * N).reshape(N, N) % (3 + k))
    ),
    "demands": lambda k: gls.CVRP(_drawn(1), np.arange(N) % (3 + k), 40, vehicles=9),
    "capacities": lambda k: gls.CVRP(_drawn(1), np.arange(N) % 5, 40 + k, vehicles=9),
    "limits": lambda k: gls.CVRP(_drawn(1), np.arange(N) % 5, 40, vehicles=9, route_limit=900 + k),
    "windows": lambda k: random_vrp(9, windows=[(0, 20000), *[(k, 9000)] * 9]),
    "flows": lambda k: gls.QuadraticAssignment.generated(9, k),
    "agents": lambda k: gls.GeneralisedAssignment.generated("C", 20, 2 + k, seed=1),
    "costs": lambda k: gls.GeneralisedAssignment.generated("C", 20, 2, seed=k),
    "graphs": lambda k: gls.GraphColouring.random(25, 0.2 + 0.7 * k, 6),
    "colours": lambda k: gls.GraphColouring.queen(5, 5, 6 + k),
    "your own": lambda k: BinPacking([3, 4, 5, 6, 2 + k], 3, 10),
}


@pytest.mark.parametrize("made", PAIRS.values(), ids=PAIRS)
def test_two_problems_of_one_size_have_two_identities(made):
    one, other = made(0), made(1)
    assert one.n == other.n and identity(one) != identity(other)
    assert identity(made(0)) == identity(one)


@pytest.mark.parametrize("made", PAIRS.values(), ids=PAIRS)
def test_caches_and_names_do_not_change_an_identity(made):
    used, copied = made(0), pickle.loads(pickle.dumps(made(0)))
    for name in dir(type(used)):  # fills all cached properties
        getattr(used, name, None)
    vars(used).update(name="another name", optimum=1)
    assert identity(used) == identity(copied) == identity(made(0))


def test_a_run_continues_from_its_checkpoint(client, tmp_path):
    islands = gls.Islands(CHAINS, client, checkpoint=tmp_path / "c")
    half = islands(PROBLEM, TOURS, seed=1, budget=gls.Budget(kicks=40))
    kept = Checkpoint.load(tmp_path / "c", PROBLEM, 1)
    assert kept.kicks == 40 and kept.islands[0].costs[0] == half.best_cost
    whole = islands(PROBLEM, TOURS, seed=1, budget=gls.Budget(kicks=60))
    assert whole.best_cost <= half.best_cost
    assert whole.statistics.kicks == 20 * len(TOURS)  # of this call
    assert whole.statistics.seconds > half.statistics.seconds
    assert Checkpoint.load(tmp_path / "c", PROBLEM, 1).lives == 1
    again = islands(PROBLEM, TOURS, seed=1, budget=gls.Budget(kicks=60))
    assert again.best_cost == whole.best_cost and again.statistics.kicks == 0


def test_a_full_disk_warns_once(client, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Checkpoint, "save", full)
    islands = gls.Islands(CHAINS, client, checkpoint=tmp_path / "c")
    with pytest.warns(ClusterWarning, match="cannot be written .No space left") as said:
        found = islands(PROBLEM, TOURS, seed=1, budget=gls.Budget(kicks=20))
    assert len(said) == 1 and len(found.costs) == len(TOURS)
    keeper = Keeper(tmp_path / "c", PROBLEM, 1)
    with pytest.warns(ClusterWarning):
        keeper.keep(Checkpoint())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keeper.keep(Checkpoint())
