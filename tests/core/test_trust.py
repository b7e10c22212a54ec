"""Foreign parts are checked: they work, or the search names the faulty part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import FaultyPartError, InvalidTypeError
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.tours.candidates.base import CandidateLists, Candidates
from gpu_ls_plugin.tours.filters.base import Filter, Setting
from tests.helpers.marks import ON_BOTH, slow_after
from tests.helpers.random_problems import random_problem, random_tours
from tests.helpers.third_party import ROUNDED, MyMetric, MyTwoOpt

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.moves.base import Neighbourhood

N = 300


def engines(*moves: Neighbourhood) -> dict[str, Any]:
    """Return searches of all engines and kinds of chains that take lists of neighbourhoods."""
    first = gls.LocalSearch(list(moves))
    return {
        "first": first,
        "multi": gls.LocalSearch(list(moves), pivoting=gls.Multi()),
        "best": gls.LocalSearch(list(moves), pivoting=gls.Best()),
        "restarts": gls.IteratedLocalSearch(first, gls.Restart()),
        "kicks": gls.IteratedLocalSearch(first),
        "crossovers": gls.IteratedLocalSearch(first, cooperation=gls.EdgeAssembly(0.1)),
        "parts": gls.IteratedLocalSearch(first, part=100),
    }


def run(search: Any, problem: gls.TSP, backend: str = "cpu") -> gls.Result:
    """Search a few random tours."""
    budget = gls.Budget(kicks=60, seconds=60)
    return search(problem, random_tours(problem.n, 4), budget=budget, backend=backend)


ENGINES = tuple(engines(gls.TwoOpt()))
# "length": the 2-opt of an older guide, which ignores fixed edges.
HARMLESS = pytest.mark.parametrize("leaving", ["leaving", "length"])


def test_the_module_of_a_part_tells_whether_it_is_foreign():
    assert foreign(MyTwoOpt())
    assert not foreign(gls.TwoOpt())
    assert not foreign(random_problem("EUC_2D", 5).metric)


@ON_BOTH
@HARMLESS
@pytest.mark.parametrize(
    ("engine", "metric"),
    slow_after(2, [*((name, "EUC_2D") for name in ENGINES), ("kicks", "EUC")]),
)
def test_a_neighbourhood_works_under_all_engines(engine, leaving, metric, backend):
    problem = random_problem(metric, N)
    theirs = run(engines(MyTwoOpt(leaving=leaving))[engine], problem, backend)
    ours = run(engines(gls.TwoOpt())[engine], problem, backend)
    assert np.allclose(theirs.costs, problem.cost(theirs.tours), rtol=1e-13, atol=0)
    if leaving == "leaving" or engine in ("first", "multi", "best", "restarts", "kicks"):
        assert np.array_equal(theirs.tours, ours.tours)
    assert (theirs.costs <= problem.cost(random_tours(N, 4))).all()


WRONG = {
    "twice the gain": {"claim": "2 * gain"},
    "more than there is": {"claim": "gain + 3"},
    "less than there is": {"claim": "gain > 1 ? gain / 2 : gain"},
    "another move": {"side": "+"},
    "no such shape": {"shape": "kBridge"},
    "too many edges": {"edges": 99},
    "no edge": {"edges": 0},
}


@ON_BOTH
@pytest.mark.parametrize(
    ("engine", "fault"),
    [
        *slow_after(1, ((name, "twice the gain") for name in ENGINES[1:])),
        *slow_after(3, (("first", fault) for fault in WRONG)),
    ],
)
def test_wrong_gains_end_the_search(engine, fault, backend):
    search = engines(gls.OrOpt(2), MyTwoOpt(**WRONG[fault]))[engine]
    with pytest.raises(FaultyPartError, match=r"'my_two_opt' reports gains that its moves do not"):
        run(search, random_problem("EUC_2D", N), backend)
    after = run(engines(MyTwoOpt())["first"], random_problem("EUC_2D", N), backend)
    assert after.statistics.stopped_by == "optimum"  # the fault does not persist


class TheirOrOpt(gls.OrOpt):
    """A built-in functor in a foreign class."""


class TheirThreeOpt(gls.ThreeOpt):
    """A built-in functor in a foreign class."""


class TheirLinKernighan(gls.LinKernighan):
    """A built-in functor in a foreign class."""


@ON_BOTH
@pytest.mark.parametrize("metric", ["EUC_2D", "EXPLICIT"])
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (TheirOrOpt(), gls.OrOpt()),
        pytest.param(TheirThreeOpt(), gls.ThreeOpt(), marks=pytest.mark.slow),
        pytest.param(TheirLinKernighan(8), gls.LinKernighan(8), marks=pytest.mark.slow),
    ],
    ids=["or_opt", "three_opt", "lin_kernighan"],
)
def test_moves_of_built_in_neighbourhoods_pass_the_check(theirs, ours, metric, backend):
    assert_real(theirs, ours, metric, backend)


@pytest.mark.slow
def test_moves_too_deep_for_a_gpu_pass_the_check():
    assert_real(TheirLinKernighan(12), gls.LinKernighan(12), "EUC_2D", "cpu")


def assert_real(theirs, ours, metric, backend) -> None:
    """Check that searches which check each move find the same tours as others."""
    for n in (5, 8, 60, N):
        problem, tours = random_problem(metric, n, span=200), random_tours(n, 4)
        checked = gls.LocalSearch([theirs])(problem, tours, backend=backend)
        trusted = gls.LocalSearch([ours])(problem, tours, backend=backend)
        assert np.array_equal(checked.tours, trusted.tours)


def their_problem(*, n: int = N, **faults: Any) -> gls.TSP:
    return gls.TSP(random_problem("EUC_2D", n).coordinates, MyMetric(**faults))


def changed(change: Any) -> dict[str, Any]:
    """Return a method `lengths` whose results are changed by a function."""
    return {"lengths": lambda values, a, b: change(MyMetric().lengths(values, a, b), a, b)}


@ON_BOTH
@pytest.mark.parametrize(
    "engine",
    slow_after(3, sorted(ENGINES, key=("kicks", "parts", *ENGINES).index)),
)
def test_a_correct_metric_works_like_a_built_in_one(engine, backend):
    if (engine, backend) == ("parts", "cuda"):
        pytest.skip("the number of chains of a part depends on the metric")
    theirs, ours = their_problem(), random_problem("EUC_2D", N)
    search = engines(gls.TwoOpt(), gls.OrOpt(3))[engine]
    found, expected = run(search, theirs, backend), run(search, ours, backend)
    assert np.array_equal(found.tours, expected.tours)
    assert np.array_equal(found.costs, expected.costs)


@ON_BOTH
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"length": "Length(sqrt(x * x + y * y))"}, "MyMetric says"),
        ({"length": f"{ROUNDED} + (a < b)"}, "MyMetric says"),
        ({"length": "-1"}, "MyMetric says -1"),
        (changed(lambda d, a, b: d + (np.asarray(a) < b)), "same numbers in both directions"),
        (changed(lambda d, a, b: d - 10**6), "a number of at least 0"),
        (changed(lambda d, a, b: d.astype(float)), "returns float64"),
        (changed(lambda d, a, b: d[:1]), "of shape"),
    ],
)
@pytest.mark.parametrize("n", [2, 7, N])
def test_a_metric_that_differs_in_python_and_cpp_ends_the_search(fault, words, n, backend):
    problem = their_problem(n=n, **fault)
    for search in (gls.LocalSearch(), gls.IteratedLocalSearch(gls.LocalSearch())):
        with pytest.raises(FaultyPartError, match=f"'?MY_METRIC'?.*{words}|{words}"):
            search(problem, np.arange(n), budget=gls.Budget(seconds=20), backend=backend)


def test_estimates_of_a_metric_beyond_its_slack_end_the_search(monkeypatch):
    monkeypatch.setattr(MyMetric, "slack", lambda self, problem: 0.0)
    problem = gls.TSP(random_problem("EUC_2D", 50).coordinates * 1e6, MyMetric())
    with pytest.raises(FaultyPartError, match="beyond slack"):
        gls.LocalSearch()(problem, np.arange(50), backend="cpu")


def test_a_metric_that_is_wrong_for_unsampled_pairs(monkeypatch):
    """Costs are those of the referee, and no result is worse than the start."""
    monkeypatch.setattr("gpu_ls_plugin.tours.problem.metric_check.PAIRS", 2)
    problem = their_problem(length=f"(a + b == 7 ? 0 : {ROUNDED})", n=40)
    path = [*(c for c in range(40) if c not in (3, 4)), 3, 4]  # pairs like 3-4 have length 0
    errors = 0
    for search in (gls.LocalSearch(), gls.IteratedLocalSearch(gls.LocalSearch())):
        try:
            result = search(problem, path, budget=gls.Budget(seconds=20, kicks=200), backend="cpu")
        except FaultyPartError as error:
            errors += 1
            assert "MY_METRIC" in str(error)
        else:
            assert np.array_equal(result.costs, problem.cost(result.tours))
            assert (result.costs <= problem.cost(path)).all()
    assert errors


class MyCandidates(Candidates):
    """The five nearest cities, in any memory layout."""

    def __init__(self, change: Any) -> None:
        self._change = change

    def build(self, problem: gls.TSP) -> CandidateLists:
        lists = gls.Nearest(5).build(problem)
        return CandidateLists(self._change(lists.cities), np.asfortranarray(lists.lengths) + 1)


LAYOUTS = {
    "by columns": np.asfortranarray,
    "short integers": lambda cities: cities.astype(np.uint16),
    "with gaps": lambda cities: np.repeat(cities, 3, axis=1)[:, ::3],
    "another byte order": lambda cities: cities.astype(">i4"),
    "unchanged": lambda cities: cities,
    "wide integers": lambda cities: cities.astype(np.int64),
    "backwards": lambda cities: np.ascontiguousarray(cities[::-1])[::-1],
}


@ON_BOTH
@pytest.mark.parametrize("layout", slow_after(4, LAYOUTS))
def test_candidate_lists_of_any_layout(layout, backend):
    problem = random_problem("EUC_2D", 120)
    for pivoting in (gls.First(), gls.Multi(), gls.Best()):
        theirs = gls.LocalSearch(candidates=MyCandidates(LAYOUTS[layout]), pivoting=pivoting)
        ours = gls.LocalSearch(candidates=gls.Nearest(5), pivoting=pivoting)
        assert np.array_equal(
            run(theirs, problem, backend).tours, run(ours, problem, backend).tours
        )


class MyFilter(Filter):
    """The filter by distance from the nearest city, with an array in any memory layout."""

    name = "my_filter"
    header = "tours/filters/gain_bound.cuh"
    opens = True

    def __init__(self, change: Any) -> None:
        self._change = change

    def functor(self) -> str:
        return "gls::GainBound"

    def rotations(self, edges: int) -> int:
        return gls.GainBound().rotations(edges)

    def words(self, setting: Setting) -> list[Any]:
        (nearest,) = gls.GainBound().words(setting)
        return [self._change(nearest)]

    def state_words(self, n: int) -> int:
        return gls.GainBound().state_words(n)


@ON_BOTH
@pytest.mark.parametrize(
    "change",
    [lambda x: x.repeat(2)[::2], lambda x: x[::-1].copy()[::-1], lambda x: x],
    ids=["with gaps", "backwards", "unchanged"],
)
def test_arrays_of_filters_in_any_layout(change, backend):
    problem, tours = random_problem("EUC_2D", 60), random_tours(60, 3)
    searches = (
        gls.LocalSearch([gls.FilteredNeighbourhood(gls.ThreeOpt(), test)])
        for test in (MyFilter(change), gls.GainBound())
    )
    theirs, ours = (search(problem, tours, backend=backend) for search in searches)
    assert np.array_equal(theirs.tours, ours.tours)


@pytest.mark.parametrize(
    "change",
    [
        lambda cities: cities + 1,
        lambda cities: -cities,
        lambda cities: np.zeros_like(cities),
        lambda cities: cities.astype(float),
        lambda cities: cities[:-1],
        lambda cities: cities.ravel(),
    ],
)
def test_invalid_lists_are_refused(change):
    search = gls.LocalSearch(candidates=MyCandidates(change))
    with pytest.raises(FaultyPartError, match=r"candidates: .*MyCandidates.*(builds|lists)"):
        run(search, random_problem("EUC_2D", 50))


def launches(backend: str) -> list[tuple[Any, int, dict[str, Any], int]]:
    """Return each kernel that some searches launch, with its arguments."""
    chosen, seen = get_backend(backend), []
    launch = type(chosen).launch

    def noted(self: Any, kernel: Any, count: int, arguments: Any, **options: Any) -> bool:
        seen.append((kernel, count, dict(arguments), options.get("shared_bytes", 0)))
        return bool(launch(self, kernel, count, arguments, **options))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(chosen), "launch", noted)
        problem = random_problem("EUC_2D", 60)
        gls.greedy(problem, 2, backend=backend)
        searches = [
            *engines(gls.TwoOpt()).values(),
            gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.Best()),
            gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()),
            gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.RandomK(50)),
            gls.LocalSearch([gls.FilteredNeighbourhood()]),
        ]
        for search in searches:
            run(search, problem, backend)
    kernels = {kernel.name: (kernel, *rest) for kernel, *rest in seen}
    assert len(kernels) > 15
    return list(kernels.values())


@ON_BOTH
def test_each_array_of_each_kernel_is_checked(backend):
    chosen = get_backend(backend)
    for kernel, count, arguments, shared in launches(backend):
        for parameter in kernel.fields:
            array = arguments[parameter.name]
            if not parameter.type.endswith("*") or array is None or array.size < 2:
                continue
            wide = chosen.xp.repeat(array, 2, axis=-1)[..., ::2]
            others = [wide] if array.itemsize == 8 else [wide, array.astype("int64")]
            for other in others if "void" not in parameter.type else [wide]:
                with pytest.raises(InvalidTypeError, match=f"{parameter.name}: kernels read"):
                    chosen.launch(
                        kernel, count, {**arguments, parameter.name: other}, shared_bytes=shared
                    )
