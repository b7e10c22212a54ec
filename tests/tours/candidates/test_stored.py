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


def test_content_counts_and_not_the_object_or_the_name(tmp_path):
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
        with pytest.raises(InvalidParameterError, match=r"near\.npz holds Nearest\(k=5\) of an"):
            stored.of(other)


def test_the_problem_may_be_left_out_where_there_is_one(tmp_path):
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


def test_pickling_drops_nothing(tmp_path):
    problem = random_problem("EUC_2D", 40)
    Alpha(5).save(tmp_path / "a", problem)
    stored = Candidates.load(tmp_path / "a")
    (tmp_path / "a").unlink()
    copy = pickle.loads(pickle.dumps(stored))
    assert copy == stored and hash(copy) == hash(stored)
    assert np.array_equal(copy.of(problem).cities, Alpha(5).of(problem).cities)


def test_equal_if_the_content_is(tmp_path):
    problem = random_problem("EUC_2D", 40)
    for name, candidates in (("a", Nearest(5)), ("b", Nearest(5)), ("c", Nearest(6))):
        candidates.save(tmp_path / name, problem)
    a, b, c = (Candidates.load(tmp_path / name) for name in "abc")
    assert a == b and a != c and isinstance(a, Stored)
    assert a.of(problem) is b.of(problem)


def test_a_file_is_replaced_as_a_whole(tmp_path, monkeypatch):
    problem = random_problem("EUC_2D", 40)
    path = tmp_path / "lists.npz"
    Nearest(5).save(path, problem)
    before = path.read_bytes()

    def fails(file, **content):
        file.write(b"half")
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("gpu_ls_plugin.tours.candidates.lists.np.savez", fails)
        with pytest.raises(OSError, match="disk full"):
            Nearest(6).save(path, problem)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    Nearest(6).save(path, problem)
    assert Candidates.load(path).of(problem).degree == 6


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        Candidates.load(tmp_path / "missing")
    path = tmp_path / "file"
    problem = random_problem("EUC_2D", 40)
    Nearest(5).save(path, problem)
    whole = path.read_bytes()
    for content in (b"", b"NAME: pr76", whole[:-30], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match="file: not a file of candidate lists"):
            Candidates.load(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(FileFormatError, match="not a file of candidate lists"):
        Candidates.load(path)
    with path.open("wb") as file:
        np.savez(file, cities=np.zeros((3, 2)))
    with pytest.raises(FileFormatError, match="not a file of candidate lists"):
        Candidates.load(path)


def write(path, cities, version=1):
    with path.open("wb") as file:
        np.savez(file, version=version, rule="Nearest(k=2)", fingerprint="0", cities=cities)


def test_files_with_wrong_content(tmp_path):
    path = tmp_path / "file"
    good = np.array([[1, 2], [2, 0], [0, 1]], np.int32)
    write(path, good)
    Candidates.load(path)
    for row in ([1, 1], [0, 1], [1, 3], [-1, 1]):
        cities = good.copy()
        cities[0] = row
        write(path, cities)
        with pytest.raises(FileFormatError, match="file: cities: row 0 is not a list"):
            Candidates.load(path)
    for cities in (good / 2, good[0], good[None], good[:, :0], good[:0], good > 0):
        write(path, cities)
        with pytest.raises(FileFormatError, match="file: cities: "):
            Candidates.load(path)
    write(path, good, version=2)
    with pytest.raises(FileFormatError, match="format 2"):
        Candidates.load(path)
    write(path, good, version=[1, 1])
    with pytest.raises(FileFormatError, match="format"):
        Candidates.load(path)
    write(path, np.array([{}], object))
    with pytest.raises(FileFormatError, match="not a file of candidate lists"):
        Candidates.load(path)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, ">i4", np.uint64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_integers_in_any_layout_are_ours_when_they_are_read(tmp_path, dtype, order):
    problem = random_problem("EUC_2D", 40)
    lists = Nearest(5).of(problem).cities
    with (tmp_path / "file").open("wb") as file:
        np.savez(
            file,
            version=1,
            rule="Nearest(k=5)",
            fingerprint=problem.fingerprint,
            cities=lists.astype(dtype, order=order),
        )
    stored = Candidates.load(tmp_path / "file")
    assert stored.cities.dtype == np.int32 and stored.cities.flags.c_contiguous
    tours = np.arange(40)[None]
    found = [LocalSearch(candidates=c)(problem, tours, backend="cpu") for c in (stored, Nearest(5))]
    assert np.array_equal(found[0].tours, found[1].tours)


def test_the_problem_is_checked(tmp_path):
    with pytest.raises(InvalidTypeError, match="problem: "):
        Nearest(5).save(tmp_path / "lists", "pr76")
