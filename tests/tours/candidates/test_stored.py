"""Candidate lists in files: they come back as they were, for their instance only."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest

from gpu_ls_plugin import TSP, LocalSearch
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.candidates.stored import Stored
from tests.helpers.random_problems import METRICS, random_problem


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n", [1, 2, 40])
def test_lists_come_back(tmp_path, metric, n):
    problem = random_problem(metric, n)
    Alpha(5).save(tmp_path / "lists", problem)
    assert [path.name for path in tmp_path.iterdir()] == ["lists"]
    loaded, lists = Candidates.load(tmp_path / "lists").of(problem), Alpha(5).of(problem)
    assert np.array_equal(loaded.cities, lists.cities)
    assert np.array_equal(loaded.lengths, lists.lengths)
    assert (loaded.cities.dtype, loaded.lengths.dtype) == (np.int32, problem.cost_dtype)


def test_lists_belong_to_the_content_of_a_problem(tmp_path):
    problem = random_problem("EUC_2D", 30)
    Nearest(5).save(tmp_path / "near.npz", problem)
    stored = Nearest.load(str(tmp_path / "near.npz"))
    same = TSP(problem.coordinates.copy(), "EUC_2D", name="another name")
    assert np.array_equal(stored.of(same).cities, Nearest(5).of(problem).cities)
    others = [
        TSP(problem.coordinates, "CEIL_2D"),
        TSP(problem.coordinates + 1, "EUC_2D"),
        TSP(problem.coordinates[:-1], "EUC_2D"),
        random_problem("EXPLICIT", 30),
    ]
    for other in others:
        with pytest.raises(InvalidParameterError, match=r"near\.npz holds Nearest\(k=5\) for an"):
            stored.of(other)


def test_the_problem_may_be_left_out_if_there_is_only_one(tmp_path):
    candidates = Quadrant(17)
    with pytest.raises(InvalidParameterError, match=r"problem: .* 0 problems"):
        candidates.save(tmp_path / "lists.npz")
    problem = random_problem("EUC_2D", 30)
    candidates.of(problem)
    Quadrant(17).save(tmp_path / "lists.npz")
    stored = Candidates.load(tmp_path / "lists.npz")
    assert np.array_equal(stored.of(problem).cities, candidates.of(problem).cities)
    other = random_problem("EUC_2D", 31)
    candidates.of(other)
    with pytest.raises(InvalidParameterError, match=r"problem: .* 2 problems"):
        candidates.save(tmp_path / "lists.npz")
    del other
    gc.collect()
    candidates.save(tmp_path / "lists.npz")


def test_a_stored_set_is_a_set_like_any_other(tmp_path):
    problem = random_problem("EUC_2D", 80)
    Alpha(5).save(tmp_path / "a", problem)
    stored = Candidates.load(tmp_path / "a")
    assert (stored | Nearest(7)).of(problem).degree >= 7
    assert np.array_equal(stored.of(problem).cities, Alpha(5).of(problem).cities)
    assert stored.of(problem) is stored.of(problem)
    stored.save(tmp_path / "b", problem)
    again = Candidates.load(tmp_path / "b")
    assert np.array_equal(again.cities, stored.cities)
    assert repr(stored) == f"Stored(path={str(tmp_path / 'a')!r}, rule='Alpha(k=5, steps=30)')"


def test_sets_are_equal_if_their_lists_are(tmp_path):
    problem = random_problem("EUC_2D", 40)
    for name, candidates in (("a", Nearest(5)), ("b", Nearest(5)), ("c", Nearest(6))):
        candidates.save(tmp_path / name, problem)
    a, b, c = (Candidates.load(tmp_path / name) for name in "abc")
    (tmp_path / "a").unlink()
    for same in (b, pickle.loads(pickle.dumps(a))):
        assert same == a and hash(same) == hash(a) and isinstance(a, Stored)
        assert same.of(problem) is a.of(problem)
    assert a != c
    with pytest.raises(InvalidTypeError, match="problem: "):
        Nearest(5).save(tmp_path / "lists", "pr76")


def write(path, cities, **changes):
    """Write a file of lists; `changes` are other fields than the usual ones."""
    fields = {"version": 1, "rule": "Nearest(k=2)", "fingerprint": "0", "cities": cities}
    with path.open("wb") as file:
        np.savez(file, **fields | changes)


GOOD = np.array([[1, 2], [2, 0], [0, 1]], np.int32)


def with_row(row):
    return np.concatenate([[row], GOOD[1:]])


# Damaged files are in tests/test_damaged_files.py.
@pytest.mark.parametrize(
    ("cities", "changes", "words"),
    [
        *((with_row(row), {}, "cities: row 0") for row in ([1, 1], [0, 1], [1, 3], [-1, 1])),
        *((GOOD / 2, {}, "cities: float64"), (GOOD > 0, {}, "cities: bool")),
        *((part, {}, "cities: ") for part in (GOOD[0], GOOD[None], GOOD[:, :0], GOOD[:0])),
        (GOOD, {"version": 2}, "format 2"),
        (GOOD, {"version": [1, 1]}, "format"),
        (np.array([{}], object), {}, "not a file of candidate lists"),
    ],
)
def test_files_with_wrong_content(tmp_path, cities, changes, words):
    path = tmp_path / "file"
    write(path, GOOD)
    Candidates.load(path)
    write(path, cities, **changes)
    with pytest.raises(FileFormatError, match=f"file: {words}"):
        Candidates.load(path)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, ">i4", np.uint64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_integers_of_any_type_and_layout_are_read(tmp_path, dtype, order):
    problem = random_problem("EUC_2D", 40)
    lists = Nearest(5).of(problem).cities
    written = lists.astype(dtype, order=order)
    write(tmp_path / "file", written, fingerprint=problem.fingerprint)
    stored = Candidates.load(tmp_path / "file")
    assert stored.cities.dtype == np.int32 and stored.cities.flags.c_contiguous
    tours = np.arange(40)[None]
    found = [LocalSearch(candidates=c)(problem, tours, backend="cpu") for c in (stored, Nearest(5))]
    assert np.array_equal(found[0].tours, found[1].tours)
