"""Limits of evaluations and seconds, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.soo.nonconvex.ga import GA, FitnessSurvival
from pymoo.core.duplicate import DefaultDuplicateElimination
from pymoo.core.population import Population
from pymoo.core.termination import TerminateIfAll
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.traveling_salesman import TravelingSalesman
from pymoo.termination.collection import TerminationCollection
from pymoo.termination.max_eval import MaximumFunctionCallTermination
from pymoo.termination.max_gen import MaximumGenerationTermination
from pymoo.termination.max_time import TimeBasedTermination

import gpu_ls_plugin as gls
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    CVRPProblem,
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticGA,
    MemeticMating,
    TourDuplicateElimination,
    TSPProblem,
)
from gpu_ls_pymoo.clock import seconds_left
from tests.evolution.samples import cities, rows
from tests.helpers.late_kernels import LateKernels
from tests.helpers.marks import diagonal, slow_after

if TYPE_CHECKING:
    from tests.helpers.clock import Clock

OVERRUN = 0.5  # seconds of a clock, in which eight launches end


def searching_ga(search: Any = None) -> GA:
    return GA(
        pop_size=100,
        sampling=LocalSearchSampling(search=search),
        crossover=OrderCrossover(),
        mutation=LocalSearchMutation(search),
    )


@pytest.fixture(scope="session")
def large() -> gls.TSP:
    """Return a problem whose generations take longer than half a second."""
    return gls.TSP(cities(1500), "EUC_2D")


@pytest.mark.parametrize("own", [True, False])
def test_every_searched_tour_counts_as_an_evaluation(diary, own):
    problem = TSPProblem(gls.TSP(cities(300), "EUC_2D"))  # large: few children are known tours
    algorithm = MemeticGA(20, search=diary()) if own else searching_ga(diary())
    result = minimize(problem, algorithm, ("n_eval", 250), seed=1)
    searched = sum(call["rows"] for call in diary.calls)
    assert result.algorithm.evaluator.n_eval == searched
    assert 250 <= searched < 450


def test_own_and_default_terminations(tsp):
    own = minimize(TSPProblem(tsp), MemeticGA(10, termination=("n_gen", 3)), seed=1)
    assert own.algorithm.n_gen - 1 == 3
    default = minimize(TSPProblem(gls.TSP(cities(8), "EUC_2D")), MemeticGA(5), seed=1)
    assert default.algorithm.n_gen - 1 == 100


@pytest.mark.parametrize(("kind", "form"), diagonal(["memetic", "plain"], ["ours", "pymoo"]))
def test_a_time_limit_is_kept(large, kind, form, clock):
    problem = (
        TSPProblem(large) if form == "ours" else TravelingSalesman(np.array(large.coordinates))
    )
    LocalSearchMutation().prepare(problem)
    LocalSearchSampling().prepare(problem)
    algorithm = MemeticGA() if kind == "memetic" else searching_ga()
    result = minimize(problem, algorithm, ("time", 0.5), seed=1)
    assert 0.5 <= result.exec_time <= 0.5 + OVERRUN
    assert result.F[0] == problem.evaluate(result.X)[0]


EXHAUSTIVE = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
FUSED, STEPPED = gls.IteratedLocalSearch(), gls.IteratedLocalSearch(EXHAUSTIVE)
LIMITS = (MaximumGenerationTermination(10**6), TimeBasedTermination("00:00:01"))


@pytest.mark.parametrize(
    ("kind", "search", "limit"),
    slow_after(
        2,
        [
            ("plain", STEPPED, ("time", "00:00:01")),
            ("memetic", FUSED, TerminationCollection(*LIMITS)),
            ("plain", FUSED, ("time", 1)),
            ("memetic", STEPPED, ("time", "00:00:01")),
        ],
    ),
)
def test_a_time_limit_cuts_iterated_searches(kind, search, limit, clock):
    """Without the limit, the first search would make ten kicks for each city and tour."""
    problem, mutation = TSPProblem(gls.TSP(cities(200))), LocalSearchMutation(search)
    mutation.prepare(problem, 40)
    plain = GA(40, PermutationRandomSampling(), crossover=OrderCrossover(), mutation=mutation)
    algorithm = MemeticGA(40, search) if kind == "memetic" else plain
    result = minimize(problem, algorithm, limit, seed=1)
    assert 1 <= result.exec_time <= 1 + OVERRUN
    assert result.data["local_search"].kicks > 0
    assert result.F[0] == problem.tsp.cost(result.X)[0]


def test_compiling_does_not_count(large, clock):
    """The minute in which a search compiles passes before the clock starts."""
    inner, compiled = gls.LocalSearch(), []

    class Compiling:
        def __call__(self, *args: Any, **options: Any) -> Any:
            if not compiled:
                clock.advance(60)
                compiled.append(True)
            return inner(*args, **options)

        def __deepcopy__(self, memo: Any) -> Compiling:
            return self

    result = minimize(TSPProblem(large), MemeticGA(search=Compiling()), ("time", 0.3), seed=1)
    assert compiled
    assert result.exec_time <= 0.3 + OVERRUN


def test_the_search_is_given_the_time_that_is_left(tsp, diary, clock):
    minimize(TSPProblem(tsp), MemeticGA(20, search=diary()), ("time", 2), seed=1)
    given = [call["budget"].seconds for call in diary.calls]
    assert 1 < given[0] <= 2 and len(given) > 2
    assert given == sorted(given, reverse=True)
    minimize(TSPProblem(tsp), MemeticGA(20, search=diary()), ("n_gen", 1), seed=1)
    assert diary.calls[-1]["budget"] == gls.Budget()


def test_time_cuts_an_iterated_search_but_is_not_its_length(tsp, large, clock):
    search = gls.IteratedLocalSearch(kicks_per_city=0.1)
    short = MemeticGA(20, search=search)
    result = minimize(TSPProblem(tsp), short, ("time", 3), seed=1, save_history=True)
    assert len(result.history) > 2  # the first generation did not take all the time
    kicks = [entry.data["local_search"].kicks for entry in result.history]
    made = np.diff(kicks, prepend=0)
    assert made[0] == 20 * 6
    assert made.max() <= 20 * 6
    assert not (made[:-1] % 6).any()  # six for each tour; time may cut those of the last search
    long = MemeticGA(20, search=search, kicks=10**9)
    result = minimize(TSPProblem(large), long, ("time", 0.5), seed=1)
    assert result.exec_time <= 0.5 + OVERRUN
    assert result.data["local_search"].stopped_by == "seconds"
    assert result.F[0] == large.cost(result.X)[0]


def test_an_iterated_search_is_compiled_before_the_clock_starts(tsp, monkeypatch):
    kernels = LateKernels(monkeypatch)
    algorithm = MemeticGA(20, search=gls.IteratedLocalSearch(), kicks=5, backend="cpu")
    algorithm.setup(TSPProblem(tsp), termination=("n_gen", 2), seed=1)
    kernels.prepared = True
    algorithm.run()
    assert "chain" in kernels.launched
    assert kernels.late == []


class Started:
    """An algorithm that started ten seconds ago."""

    def __init__(self, termination: Any, clock: Clock) -> None:
        self.termination, self.start_time = termination, clock.time() - 10


def test_the_time_limit_of_a_collection(clock):
    def left(termination: Any) -> float:
        return seconds_left(Started(termination, clock))

    both = TerminationCollection(
        MaximumGenerationTermination(5), TimeBasedTermination("00:00:30"), TimeBasedTermination(20)
    )
    assert left(both) == pytest.approx(10, abs=0.1)
    assert left(MaximumFunctionCallTermination(5)) == float("inf")
    assert left(TimeBasedTermination(5)) == 0
    assert seconds_left(None) == float("inf")
    every = TerminateIfAll(MaximumGenerationTermination(5), TimeBasedTermination(5))
    assert left(every) == float("inf")  # the run continues, so tours are searched
    assert left(TerminateIfAll(both, TimeBasedTermination(5))) == pytest.approx(10, abs=0.1)
    both.terminate()
    assert left(both) == 0


def test_no_search_begins_when_the_time_is_up(tsp, diary):
    algorithm = MemeticGA(20, search=diary()).setup(
        TSPProblem(tsp), termination=("time", 100), seed=1
    )
    algorithm.next()
    algorithm.start_time -= 100
    algorithm.next()
    assert len(diary.calls) == 1
    assert not algorithm.has_next()
    assert algorithm.pop.get("F")[:, 0].tolist() == tsp.cost(algorithm.pop.get("X")).tolist()


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("own", [True, False])
def test_ctrl_c_in_a_search_ends_the_run_with_the_best_so_far(tsp, diary, own, at):
    diary.interrupt_at = at
    algorithm = MemeticGA(20, search=diary()) if own else searching_ga(diary())
    result = minimize(TSPProblem(tsp), algorithm, ("n_gen", 50), seed=1)
    assert len(diary.calls) == at + 1
    assert result.algorithm.n_gen - 1 == at + 1
    assert result.F[0] == tsp.cost(result.X)[0]
    assert result.data["local_search"].interrupted


@pytest.mark.parametrize("generation", [1, 3])
def test_ctrl_c_between_searches_ends_the_run_too(tsp, generation):
    def interrupt(algorithm: Any) -> None:
        if algorithm.n_gen == generation:
            raise KeyboardInterrupt

    run = {"callback": interrupt, "seed": 1}
    result = minimize(TSPProblem(tsp), MemeticGA(20), ("n_gen", 50), **run)
    assert result.algorithm.n_gen == generation
    assert result.F[0] == tsp.cost(result.X)[0] == result.pop.get("F").min()


def test_ctrl_c_before_there_is_a_tour_is_not_hidden(tsp):
    def interrupt(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minimize(TSPProblem(tsp), MemeticGA(20, sampling=interrupt), ("n_gen", 5), seed=1)


@pytest.mark.parametrize("delay", [0.05, 0.3, 0.55])
def test_ctrl_c_at_any_time_ends_the_run(large, delay):
    problem, algorithm = TSPProblem(large), MemeticGA(30)
    algorithm.setup(problem, termination=("time", 600), seed=1)
    algorithm.next()
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = algorithm.run()
    timer.join()
    assert result.exec_time < 600
    assert result.F[0] == large.cost(result.X)[0]
    assert result.F[0] == result.pop.get("F").min()
    assert result.F[0] < large.cost(rows(1500, 1))[0]


RANDOM = np.random.default_rng(0)


def problems():
    for n in (1, 2, 3, 12):
        yield gls.TSP(RANDOM.random((n, 2)) * 100)
        yield gls.TSP.from_matrix(RANDOM.integers(1, 99, (n + 1, n + 1)))
    for customers in (1, 2, 12):
        points, demands = RANDOM.random((customers + 1, 2)) * 100, np.ones(customers, int)
        yield gls.CVRP(points, np.r_[0, demands], 4)


@pytest.mark.parametrize("seconds", [1e-6, 0.01])
def test_runs_without_time_return_a_complete_row(seconds):
    for problem in problems():
        kind = CVRPProblem if isinstance(problem, gls.CVRP) else TSPProblem
        found = minimize(kind(problem), MemeticGA(), ("time", seconds), seed=1)
        row = np.asarray(found.X, np.int32).reshape(1, -1)
        assert problem.feasible(row)[0]
        assert found.F[0] == problem.cost(row)[0]


LIMIT, LATE = 0.6, 0.2  # seconds of the machine
SLOW = 0.4  # seconds: more than a run may take beyond its limit


class SlowCrossover(OrderCrossover):
    """A crossover as slow as pymoo's edge recombination of a few dozen pairs."""

    def _do(self, *args: Any, **options: Any) -> Any:
        time.sleep(SLOW)
        return super()._do(*args, **options)


