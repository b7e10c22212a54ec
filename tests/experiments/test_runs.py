"""Gaps, tables and files of an experiment's runs."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

import pytest
from scipy import stats

from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError
from gpu_ls_plugin.experiments import Results
from gpu_ls_plugin.experiments.plan import PLAN, Plan
from tests.experiments.samples import record, results

if TYPE_CHECKING:
    from gpu_ls_plugin.experiments.records import Record

FRONT = [[0.0, 10.0], [5.0, 5.0], [10.0, 0.0]]


def test_gaps_are_to_the_optimum_or_to_the_best_of_all_runs():
    runs = Results(
        [
            record("a", "known", points=[(1.0, [[110.0]])], optimum=100.0),
            record("b", "known", points=[(1.0, [[105.0]])], optimum=100.0),
            record("a", "unknown", points=[(1.0, [[110.0]])]),
            record("b", "unknown", points=[(1.0, [[100.0]])]),
        ]
    )
    assert [round(gap, 9) for gap in runs.gaps.values()] == [10.0, 5.0, 10.0, 0.0]
    note = runs.table().note
    assert "known: the optimum, 100;" in note and "unknown: the best cost of all runs, 100." in note


def test_the_table_has_quartiles():
    table = results({("a", "p"): [100, 101, 102, 103, 104], ("b", "p"): [100, 110]}).table()
    assert table.columns[4:] == ("best", "Q1", "median", "Q3", "worst")
    assert table.rows == (
        ("p", "a", 5, 0, 0.0, 1.0, 2.0, 3.0, 4.0),
        ("p", "b", 2, 0, 0.0, 2.5, 5.0, 7.5, 10.0),
    )


def test_means_have_sample_deviations():
    table = results({("a", "p"): [100, 101, 105], ("b", "p"): [110]}).means()
    assert table.columns[4:] == ("mean cost", "std cost", "mean gap %", "std gap %")
    deviation = math.sqrt(7)
    first, second = table.rows
    assert first[:4] == ("p", "a", 3, 0) and second == ("p", "b", 1, 0, 110.0, None, 10.0, None)
    assert first[4:] == pytest.approx((102.0, deviation, 2.0, deviation))


def test_failed_runs_have_no_cost_and_an_infinite_gap():
    runs = Results([record(seed=1, points=[(1.0, [[5.0]])]), record(seed=2, error="E: no\n")])
    assert runs.means().rows == (("p", "a", 2, 1, 5.0, None, math.inf, None),)
    assert Results([record(seed=1, error="E: no\n")]).means().rows[0][4:6] == (None, None)


def test_the_repr_of_results():
    runs = results({("a", "p"): [100, 101], ("b", "p"): [100, 110]})
    assert repr(runs) == "Results(2 algorithms, 1 problems, 2 seeds: 4 runs, 0 of them failed)"
    assert runs._repr_html_() == runs.table().html()


def test_runs_that_failed_or_found_nothing_have_infinite_gaps():
    runs = Results(
        [
            record(seed=1, points=[(1.0, [[5.0]])]),
            record(seed=2, points=[(1.0, [[1.0]])], error="ValueError: no\n"),
            record(seed=3, points=[(1.0, [])]),
            record(seed=4),
        ],
        [("a", "p", 5), ("a", "p", 1), ("a", "p", 2)],
    )
    assert list(runs.gaps.values()) == [0.0, math.inf, math.inf, math.inf]
    assert runs.table().rows == (("p", "a", 4, 1, 0.0, *[math.inf] * 4),)
    assert runs.missing == [("a", "p", 5), ("a", "p", 2)]
    assert runs.failures().rows == (("a", "p", 2, "ValueError: no"),)


def test_time_to_target_is_when_a_gap_was_first_reached():
    slow = [(1.0, [[150.0]]), (4.0, [[110.0]]), (6.0, [[100.0]]), (9.0, [[100.0]])]
    runs = Results(
        [
            record("a", seed=1, points=slow),
            record("a", seed=2, points=[(2.0, [[110.0]]), (3.0, [[105.0]])]),
            record("b", seed=1, points=[(0.5, []), (5.0, [[111.0]])]),
        ]
    )
    assert runs.times([10, 0]).rows == (
        (10.0, "p", "a", 2, 2, 2.5, 3.0, 3.5),
        (10.0, "p", "b", 1, 0, None, None, None),
        (0.0, "p", "a", 2, 1, None, None, None),
        (0.0, "p", "b", 1, 0, None, None, None),
    )
    with pytest.raises(InvalidParameterError, match="targets"):
        runs.times([-1])


def test_fronts_have_gaps_and_times_to_them():
    points = [(1.0, [[9.0, 9.0]]), (2.0, FRONT[:2]), (4.0, FRONT)]
    runs = Results(
        [
            record("a", "p", points=points, objectives=2),
            record("b", "p", points=points[:2], objectives=2),
        ]
    )
    assert runs.gaps["a", "p", 1] == 0.0 < runs.gaps["b", "p", 1] < 100.0
    assert runs.seconds_to(("a", "p", 1), 0.0) == 4.0
    assert runs.seconds_to(("b", "p", 1), 0.0) == math.inf
    assert "hypervolume" in runs.table().note


def test_algorithms_are_compared_by_seed_on_each_problem():
    first, second = [101, 102, 103, 104, 105, 106, 107], [103, 105, 108, 104, 109, 113, 115]
    other = [100] * 7
    table = results({("a", "p"): first, ("b", "p"): second, ("c", "p"): other}).tests()
    pairs = {("a", "b"): (first, second), ("a", "c"): (first, other), ("b", "c"): (second, other)}
    p_values = []
    for row, (names, values) in zip(table.as_dicts(), pairs.items(), strict=True):
        assert (row["first"], row["second"]) == names and row["pairs"] == 7
        differing = [pair for pair in zip(*values, strict=True) if pair[0] != pair[1]]
        assert row["p"] == pytest.approx(stats.wilcoxon(*zip(*differing, strict=True)).pvalue)
        p_values.append(row["p"])
    assert p_values == pytest.approx([2 / 2**6, 2 / 2**7, 2 / 2**7])
    # Three times the lowest p-value; the others are not lower.
    assert table.column("p (Holm)") == pytest.approx([3 * 2 / 2**7] * 3)
    assert (table.column("first better")[0], table.column("second better")[0]) == (6, 0)
    assert table.column("better") == ["a", "c", "c"]


def test_a_significant_difference_may_not_be_significant_among_many():
    steps = {"a": 0, "b": 1, "c": 10}  # all differences are different
    costs = {(name, "p"): [100 + step * i for i in range(1, 7)] for name, step in steps.items()}
    table = results(costs).tests()
    assert table.column("pairs") == [6] * 3 and table.column("p") == [2 / 2**6] * 3
    assert table.column("p (Holm)") == [6 / 2**6] * 3 and table.column("better") == [None] * 3


def test_tests_say_whether_the_seeds_suffice():
    costs = {(name, "p"): [100 + i + j for j in range(7)] for i, name in enumerate("abc")}
    few = results({key: values[:6] for key, values in costs.items()}).tests().note
    assert few.endswith(
        "With 6 pairs and 3 tests, the corrected p is at least 0.0938, so no difference can be "
        "significant; that takes at least 7 seeds."
    )
    assert results(costs).tests().note.endswith("the corrected p is at least 0.0469.")
    assert "at least 7 problems" in results(costs).tests_over_problems().note
    assert "at least" not in results({("a", "p"): [1.0]}).tests().note


def test_algorithms_are_compared_with_one_of_them():
    costs = {(name, "p"): [100 + i + j for j in range(7)] for i, name in enumerate("abc")}
    table = results(costs).tests("b")
    assert list(zip(table.column("first"), table.column("second"), strict=True)) == [
        ("a", "b"), ("c", "b"),
    ]  # fmt: skip
    assert table.column("p (Holm)") == [2 * 2 / 2**7] * 2 and table.column("better") == ["a", "b"]
    with pytest.raises(InvalidParameterError, match="control: 'd' is none of 'a', 'b', 'c'"):
        results(costs).tests("d")


def test_a_table_for_a_paper():
    rows = {name: [100 + i + j for j in range(8)] for i, name in enumerate("abc")}
    costs = {(name, p): rows[name] for name in rows for p in "pq"}
    costs["a", "q"] = costs["b", "q"]
    runs = results(costs)
    table = runs.paper_table(control="b")
    assert table.columns == ("problem", "a", "b", "c")
    assert table.rows == (
        ("p", "103.5 ± 2.4 +", "104.5 ± 2.4", "105.5 ± 2.4 \N{MINUS SIGN}"),
        ("q", "104.5 ± 2.4 ≈", "104.5 ± 2.4", "105.5 ± 2.4 \N{MINUS SIGN}"),
    )
    latex = table.latex()
    assert r"p & \textbf{103.5 $\pm$ 2.4} + & 104.5 $\pm$ 2.4 & 105.5 $\pm$ 2.4 $-$ \\" in latex
    assert r"q & \textbf{104.5 $\pm$ 2.4} $\approx$ & \textbf{104.5 $\pm$ 2.4} &" in latex
    assert r"\begin{tabular}{lrrr}" in latex and "103.5 ± 2.4 +" in str(table)
    assert r"\textbf{103.50 $\pm$ 2.45} + &" in table.latex(digits=3)
    assert '"number"><b>103.5 ± 2.4</b> +</td><td class="number">104.5 ± 2.4</td>' in table.html()
    assert table.note == (
        "Mean ± standard deviation of the final costs of 8 runs. The lowest means are bold. "
        "+, \N{MINUS SIGN}, ≈: significantly better than b, significantly worse, no significant "
        "difference (Wilcoxon's signed-rank test, two-sided, of the final gaps, paired by seed; "
        "Holm's correction for 4 tests; p at most 0.05)."
    )
    assert table.advice == ""
    assert runs.paper_table().rows[0] == ("p", "103.5 ± 2.4", "104.5 ± 2.4", "105.5 ± 2.4")


def test_a_table_for_a_paper_has_no_means_of_runs_that_found_nothing():
    runs = Results([
        record("a", "p", 1, points=[(1.0, [[5.0]])]), record("a", "p", 2, points=[(1.0, [])]),
        record("b", "p", 1, points=[(1.0, [[6.0]])]),
        record("b", "q", 1, points=[(1.0, FRONT)], objectives=2),
    ])  # fmt: skip
    with pytest.warns(UserWarning, match="With 1 pair and 1 test, .* at least 6 seeds"):
        table = runs.paper_table("a")
    assert table.rows == (("p", None, "6 ≈"), ("q", None, "0"))
    assert table.note.startswith("Mean ± standard deviation of the final costs (with several obj")
    assert "A cell with - has a run that failed" in table.note and "1 to 2 runs" in table.note
    assert "6 seeds" not in table.note and "% With 1 pair and" in table.latex(note=False)
    assert "With 1 pair and" in str(table) and "With 1 pair and" in table.html()


def test_the_note_of_a_table_for_a_paper_has_the_conditions():
    about = {"description": {"until": "after 2 s"}, "machine": {"threads": "4", "gpu": "none"}}
    runs = Results([
        record("a, b", seed=1, points=[(1.0, [[5.0]])], **about),
        record("a, b", seed=2, points=[(1.0, [[6.0]]), (2.0, [[4.0]])], **about),
        record("c", seed=1, points=[(1.0, [[7.0]])], **about),
        record("c", seed=2, points=[(1.0, [[7.0]])], **about),
    ])  # fmt: skip
    assert runs.paper_table().note == (
        "Mean ± standard deviation of the final costs of 2 runs, each ended after 2 s. The lowest "
        "means are bold. Generations of a run, median (lowest to highest): a, b 1.5 (1 to 2); c 1. "
        "Hardware and software: 4 threads, no GPU."
    )


def test_means_of_a_row_have_equal_decimals():
    costs = {
        ("a", "p"): [26614.0, 27614.0], ("b", "p"): [7504.05, 7504.55], ("c", "p"): [16234.5] * 2,
        ("a", "q"): [100.0, 300.0], ("b", "q"): [16234.5] * 2, ("c", "q"): [0.0, 0.0],
        ("a", "r"): [16234.567] * 2, ("b", "r"): [1.25], ("c", "r"): [2.0],
        ("a", "s"): [1e5, 1e5 + 1e-6], ("b", "s"): [1e5], ("c", "s"): [1e5],
    }  # fmt: skip
    rows = results(costs).paper_table().rows
    assert [row[1:] for row in rows] == [
        ("27114.00 ± 707.11", "7504.30 ± 0.35", "16234.50 ± 0.00"),
        ("200 ± 141", "16234 ± 0", "0 ± 0"),
        ("16234.57 ± 0.00", "1.25", "2.00"),
        ("100000.0 ± 0.0", "100000.0", "100000.0"),
    ]


def test_effort_shows_busy_machines_and_compilers():
    def run(name: str, seed: int, kicks: int, cpu: float | None, **fields: object) -> Record:
        points = [(1.0, [[5.0]])] * (1 + seed)
        return record(
            name, seed=seed, points=points, counts={"kicks": kicks}, cpu_seconds=cpu, **fields
        )

    table = Results([
        run("a", 1, 900, 2.0, seconds=1.0), run("a", 2, 1300, 1.8, seconds=1.0),
        run("b", 1, 900, 2.0, seconds=1.0), run("b", 2, 1400, 2.0, seconds=1.1),
        run("c", 1, 0, 2.0, seconds=1.0), run("c", 2, 0, 1.3, seconds=1.0, compiling=0.3),
        run("d", 1, 100, None, seconds=1.0), run("d", 2, 900, None, seconds=3.0),
    ]).effort()  # fmt: skip
    assert table.as_dicts()[0] == {
        "problem": "p", "algorithm": "a", "runs": 2, "generations": "2.5 (2 to 3)",
        "evaluations": "25 (20 to 30)", "kicks": "1,100 (900 to 1,300)", "seconds": "1",
        "CPU": "1.9 (1.8 to 2)", "compiling s": "0",
    }  # fmt: skip
    assert table.column("CPU")[2:] == ["1.5 (1 to 2)", ""]
    assert table.column("kicks")[2] == ""
    assert "in kicks, evaluations or CPU: b on p; c on p. Other programs" in table.advice
    assert table.advice.endswith("Runs that waited for compilers: c on p, seed 2 (0.3 s).")
    assert Results([record(seed=1, error="E: no\n")]).effort().rows == ()


def test_problems_have_their_size_and_the_reference_of_gaps():
    about = {"description": {"problem": "9 cities"}, "points": [(1.0, [[5.0]])]}
    runs = Results([record("a", "p", **about), record("a", "q", **about, optimum=5.0)])
    assert runs.instances().rows == (
        ("p", "9 cities", "the best cost of all runs, 5"), ("q", "9 cities", "the optimum, 5"),
    )  # fmt: skip
    for table in (runs.instances(), runs.table()):
        assert "the algorithm that found it has the gap 0" in table.note
    known = Results([record("a", "q", **about, optimum=5.0)])
    assert known.instances().note == "" and "has the gap 0" not in known.table().note


def test_joined_ranks_are_explained_if_friedman_finds_a_difference():
    orders = [(1, 2, 3), (1, 2, 3), (1, 3, 2), (1, 3, 2)]
    costs = {(n, f"p{i}"): [row[k]] for i, row in enumerate(orders) for k, n in enumerate("abc")}
    assert "Nemenyi's test, which is weaker, cannot tell which" in results(costs).ranks().note
    clear = {(name, f"p{i}"): [k] for i in range(4) for k, name in enumerate("abc")}
    assert "p = 0.0183" in (note := results(clear).ranks().note) and "weaker" not in note


def test_tables_count_missing_runs():
    done = [record("a", seed=1, points=[(1.0, [[5.0]])]), record("b", seed=1, error="E: no\n")]
    runs = Results(done, [(name, "p", seed) for name in "ab" for seed in (1, 2)])
    tables = [
        runs.table(), runs.means(), runs.times(), runs.tests(), runs.tests_over_problems(),
        runs.ranks(),
    ]  # fmt: skip
    with pytest.warns(UserWarning, match="paper_table: .*3 of 4 planned runs are missing"):
        tables += [runs.paper_table(), runs.paper_table("a")]
    for table in tables:
        assert table.note.endswith(" 3 of 4 planned runs are missing or failed."), table
    assert "planned" not in Results(done[:1], [("a", "p", 1)]).table().note


def test_only_common_seeds_are_compared():
    runs = Results([
        *(record("a", seed=seed, points=[(1.0, [[2.0]])]) for seed in (1, 2, 3)),
        *(record("b", seed=seed, points=[(1.0, [[1.0 + seed % 2]])]) for seed in (2, 3, 4)),
    ])  # fmt: skip
    (row,) = runs.tests().as_dicts()
    assert (row["pairs"], row["first better"], row["second better"]) == (2, 0, 1)
    assert row["better"] is None


def test_algorithms_are_compared_by_medians_over_problems():
    problems = [f"p{i}" for i in range(8)]
    costs = {("a", p): [100, 100, 300] for p in problems}
    costs |= {("b", p): [100, 101 + i, 102 + i] for i, p in enumerate(problems)}
    runs = results(costs)
    (row,) = runs.tests_over_problems().as_dicts()
    assert row["pairs"] == row["first better"] == 8 and row["p"] == 2 / 2**8
    assert row["better"] == "a"
    assert runs.ranks().rows == (("a", 1.0), ("b", 2.0))
    assert "Over 8 problems" in runs.ranks().note and "0.693" in runs.ranks().note


def test_ranks_need_problems_with_runs_of_all_algorithms():
    runs = results({("a", "p"): [1], ("b", "p"): [2], ("b", "q"): [1]})
    assert runs.ranks().rows == (("a", 1.0), ("b", 2.0))
    apart = results({("a", "p"): [1], ("b", "q"): [2]})
    assert apart.ranks().rows == apart.tests().rows == apart.tests_over_problems().rows == ()


def test_all_machines_are_named():
    runs = Results([
        record(seed=1, machine={"cores": "2", "gpu": "none"}),
        record(seed=2, machine={"cores": "8", "gpu": "none"}),
    ])  # fmt: skip
    assert runs.machines().rows == (("cores", "2, 8"), ("gpu", "none"))


def test_the_csv_has_a_line_for_each_point(tmp_path):
    runs = Results(
        [
            record("a,b", "p", points=[(0.5, []), (1.0, [[12.0]]), (2.0, [[10.0]])]),
            record("c", "q", points=[(3.0, FRONT)], objectives=2),
        ]
    )
    runs.save_csv(tmp_path / "a.csv")
    lines = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8"))))
    kept = [(line["algorithm"], line["seconds"], line["best"], line["gap"]) for line in lines]
    assert kept == [
        ("a,b", "0.5", "", "inf"),
        ("a,b", "1.0", "12.0", "20.0"),
        ("a,b", "2.0", "10.0", "0.0"),
        ("c", "3.0", "", "0.0"),
    ]
    assert [line["generation"] for line in lines] == ["1", "2", "3", "1"]


def test_a_folder_is_read_in_the_order_of_its_plan(tmp_path):
    plan = Plan({"z": "Z", "a": "A"}, {"q": "Q", "p": "P"}, (1, 2), "T")
    plan.save(tmp_path)
    (tmp_path / "runs").mkdir()
    *runs, last = plan.runs()
    for run in runs:
        record(*run.key, points=[(1.0, [[5.0]])]).save(run.path(tmp_path))
    found = Results.load(tmp_path)
    assert (found.algorithms, found.problems, found.seeds) == (["z", "a"], ["q", "p"], [1, 2])
    assert found.missing == [last.key]
    runs[0].path(tmp_path).write_bytes(b"{")
    with pytest.warns(UserWarning, match="not the record of a run"):
        assert Results.load(tmp_path).missing == [runs[0].key, last.key]
    (tmp_path / PLAN).write_bytes(b"{")
    with (
        pytest.warns(UserWarning, match="not the record"),
        pytest.raises(FileFormatError, match=PLAN),
    ):
        Results.load(tmp_path)


def test_folders_without_runs(tmp_path):
    with pytest.raises(InvalidParameterError, match="has no runs"):
        Results.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        Results.load(tmp_path / "a")
    with pytest.raises(InvalidParameterError, match="there is no run"):
        Results([])
