"""Given start populations: rows that are no tours are named before the run begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.core.population import Population
from pymoo.optimize import minimize
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTourError
from gpu_ls_pymoo import MemeticGA, TSPProblem
from tests.evolution.samples import cities, rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

PROBLEMS = {
    "ours": TSPProblem(gls.TSP(cities(20))),
    "pymoo's": TravelingSalesman(cities(20)),
}
on_both = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
FORMS = {"array": lambda tours: tours, "population": lambda tours: Population.new("X", tours)}
in_both_forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def changed(value: Any, dtype: Any = None) -> NDArray[Any]:
    """Return tours with a wrong value in row 2, position 5."""
    tours = rows(20, 4).astype(dtype or type(value))
    tours[2, 5] = value
    return tours


WRONG = {
    "twice": (changed(rows(20, 4)[2, 6], int), "sampling: row 2 is not a permutation"),
    "too large": (changed(20), "sampling: row 2 holds city 20 at position 5"),
    "negative": (changed(-1), "sampling: row 2 holds city -1 at position 5"),
    "a half": (changed(0.5), r"sampling: row 2 holds 0\.5 at position 5"),
    "NaN": (changed(np.nan), "sampling: row 2 holds nan at position 5"),
    "infinite": (changed(np.inf), "sampling: row 2 holds inf at position 5"),
    "text": (changed("x", object), "sampling: row 2 holds 'x' at position 5"),
    "too wide": (rows(21, 3), r"sampling: shape \(3, 21\)"),
    "too wide, floats": (rows(21, 3) / 7, r"sampling: shape \(3, 21\)"),
    "empty": (np.empty((0, 20), dtype=int), "sampling: shape"),
}


@on_both
@in_both_forms
@pytest.mark.parametrize("name", WRONG)
def test_rows_that_are_no_tours_are_named(problem: Any, form: Any, name: str) -> None:
    tours, message = WRONG[name]
    with pytest.raises(InvalidTourError, match=message):
        minimize(problem, MemeticGA(5, sampling=form(tours)), ("n_gen", 2), seed=1)


def test_rows_of_different_lengths() -> None:
    pop = Population.merge(Population.new("X", rows(20, 1)), Population.new("X", rows(19, 1)))
    with pytest.raises(InvalidTourError, match="sampling: rows of different lengths"):
        minimize(PROBLEMS["ours"], MemeticGA(5, sampling=pop), ("n_gen", 2), seed=1)


@on_both
@in_both_forms
@pytest.mark.parametrize("dtype", [np.uint8, float, object])
def test_whole_numbers_of_any_type_are_tours(problem: Any, form: Any, dtype: Any) -> None:
    given = form(rows(20, 6).astype(dtype))
    algorithm = MemeticGA(5, sampling=given)
    algorithm.setup(problem, termination=("n_gen", 1), seed=1)
    result = algorithm.run()
    assert result.pop.get("X").tolist() == rows(20, 6).tolist()
    assert (given.get("X") if isinstance(given, Population) else given).dtype == dtype
