"""Runs of pymoo whose population stays on the device of the search."""

from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest
from pymoo.core.population import Population
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.optimize import minimize
from pymoo.problems.single.traveling_salesman import TravelingSalesman
from pymoo.termination.default import DefaultSingleObjectiveTermination
from pymoo.termination.fmin import MinimumFunctionValueTermination
from pymoo.util.archive import SingleObjectiveArchive

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError
from gpu_ls_plugin.evolution.convergence import Stagnation
from gpu_ls_plugin.evolution.replacement import Crowding
from gpu_ls_plugin.tours.kernels.edge_keys import edge_keys
from gpu_ls_pymoo import LocalSearchSampling, MemeticGA, TSPProblem
from gpu_ls_pymoo.evolving import LazyPopulation
from tests.evolution.samples import cities, rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

POPULATIONS: dict[str, Callable[..., MemeticGA]] = {
    "chains": lambda **options: MemeticGA(12, backend="cpu", **options),
    "children": lambda **given: MemeticGA(
        12, crossover=gls.EdgeRecombination(), backend="cpu", **given
    ),
    "crowding, restarts": lambda **given: MemeticGA(
        12,
        crossover=gls.EdgeAssembly(),
        replacement=Crowding(),
        restarts=Stagnation(2),
        backend="cpu",
        **given,
    ),
    "chains, 2-opt": lambda **options: MemeticGA(
        12, "two_opt/nearest(5)", backend="cpu", **options
    ),
}
of_each = pytest.mark.parametrize("make", POPULATIONS.values(), ids=POPULATIONS)


@pytest.fixture(scope="module")
def problem() -> TSPProblem:
    """Return a problem that is large enough for different tours after a few generations."""
    return TSPProblem(gls.TSP(cities(400), "EUC_2D"))


@of_each
def test_populations_are_made_on_access_only(problem, make, monkeypatch):
    fill, filled = LazyPopulation.fill, []

    def note(self: LazyPopulation) -> Any:
        pop = fill(self)
        filled.append(len(pop))
        return pop

    monkeypatch.setattr(LazyPopulation, "fill", note)
    result = minimize(problem, make(), ("n_gen", 4), seed=1)
    assert max(filled) == 1  # of the start and of the result
    assert len(result.pop) > 1


@of_each
def test_populations_have_different_tours_and_their_fitness(problem, make):
    seen = []

    def look(algorithm: Any) -> None:
        tours, values = algorithm.pop.get("X", "F")
        assert np.array_equal(values[:, 0], problem.tsp.cost(tours))
        assert np.array_equal(values, np.sort(values, axis=0))
        assert len(np.unique(edge_keys(np, tours))) == len(tours) <= 12
        assert algorithm.opt.get("F") == values.min()
        assert set(algorithm.off.get("n_gen")) == {algorithm.n_gen}
        seen.append(values.min())

    result = minimize(problem, make(), ("n_gen", 5), seed=1, callback=look)
    assert len(seen) == 5
    assert seen == sorted(seen, reverse=True)
    assert result.F[0] == seen[-1] < seen[0]
    alone = minimize(problem, make(), ("n_gen", 5), seed=1)
    assert np.array_equal(alone.pop.get("X"), result.pop.get("X"))


@of_each
def test_asking_and_telling_is_the_same_run(problem, make):
    algorithm = make().setup(problem, termination=("n_gen", 4), seed=1)
    while algorithm.has_next():
        before = [] if algorithm.pop is None else algorithm.pop.get("X")
        infills = algorithm.ask()
        if len(before):
            assert np.array_equal(before, algorithm.pop.get("X"))
        algorithm.evaluator.eval(problem, infills)
        algorithm.tell(infills=infills)
    whole = minimize(problem, make(), ("n_gen", 4), seed=1)
    assert np.array_equal(algorithm.result().pop.get("X"), whole.pop.get("X"))
    assert algorithm.evaluator.n_eval == whole.algorithm.evaluator.n_eval == 4 * 12


@of_each
def test_the_history_keeps_each_generation(problem, make):
    seen = []
    result = minimize(
        problem,
        make(),
        ("n_gen", 4),
        seed=1,
        save_history=True,
        callback=lambda algorithm: seen.append(algorithm.pop.get("X").copy()),
    )
    for entry, tours in zip(result.history, seen, strict=True):
        assert np.array_equal(entry.pop.get("X"), tours)
    assert not np.array_equal(seen[0], seen[-1])


@of_each
def test_a_copy_continues_identically(problem, make):
    algorithm = make().setup(problem, termination=("n_gen", 6), seed=1)
    for _ in range(3):
        algorithm.next()
    copy = deepcopy(algorithm)
    runs = [run.run().pop.get("X") for run in (algorithm, copy)]
    assert np.array_equal(*runs)


@of_each
def test_replaced_tours_are_used(problem, make):
    best = minimize(problem, make(), ("n_gen", 8), seed=7)

    def put(algorithm: Any) -> None:
        if algorithm.n_gen == 2:
            algorithm.pop[0].X = best.X.copy()

    result = minimize(problem, make(), ("n_gen", 3), seed=1, callback=put)
    assert result.F[0] <= best.F[0]
    told = make().setup(problem, termination=("n_gen", 3), seed=1)
    told.next()
    told.tell(infills=Population.new(X=best.X[np.newaxis], F=best.F[np.newaxis]))
    assert told.opt.get("F")[0, 0] == best.F[0]
    told.next()
    assert told.pop.get("F").min() <= best.F[0]
    assert len(told.pop) > 1