class SlowDuplicates(DefaultDuplicateElimination):
    """An elimination as slow as pymoo's comparison of all pairs among thousands of rows."""

    def do(self, *args: Any, **options: Any) -> Any:
        time.sleep(SLOW)
        return super().do(*args, **options)


class OneByOne(GeneticAlgorithm):
    """Mutates copies of single individuals, as decomposition does."""

    def _infill(self) -> Any:
        context = {"algorithm": self, "random_state": self.random_state}
        mutate = self.mating.mutation
        made = [mutate(self.problem, self.pop[[i]], inplace=False, **context) for i in range(50)]
        return Population.merge(*made)


@pytest.fixture(scope="module")
def thousand() -> TSPProblem:
    """Return a problem of a thousand cities for which all kernels are compiled."""
    made = TSPProblem(gls.TSP(cities(1000), "EUC_2D"))
    for operator in (LocalSearchMutation(), LocalSearchSampling()):
        operator.prepare(made, 50)
    return made


def drop_in(kind: Any = GA, **options: Any) -> Any:
    parts = {
        "pop_size": 50,
        "sampling": PermutationRandomSampling(),
        "crossover": OrderCrossover(),
        "mutation": LocalSearchMutation(),
    }
    return kind(**{**parts, **options})


@pytest.mark.timed
@pytest.mark.parametrize(
    "algorithm",
    [
        pytest.param(drop_in(), id="ga"),
        pytest.param(drop_in(NSGA2), id="nsga2"),
        pytest.param(drop_in(OneByOne, survival=FitnessSurvival(), selection=None), id="one"),
        pytest.param(MemeticGA(50), id="memetic"),
        *(
            pytest.param(drop_in(**options), id=name, marks=pytest.mark.slow)
            for name, options in {
                "some": {"mutation": LocalSearchMutation(prob=0.3)},
                "steady": {"n_offsprings": 1},
                "starts": {"sampling": LocalSearchSampling(), "repair": CanonicalTourRepair()},
                "hash": {"eliminate_duplicates": TourDuplicateElimination()},
                "nsga3": {"kind": NSGA3, "ref_dirs": np.ones((1, 1))},
                "mating": {"mating": MemeticMating()},
            }.items()
        ),
    ],
)
def test_a_time_limit_holds(thousand, algorithm):
    result = minimize(thousand, algorithm, ("time", LIMIT), seed=1)
    assert LIMIT - LATE <= result.exec_time <= LIMIT + LATE
    assert result.data["local_search"].moves > 0
    assert result.F[0] == thousand.tsp.cost(result.X)[0]


