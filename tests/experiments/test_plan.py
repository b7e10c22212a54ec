"""The runs of a plan, and their files."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments.plan import Plan, stored_keys
from gpu_ls_plugin.experiments.records import Record
from tests.experiments.samples import record

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_ls_plugin.experiments.plan import Run

ALGORITHMS = {"a": "GA(pop_size=20)", "b": "DE()"}
PROBLEMS = {"p": "TSP(1)", "q": "TSP(2)"}
IT = Plan(ALGORITHMS, PROBLEMS, (3, 1), "time(1)")


def store(run: Run, folder: Path, more: dict[str, str] | None = None) -> Path:
    path = run.path(folder)
    path.parent.mkdir(exist_ok=True)
    texts = {"algorithm": ALGORITHMS[run.algorithm], "termination": "time(1)"} | (more or {})
    made = record(*run.key, configuration=run.configuration, description=texts)
    made.save(path)
    return path


def test_runs_are_all_combinations_seed_by_seed():
    keys = [run.key for run in IT.runs()]
    pairs = [("a", "p"), ("b", "p"), ("a", "q"), ("b", "q")]
    assert keys == [(*pair, seed) for seed in (3, 1) for pair in pairs]


def test_each_run_has_its_own_file(tmp_path):
    strange = ("a/b", "a_b", "../../a", "", ".", "x" * 300, "\u8df3" * 200, "a\0b", "A/B")
    plan = Plan(dict.fromkeys(strange, ""), dict.fromkeys(strange, ""), (1,), "")
    paths = [run.path(tmp_path) for run in plan.runs()]
    names = {path.name.lower() for path in paths}  # also on file systems that ignore case
    assert len(names) == len(strange) ** 2
    assert {path.parent for path in paths} == {tmp_path / "runs"}
    assert all(name.isascii() and len(name) < 200 and "/" not in name for name in names)


def test_stored_runs_are_found(tmp_path):
    assert IT.stored(tmp_path) == {}
    runs = list(IT.runs())
    for run in runs[:3]:
        store(run, tmp_path)
    (tmp_path / "runs" / "other.json").write_text("{")  # not part of the plan
    assert list(IT.stored(tmp_path)) == [run.key for run in runs[:3]]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 2}', b"\xff\x00"])
def test_a_damaged_file_is_a_run_that_is_missing(content, tmp_path):
    first, second, *_ = IT.runs()
    store(first, tmp_path)
    path = store(second, tmp_path)
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=f"{path.name}: not the record of a run.* repeats it"):
        assert list(IT.stored(tmp_path)) == [first.key]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"algorithms": {"a": "GA(pop_size=30)"}},
            "another algorithm; algorithm: pop_size=20 there, pop_size=30 here",
        ),
        ({"problems": {"p": "TSP(3)"}}, r"another problem\. Choose"),
        ({"termination": "time(2)"}, r"termination: time\(1\) there, time\(2\) here\. Choose"),
        (
            {"algorithms": {"a": "G"}, "problems": {"p": "T"}},
            r"another algorithm and problem; algorithm: GA\(pop_size=20\) there, G here",
        ),
    ],
)
def test_a_run_with_other_settings_is_refused(changes, words, tmp_path):
    path = store(next(IT.runs()), tmp_path)
    changed = dataclasses.replace(IT, **changes)
    with pytest.raises(InvalidParameterError, match=words) as caught:
        changed.stored(tmp_path)
    assert str(path) in str(caught.value) and "'a' on 'p' with seed 3" in str(caught.value)


def test_other_settings_are_shown_as_in_the_call(tmp_path):
    run = next(IT.runs())
    store(run, tmp_path, {"summary": "GA(pop_size=20, seed=1)"})
    changed = {"algorithms": {"a": "GA(_private=1, pop_size=30)"}}
    changed |= {"summaries": {"a": "GA(pop_size=30, seed=1)"}}
    with pytest.raises(InvalidParameterError, match=r"; algorithm: pop_size=20 there, pop_size=30"):
        dataclasses.replace(IT, **changed).stored(tmp_path)


def test_a_file_under_another_name_is_refused(tmp_path):
    first, second, *_ = IT.runs()
    store(first, tmp_path).rename(second.path(tmp_path))
    changed = dataclasses.replace(IT, algorithms=dict.fromkeys("ab", ALGORITHMS["a"]))
    with pytest.raises(InvalidParameterError, match="another name"):
        changed.stored(tmp_path)


def test_a_larger_plan_keeps_stored_runs(tmp_path):
    first = next(IT.runs())
    store(first, tmp_path)
    more = Plan(ALGORITHMS | {"c": ""}, {"r": ""} | PROBLEMS, (1, 2, 3), "time(1)")
    assert list(more.stored(tmp_path)) == [first.key]


def test_the_plan_is_stored(tmp_path):
    assert stored_keys(tmp_path) == []
    IT.save(tmp_path)
    assert stored_keys(tmp_path) == [run.key for run in IT.runs()]


def test_records_are_stored(tmp_path):
    made = record(
        "a\u00e4", "p", 7, points=[(0.5, []), (1.5, [[3.0, 1.0], [2.0, 4.0]])], objectives=2,
        configuration={"algorithm": "x"}, description={"algorithm": "y"}, optimum=1.5,
        solutions=[[1, 2]], seconds=1.5, compiling=0.5, begun="2026", machine={"cores": "2"},
    )  # fmt: skip
    made.save(tmp_path / "a.json")
    assert Record.load(tmp_path / "a.json") == made
    assert made.costs == [[3.0, 1.0], [2.0, 4.0]]
    content = json.loads((tmp_path / "a.json").read_bytes())
    del content["cpu_seconds"], content["counts"]  # the file of an earlier version
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert Record.load(tmp_path / "a.json").cpu_seconds is None
    assert dataclasses.replace(made, error="no").costs == record().costs == []