@pytest.mark.parametrize(
    "termination",
    [DefaultSingleObjectiveTermination(n_max_gen=9, period=2), ("n_eval", 60)],
    ids=["default", "evaluations"],
)
def test_terminations_look_at_the_best(problem, termination):
    result = minimize(problem, POPULATIONS["chains"](), termination, seed=1)
    assert 2 <= result.algorithm.n_gen - 1 <= 9
    assert result.F[0] == problem.tsp.cost(result.X)[0]


def test_a_target_ends_the_run(problem):
    start = minimize(problem, POPULATIONS["chains"](), ("n_gen", 1), seed=1).F[0]
    target = MinimumFunctionValueTermination(start - 1)
    result = minimize(problem, POPULATIONS["chains"](), target, seed=1)
    assert result.F[0] < start


def test_an_archive_gets_individuals(problem):
    algorithm = MemeticGA(12, backend="cpu", archive=SingleObjectiveArchive())
    result = minimize(problem, algorithm, ("n_gen", 3), seed=1)
    assert result.archive.get("F").min() == result.F[0]


@of_each
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_few_cities(n, make):
    problem = TSPProblem(gls.TSP(cities(9)[:n], "EUC_2D"))
    result = minimize(problem, make(), ("n_gen", 3), seed=1)
    assert result.algorithm.n_gen - 1 == 3
    assert sorted(result.X) == list(range(n))
    assert result.F[0] == problem.tsp.cost(result.X)[0]


@pytest.mark.parametrize("size", [5, 12, 20])
def test_a_given_start_is_the_first_generation_and_never_lost(problem, size):
    given = gls.LocalSearch()(problem.tsp, rows(400, size), backend="cpu").tours
    algorithm = MemeticGA(12, backend="cpu", sampling=given)
    algorithm.setup(problem, termination=("n_gen", 3), seed=1)
    algorithm.next()
    assert np.array_equal(algorithm.pop.get("X"), given)
    algorithm.next()
    assert len(algorithm.pop) == 12
    assert algorithm.pop.get("F").min() <= problem.tsp.cost(given).min()


def test_a_sampling_of_pymoo_is_the_first_generation(problem):
    sampling = LocalSearchSampling("random_tours", "two_opt/nearest(5)", backend="cpu")
    result = minimize(problem, POPULATIONS["chains"](sampling=sampling), ("n_gen", 1), seed=1)
    whole = minimize(problem, POPULATIONS["chains"](sampling=sampling), ("n_gen", 3), seed=1)
    assert result.data["start_best"] == result.F[0] == whole.data["start_best"] > whole.F[0]


def test_the_defaults_are_those_of_solve(problem):
    result = minimize(problem, MemeticGA(backend="cpu"), ("time", 0.2), seed=1)
    chosen = gls.solver.default_settings(
        problem.tsp, gls.solver.Settings(seconds=0.2, backend="cpu")
    )
    assert result.algorithm.pop_size == chosen.population
    assert result.algorithm.evolution.plan.main.search == chosen.search


@pytest.mark.parametrize("part", [{"replacement": Crowding()}, {"restarts": Stagnation(2)}])
def test_parts_that_pymoo_would_ignore_are_refused(problem, part):
    algorithm = MemeticGA(12, crossover=OrderCrossover(), **part)
    with pytest.raises(InvalidParameterError, match="a survival of pymoo"):
        minimize(problem, algorithm, ("n_gen", 2), seed=1)


RUN = """
import sys
import cloudpickle
import numpy as np
algorithm = cloudpickle.load(open(sys.argv[1], "rb"))
np.save(sys.argv[2], algorithm.run().pop.get("X"))
"""


@pytest.mark.slow
@of_each
def test_another_process_continues_identically(problem, make, tmp_path):
    algorithm = make().setup(problem, termination=("n_gen", 6), seed=1)
    for _ in range(3):
        algorithm.next()
    saved, found = tmp_path / "saved", tmp_path / "found.npy"
    saved.write_bytes(cloudpickle.dumps(algorithm))
    subprocess.run([sys.executable, "-c", RUN, saved, found], check=True)
    assert np.array_equal(np.load(found), algorithm.run().pop.get("X"))


PROBLEMS = {"ours": TSPProblem(gls.TSP(cities(20))), "pymoo's": TravelingSalesman(cities(20))}
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
def test_rows_that_are_no_tours_are_named(problem, form, name):
    tours, message = WRONG[name]
    with pytest.raises(InvalidTourError, match=message):
        minimize(problem, MemeticGA(5, sampling=form(tours)), ("n_gen", 2), seed=1)


def test_rows_of_different_lengths():
    pop = Population.merge(Population.new("X", rows(20, 1)), Population.new("X", rows(19, 1)))
    with pytest.raises(InvalidTourError, match="sampling: rows of different lengths"):
        minimize(PROBLEMS["ours"], MemeticGA(5, sampling=pop), ("n_gen", 2), seed=1)


@on_both
@in_both_forms
@pytest.mark.parametrize("dtype", [np.uint8, float, object])
def test_whole_numbers_of_any_type_are_tours(problem, form, dtype):
    given = form(rows(20, 6).astype(dtype))
    algorithm = MemeticGA(5, sampling=given)
    algorithm.setup(problem, termination=("n_gen", 1), seed=1)
    result = algorithm.run()
    assert result.pop.get("X").tolist() == rows(20, 6).tolist()
    assert (given.get("X") if isinstance(given, Population) else given).dtype == dtype