@pytest.mark.timed
@pytest.mark.parametrize(
    ("slow", "limit", "generations"),
    [
        ({"crossover": SlowCrossover()}, 0.9, 3),
        ({"eliminate_duplicates": SlowDuplicates()}, 1.3, 3),
    ],
    ids=["crossover", "duplicates"],
)
def test_slow_parts_of_pymoo_do_not_break_it(thousand, slow, limit, generations):
    """No generation begins that would exceed the limit even without a search."""
    algorithm = drop_in(pop_size=20, n_offsprings=10, **slow)
    result = minimize(thousand, algorithm, ("time", limit), seed=1)
    assert result.exec_time <= limit + LATE
    # As many as fit into the time; one less if the machine is busy.
    assert generations - 1 <= result.algorithm.n_gen - 1 <= generations
    assert result.data["local_search"].moves > 0


@pytest.mark.timed
def test_after_the_time_limit_pymoo_mates_only_once(thousand, monkeypatch):
    """All individuals that are not drawn are duplicates, since their parents are equal."""
    mutation = LocalSearchMutation(prob=0.02)
    calls = []
    inner = LocalSearchMutation.do

    def note(self: Any, *args: Any, **options: Any) -> Any:
        calls.append(time.time())
        return inner(self, *args, **options)

    monkeypatch.setattr(LocalSearchMutation, "do", note)
    start = np.arange(1000)[None].repeat(20, axis=0)
    algorithm = drop_in(pop_size=20, sampling=start, mutation=mutation)
    algorithm.setup(thousand, termination=("time", 100), seed=1)
    algorithm.next()
    algorithm.start_time -= 100
    algorithm.next()
    assert len(calls) == 1
    assert not algorithm.has_next()
