"""Published optima of TSPLIB, and which problems they belong to."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.tours.problem import known_optima
from tests.helpers.instances import FOLDER

BURMA14 = [
    *((16.47, 96.10), (16.47, 94.44), (20.09, 92.54), (22.39, 93.37), (25.23, 97.24)),
    *((22.00, 96.05), (20.47, 97.02), (17.20, 96.29), (16.30, 97.38), (14.05, 98.12)),
    *((16.53, 97.38), (21.52, 95.59), (19.41, 97.13), (20.09, 94.55)),
]


def burma14(points: object = BURMA14, metric: str = "GEO", name: str = "burma14") -> gls.TSP:
    return gls.TSP(points, metric, name=name)


def test_names_are_known() -> None:
    assert gls.known_optimum("burma14") == 3323
    assert gls.known_optimum(" RAT783 ") == 8806
    assert gls.known_optimum("eil101") == 629 and gls.known_optimum("ftv170") == 2755
    assert gls.known_optimum("nothing") is None


def test_a_problem_is_known_by_name_size_metric_and_lengths() -> None:
    assert gls.known_optimum(burma14()) == 3323
    assert burma14().optimum is None  # `known_optimum` alone knows it
    changed = [(16.0, 96.0), *BURMA14[1:]]
    for other in (
        burma14(changed),
        burma14(BURMA14[::-1][:13]),
        burma14(np.array(BURMA14)[[1, 0, *range(2, 14)]]),
        burma14(name="burma"),
        burma14(name=""),
        burma14(metric="EUC_2D"),
        gls.CVRP(BURMA14, [0] + [1] * 13, 20, name="burma14"),
        gls.TSP(BURMA14, "GEO", name="eil101"),
    ):
        assert gls.known_optimum(other) is None
    with pytest.raises(InvalidTypeError, match="neither a name nor a problem"):
        gls.known_optimum(5)  # type: ignore[arg-type]


def test_the_table_is_consistent() -> None:
    for name, (n, metric, length, optimum) in known_optima.measured_instances().items():
        assert 0 < optimum <= length and n > 3 and metric.isupper(), name
    symmetric = len(known_optima.SYMMETRIC.split(",")) + len(known_optima.ASYMMETRIC.split(","))
    assert len(known_optima.all_optima()) == len(known_optima.measured_instances()) + symmetric


@pytest.mark.skipif(not (FOLDER / "tsp").is_dir(), reason="needs TSPLIB instances")
def test_files_of_tsplib_are_recognised() -> None:
    solutions = json.loads((FOLDER / "tsp/solutions.json").read_text())
    for name in ("att48", "berlin52", "bayg29", "gr96", "rat783"):
        problem = gls.TSP.read(FOLDER / f"tsp/{name}.tsp")
        assert gls.known_optimum(problem) == solutions[name]
    known = {name.lower(): best for name, best in solutions.items()}
    by_name = known_optima.all_optima()
    assert all(known.get(name, best) == best for name, best in by_name.items())
