"""Benchmarks: each script starts, and the repository contains only summaries of results."""

from __future__ import annotations

import json

import pytest

from benchmarks.first_call import programs
from benchmarks.helpers import summary
from gpu_ls_plugin.backends import compiler
from gpu_ls_plugin.tours.construction.greedy import greedy_edges_kernel
from tests.helpers.processes import ROOT, run_python

BENCHMARKS = ROOT / "benchmarks"
SCRIPTS = [p for p in BENCHMARKS.rglob("*.py") if '__name__ == "__main__"' in p.read_text("utf-8")]
RECORD = {
    "gap": 0.1234567,
    "ours": "fast-tsp",
    "runs": [{"seconds": 10.0, "history": [[0.0, 1.0]], "ours": [1, 2]}],
    "rows": list(range(summary.MOST_ROWS + 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_each_script_starts(script):
    assert run_python(str(script), "--help").startswith("usage:")


def test_results_are_summaries():
    kept = [p for p in (BENCHMARKS / "results").iterdir() if p.is_file()]
    assert kept
    assert [p.name for p in kept if p.stat().st_size >= 100_000] == []


def test_a_summary_and_the_whole_record_are_written(tmp_path):
    path = summary.write(tmp_path, "some", RECORD)
    assert json.loads(path.read_text()) == {
        "gap": 0.12346,
        "ours": "fast-tsp",
        "runs": [{"seconds": 10.0}],
        "rows": f"{summary.MOST_ROWS + 1} rows",
    }
    assert summary.read_raw(tmp_path, "some") == RECORD


def test_many_rows_become_a_table():
    rows = [{"seed": seed, "gap": 0.5} for seed in range(summary.TABLE - 1)]
    assert summary.summary(rows) == rows
    many = [*rows, {"seed": 9, "failure": "no routes"}]
    table = summary.summary(many)
    assert table == {
        "columns": ["seed", "gap", "failure"],
        "rows": [[seed, 0.5, None] for seed in range(9)] + [[9, None, "no routes"]],
    }
    assert summary.rows(table) == many and summary.rows(rows) == rows


def test_sections_of_older_summaries_stay(tmp_path):
    summary.write(tmp_path, "some", {"kicks": 1, "large": 2})
    path = summary.write(tmp_path, "some", {"kicks": 3})
    assert json.loads(path.read_text()) == {"kicks": 3, "large": 2}
    assert summary.read_raw(tmp_path, "some") == {"kicks": 3}


def test_a_trace_names_what_is_compiled(monkeypatch):
    monkeypatch.setattr(compiler.Program, "_compiled_in", compiler.Program._compiled_in)
    records = programs.recorded("cpu")
    program = compiler.program_of('extern "C" void nothing(int count) {}')
    assert program.library() is program.library()
    assert [name for name, _, _ in records] == ["nothing"]


@pytest.mark.parametrize("team", ["gls::Host", "gls::Warp<4>"])
def test_a_trace_finds_the_name_of_a_kernel(team):
    assert programs.NAME.search(greedy_edges_kernel(team).source)[1] == "greedy_edges"
