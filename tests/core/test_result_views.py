"""Results as text, HTML, JSON and CSV."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.lazy_names import public_names
from gpu_ls_plugin.core.result import Result, Statistics
from tests.solver.test_inputs import FEW, PROBLEMS


def test_a_large_result_has_a_short_text() -> None:
    tours = np.tile(np.arange(3000, dtype=np.int32), (100, 1))
    statistics = Statistics(seconds=1.23456, stopped_by="kicks", backend="cpu")
    statistics.history = [object()] * 1000  # type: ignore[list-item]
    result = Result(tours, np.arange(100, 200), statistics)
    assert repr(result) == (
        "Result(best_cost=100, best_feasible=True, rows=100, length=3000, seconds=1.235, "
        "stopped_by='kicks', backend='cpu')"
    )
    assert len(repr(statistics)) < 400
    html = result._repr_html_()
    assert "<td>100</td>" in html and "[0, 1, 2, 3, 4" in html and len(html) < 1500
    assert "rows=0" in repr(Result(tours[:0], np.zeros(0)))


def test_results_of_many_instances_have_a_short_text() -> None:
    found = gls.solve_many(np.random.default_rng(1).random((50, 7, 2)), seconds=1, backend="cpu")
    assert repr(found).startswith("ManyResult(instances=50, total_cost=")
    assert len(repr(found)) < 200 and "<td>50</td>" in found._repr_html_()


def test_no_text_of_a_public_class_contains_an_address() -> None:
    kinds = [getattr(gls, name) for name in public_names("gpu_ls_plugin")]
    bare = [kind for kind in kinds if isinstance(kind, type) and kind.__repr__ is object.__repr__]
    assert bare == [gls.Heuristic, gls.Mask, gls.SearchDisplay]  # two base classes and a display


def test_problems_have_a_short_text() -> None:
    class Own(gls.Problem):
        n, name = 5, "mine"

        def check(self, rows: object, /, *, parameter: str = "rows") -> object: ...
        def cost(self, rows: object, /) -> object: ...

    Own.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]
    assert repr(Own()) == "<Own mine: rows of 5>"  # type: ignore[abstract]
    path = gls.OpenPath(gls.TSP([[0, 0], [1, 1], [2, 0]], name="three"), 0, 2)
    assert repr(path) == f"OpenPath({path.problem!r}, first=0, last=2)"
    assert "three" in repr(path)


def test_html_escapes_names() -> None:
    problem = gls.TSP([[0, 0], [1, 1], [2, 0]], name="<b>&")
    result = Result(np.array([[0, 1, 2]], np.int32), np.array([4.0]), problem=problem)
    assert "&lt;b&gt;&amp;" in result._repr_html_() and "<b>" not in result._repr_html_()


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_kind_of_result_becomes_json_and_csv(kind: str, tmp_path) -> None:
    problem = PROBLEMS[kind]
    result = gls.solve(problem, **FEW)
    assert len(repr(result)) < 300 and result._repr_html_().startswith("<table>")

    content = json.loads(json.dumps(result.to_dict()))
    assert content["tours"] == result.tours.tolist() and content["costs"] == result.costs.tolist()
    assert content["best_cost"] == result.best_cost
    assert content["best_tour"] == result.best_tour.tolist()
    assert content["feasible"] == result.feasible.tolist()
    assert content["statistics"]["kicks"] == result.statistics.kicks
    assert ("routes" in content) == (kind == "cvrp")

    result.to_csv(tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [[int(city) for city in line["tour"].split()] for line in lines] == content["tours"]
    assert [float(line["cost"]) for line in lines] == content["costs"]
    assert [line["feasible"] == "yes" for line in lines] == content["feasible"]
    if kind == "cvrp":
        assert content["routes"] == problem.routes(result.best_tour)
        routes = [[int(c) for c in route.split()] for route in lines[0]["routes"].split("|")]
        assert routes == content["routes"]
