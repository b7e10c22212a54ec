"""Bad input: each case with its exact class of error and words of the message."""

from __future__ import annotations

import sys
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import gpu_ls_plugin as gls
import gpu_ls_pymoo
from gpu_ls_plugin.backends import compile_check
from gpu_ls_plugin.core.exceptions import (
    FileFormatError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
    MissingExtraError,
    UnknownPartError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.run import solve
from gpu_ls_plugin.tours.candidates.union import Union

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAN = float("nan")
P5 = gls.TSP([(0, 0), (0, 3), (4, 3), (4, 0), (2, 1)], "EUC_2D", name="five")
LARGE = gls.TSP(np.arange(7000).reshape(-1, 2), "EUC_2D")
LOPSIDED = gls.TSP.from_matrix(np.arange(25).reshape(5, 5))
ROW = [[0, 1, 2, 3, 4]]
A_GPU = SimpleNamespace(name="cuda")
GOOD = """NAME : three
TYPE : TSP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 3 0
3 0 4
EOF
"""
TRIANGLE = """TYPE : TSP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : UPPER_ROW
EDGE_WEIGHT_SECTION
1 2
3
EOF
"""


class Case(NamedTuple):
    """A name, a call, the class of its error, and words of the message: parameter and remedy."""

    name: str
    call: Callable[..., Any]
    error: type[Exception]
    words: tuple[str, ...]


def climb(tours: Any = ROW, problem: Any = P5, **options: Any) -> Any:
    return gls.LocalSearch()(problem, tours, backend=options.pop("backend", "cpu"), **options)


def exhaustive(problem: gls.TSP) -> Any:
    search = gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.Best())
    return search(problem, np.arange(problem.n), backend="cpu")


def restarts(problem: gls.TSP = P5, **options: Any) -> Any:
    return gls.RandomRestarts(climbs=2)(problem, backend="cpu", **options)


def read(text: str, old: str = "", new: str = "") -> Callable[[Path], gls.TSP]:
    """Return a function that reads a file with a text in which a part is replaced."""
    assert old in text

    def call(folder: Path) -> gls.TSP:
        path = folder / "bad.tsp"
        path.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
        return gls.TSP.read(path)

    return call


def case(name: str, call: Callable[..., Any], error: type[Exception], *words: str) -> Case:
    return Case(name, call, error, words)


TSP, MATRIX, KICK = gls.TSP, gls.TSP.from_matrix, gls.DoubleBridge
SEARCH, RESTARTS = gls.LocalSearch, gls.RandomRestarts
ITERATED, FILTERED = gls.IteratedLocalSearch, gls.FilteredNeighbourhood
BAD, TYPE, PROBLEM = InvalidParameterError, InvalidTypeError, InvalidProblemError
TOUR, FILE, UNFIT = InvalidTourError, FileFormatError, UnsupportedProblemError
UNKNOWN, MEMORY = UnknownPartError, InsufficientMemoryError

PROBLEMS = [
    case("no city", partial(TSP, []), PROBLEM, "coordinates: shape (0,)", "(n, 2)"),
    case("no row", partial(TSP, np.empty((0, 2))), PROBLEM, "coordinates: shape (0,"),
    case("three columns", partial(TSP, np.zeros((4, 3))), PROBLEM, "(4, 3)", "(n, 2)"),
    case("one column", partial(TSP, [1, 2, 3]), PROBLEM, "coordinates: shape (3,)"),
    case("ragged", partial(TSP, [[0, 1], [2]]), PROBLEM, "rows of different lengths"),
    case("NaN", partial(TSP, [[0, NAN]]), PROBLEM, "coordinates", "(0, 1)", "nan"),
    case("infinity", partial(TSP, [[0, 1], [np.inf, 0]]), PROBLEM, "(1, 0) is inf"),
    case("text", partial(TSP, [["a", "b"]]), TYPE, "coordinates", "numbers"),
    case("complex", partial(TSP, [[1j, 2]]), TYPE, "coordinates", "complex"),
    case("nothing", partial(TSP, None), TYPE, "coordinates", "object"),
    case("far", partial(TSP, [[0, 0], [2**31, 0]], "EUC_2D"), PROBLEM, "overflow", "scale the coo"),
    case("large", partial(TSP, [[0, 0], [1e200, 0]], "EUC"), PROBLEM, "scale the"),
    case("integers", partial(TSP, [[2**60, 0]]), PROBLEM, "2**53", "subtract an off"),
    case("latitude", partial(TSP, [[91, 0]], "GEO"), PROBLEM, "latitude 91", "-90..90"),
    case("metric", partial(TSP, [[0, 0]], "EUC2D"), UNKNOWN, "metric", "'EUC_2D'"),
    case("no metric", partial(TSP, [[0, 0]], 5), TYPE, "metric: 5", "'EUC_2D'"),
    case("explicit", partial(TSP, [[0, 0]], "EXPLICIT"), BAD, "metric", "TSP.from_matrix("),
    case("square", partial(MATRIX, np.zeros((3, 4))), PROBLEM, "matrix: shape (3, 4)"),
    case("empty matrix", partial(MATRIX, np.zeros((0, 0))), PROBLEM, "n >= 1 cities"),
    case("flat matrix", partial(MATRIX, [0, 1]), PROBLEM, "matrix: shape (2,)"),
    case("negative", partial(MATRIX, [[0, -1], [1, 0]]), PROBLEM, "to city 1 is -1", "shift or"),
    case("entries", partial(MATRIX, [[0, 2**31], [1, 0]]), PROBLEM, "below 2147483648"),
    case("NaN entry", partial(MATRIX, [[0, NAN], [1, 0]]), PROBLEM, "(0, 1) is nan"),
    case("city", partial(P5.distance, 0, 5), BAD, "b: cities must be in 0..4"),
    case("name", partial(TSP, [[0, 0]], name=5), TYPE, "name: 5 is not a string"),
    case("comment", partial(MATRIX, [[0]], comment=b"x"), TYPE, "comment: b'x' is not a string"),
    case("tour comment", partial(P5.write_tour, "x", ROW, [1]), TYPE, "comment: [1] is not a str"),
    case("optimum", partial(TSP, [[0, 0]], optimum="7"), TYPE, "optimum: '7' is not a number"),
    case("NaN optimum", partial(MATRIX, [[0]], optimum=NAN), BAD, "optimum: nan"),
    case("half a city", partial(P5.distance, 0.5, 1), TYPE, "a: cities", "integers"),
    case("no problem", partial(climb, problem="a.tsp"), TYPE, "problem", "TSP.read("),
]
TOURS = [
    case("short", partial(climb, [[0, 1, 2, 3]]), TOUR, "tours: shape (1, 4)", "(P, 5)"),
    case("no tour", partial(climb, np.empty((0, 5), int)), TOUR, "tours", "P >= 1"),
    case("cube", partial(climb, [[ROW]]), TOUR, "tours: shape (1, 1, 1, 5)"),
    case("number", partial(climb, 7), TOUR, "tours: shape ()"),
    case("none", partial(climb, None), TOUR, "tours: shape ()"),
    case("ragged tours", partial(climb, [[0, 1], [0]]), TOUR, "different lengths"),
    case("twice", partial(climb, [*ROW, [0, 1, 2, 3, 3]]), TOUR, "row 1", "4 is missing"),
    case("from one", partial(climb, [[1, 2, 3, 4, 5]]), TOUR, "city 5", "0..4"),
    case("minus one", partial(climb, [[0, 1, 2, 3, -1]]), TOUR, "city -1", "0..4"),
    case("floats", partial(climb, [[0.5, 1, 2, 3, 4]]), TYPE, "row 0 holds 0.5", "convert"),
    case("NaN tour", partial(climb, [[0, 1, 2, 3, NAN]]), TYPE, "tours", "integers"),
    case("booleans", partial(climb, [[True] * 5]), TYPE, "tours", "bool"),
    case("strings", partial(climb, [list("01234")]), TYPE, "tours", "integers"),
    case("cost", partial(P5.cost, [[0, 0, 1, 2, 3]]), TOUR, "row 0", "appears 2 times"),
    case("kick", partial(KICK().perturb, P5, ROW), UNFIT, "problem", "6 cities, not 5"),
]
PARTS = [
    case("segment", partial(KICK, 5), BAD, "segment: 5 is not at least 6"),
    case("half a segment", partial(KICK, 7.5), TYPE, "segment: 7.5 is not an integer"),
    case("k", partial(gls.Nearest, 0), BAD, "k: 0", "at least 1"),
    case("half a k", partial(gls.Nearest, 2.5), TYPE, "k: 2.5 is not an integer"),
    case("moves", partial(SEARCH, moves_per_pass=0), BAD, "moves_per_pass: 0", "1 and 32"),
    case("33 moves", partial(SEARCH, moves_per_pass=33), BAD, "between 1 and 32"),
    case("bare", partial(SEARCH, gls.TwoOpt()), TYPE, "list", "[TwoOpt()]"),
    case("class", partial(SEARCH, [gls.TwoOpt]), TYPE, "neighbourhoods"),
    case("number 5", partial(SEARCH, 5), TYPE, "neighbourhoods", "[TwoOpt()]"),
    case("none left", partial(SEARCH, []), BAD, "neighbourhoods: the list is empty", "TwoOpt()"),
    case("candidates", partial(SEARCH, candidates=8), TYPE, "candidates: 8"),
    case(
        "combination",
        partial(SEARCH, candidates=gls.All(), pivoting=gls.Best()),
        BAD,
        *("neighbourhoods: [TwoOpt(), OrOpt(max_length=3)]", "use candidates such as Nearest(10)"),
    ),
    case("several", partial(SEARCH, moves_per_pass=2), BAD, "moves_per_pass", "only [TwoOpt()]"),
    case("samples", partial(SEARCH, pivoting=gls.RandomK()), BAD, "RandomK(k=1000)", "All()"),
    case("no sample", partial(gls.RandomK, 0), BAD, "k: 0 is not between 1 and"),
    case("pivoting", partial(SEARCH, pivoting=gls.TwoOpt()), TYPE, "pivoting", "operators"),
    case("pivoting name", partial(SEARCH, pivoting="bets"), UNKNOWN, "did you mean 'best'"),
    case("move name", partial(SEARCH, ["two_op"]), UNKNOWN, "did you mean 'two_opt'"),
    case("move text", partial(SEARCH, ["or_opt(2)"]), UNKNOWN, "no arguments", "OrOpt(...)"),
    case("text as moves", partial(SEARCH, "or_opt(2)"), TYPE, "search=...) takes a text"),
    case("gpu layout", partial(SEARCH, layout="grid"), BAD, "layout: 'grid'", "auto, warp, block"),
    case("layout type", partial(SEARCH, layout=["warp"]), TYPE, "layout: ['warp'] is not a string"),
    case("bytes", partial(SEARCH, [b"two_opt"]), TYPE, "neighbourhoods: b'two_opt'", "operators"),
    case("candidate bytes", partial(SEARCH, candidates=b"nearest"), TYPE, "candidates: b'nea"),
    case("candidate class", partial(SEARCH, candidates=gls.Nearest), TYPE, "candidates: <class"),
    case("mode", partial(FILTERED, mode="mask"), BAD, "mode: 'mask'", "auto, masked"),
    case("mode type", partial(FILTERED, mode={}), TYPE, "mode: {} is not a string"),
    case("mapping", partial(FILTERED, mapping=b"roots"), TYPE, "mapping: b'roots' is not a string"),
    case("filter", partial(FILTERED, filter=gls.Nearest(5)), TYPE, "filter: Near", "GainBound()"),
    case("filter's set", partial(gls.InCandidates, 8), TYPE, "candidates: 8", "Nearest(10)"),
    case("union", partial(Union, gls.Nearest(5), 5), TYPE, "second: 5 is not", "Nearest(10)"),
    case("segment length", partial(gls.OrOpt, 17), BAD, "max_length: 17", "1 and 16"),
    case("depth", partial(gls.LinKernighan, 13), BAD, "depth: 13", "3 and 12"),
    case("deep", partial(gls.LinKernighan(9).check_backend, A_GPU), BAD, "depth=9", "limit is 8"),
    case("breadth", partial(gls.LinKernighan, breadth=5), TYPE, "breadth: 5", "(5, 3, 1)"),
    case("wide chain", partial(gls.LinKernighan, breadth=(5, 3, 2)), BAD, "breadth", "beyond t5"),
    case("very wide", partial(gls.LinKernighan, breadth=(5, 2**31)), BAD, "breadth", "2147483647"),
    case("square breadth", partial(gls.LinKernighan, breadth=np.ones((3, 3))), TYPE, "(5, 3, 1)"),
    case("kick class", partial(ITERATED, perturbation=KICK), TYPE, "perturbation: <class"),
    case("kick name", partial(ITERATED, perturbation="restart"), TYPE, "DoubleBridge()"),
    case("accept class", partial(ITERATED, accept=gls.Better), TYPE, "accept: <class", "Better()"),
    case("part", partial(ITERATED, part="whole"), BAD, "part: 'whole' is not one of auto"),
    case("small part", partial(ITERATED, part=31), BAD, "part: 31 is not at least 32"),
    case("parts", partial(ITERATED, part=[64]), TYPE, "part: [64] is not an integer"),
    case("part restarts", partial(ITERATED, part=64, restart_after=9), BAD, "restart_after; leave"),
    case(
        "part of what",
        partial(ITERATED, SEARCH(pivoting=gls.Best()), part=64),
        BAD,
        *("part: ", "First() on candidate lists", "leave `part` out"),
    ),
    case("patience", partial(ITERATED, restart_after=2**31), BAD, "restart_after: 2147483648"),
    case("never", partial(gls.Migration, np.inf), BAD, "every: inf is not between"),
    case("all chains", partial(gls.Migration, share=1), BAD, "share: 1 is not between 0.0 and 0.5"),
    case("offspring", partial(gls.EdgeAssembly, offspring=2**31), BAD, "offspring: 2147483648"),
    case(
        "search text", partial(parse_search, "two_opt+"), BAD, "search: 'two_opt+'", "quadrant(10)"
    ),
    case("name in a text", partial(parse_search, "two_op"), UNKNOWN, "search: ", "mean 'two_opt'"),
    case("climbs", partial(RESTARTS, climbs=0), BAD, "climbs: 0 is not at least 1"),
    case("keep", partial(RESTARTS, keep=True), TYPE, "keep: True"),
    case("search", partial(RESTARTS, "climb"), TYPE, "search: 'climb'"),
    case("search name", partial(registry.lookup, "search", "local"), UNKNOWN, "local_search"),
    case("perturbation", partial(registry.lookup, "perturbation", "x"), UNKNOWN, "known: dou"),
]
CALLS = [
    case("size", partial(gls.random_tours, P5, 0), BAD, "size: 0 is not between 1 and"),
    case("huge size", partial(gls.greedy, P5, 2**31), BAD, "size: 2147483648", "2147483647"),
    case("half a tour", partial(gls.greedy, P5, 1.5), TYPE, "size: 1.5 is not an integer"),
    case("seed", partial(gls.nearest_neighbour, P5, seed=-1), BAD, "seed: -1", "between 0 and"),
    case("wide seed", partial(restarts, seed=2**64), BAD, "seed", "18446744073709551615"),
    case("half a seed", partial(climb, seed=0.5), TYPE, "seed: 0.5 is not an integer"),
    case("row", partial(climb, first_row=-1), BAD, "first_row: -1 is not between 0 and"),
    case("far row", partial(climb, first_row=2**63), BAD, "first_row: 9223372036854775808"),
    case("curve", partial(gls.space_filling_curve, LOPSIDED), UNFIT, "use greedy"),
    case("lopsided", partial(climb, problem=LOPSIDED), UNFIT, "use OrOpt() or ThreeOpt()"),
    case("sizes", partial(exhaustive, problem=LARGE), UNFIT, "limit is 3,000", "Nearest(10)"),
    case("lopsided climbs", partial(restarts, LOPSIDED), UNFIT, "use OrOpt() or ThreeOpt()"),
    case("budget", partial(climb, budget=3), TYPE, "budget: 3", "Budget(seconds=3)"),
    case("restart budget", partial(restarts, budget=3), TYPE, "Budget(seconds=3)"),
    case("seconds", partial(gls.Budget, seconds=-1), BAD, "seconds: -1"),
    case("NaN seconds", partial(gls.Budget, seconds=NAN), BAD, "seconds: nan"),
    case("long", partial(gls.Budget, seconds=10**400), BAD, "seconds: int too large"),
    case("moves of a budget", partial(gls.Budget, moves=-1), BAD, "moves: -1 is not at least 0"),
    case("half a move", partial(gls.Budget, moves=0.5), TYPE, "moves: 0.5 is not an int"),
    case("target", partial(gls.Budget, target="low"), TYPE, "target: 'low'"),
    case("backend", partial(climb, backend="gpu"), BAD, "backend: 'gpu'", "auto, cpu, cuda"),
    case("backend type", partial(climb, backend=b"cpu"), TYPE, "backend: b'cpu' is not a string"),
    case("device", partial(climb, device=0), BAD, "device: the cpu backend", "leave the"),
    case("device name", partial(climb, device="0"), TYPE, "device: '0'"),
    case("minus one device", partial(climb, device=-1), BAD, "device: -1 is not at least 0"),
    case("memory", partial(climb, memory_limit=50), MEMORY, "raise memory_limit"),
    case("climb memory", partial(restarts, memory_limit=50), MEMORY, "50 are ava"),
    case("callback", partial(climb, callback=1), TYPE, "callback: 1", "that takes a Progress"),
    case("callback of restarts", partial(restarts, callback=""), TYPE, "callback: ''"),
    case("callback class", partial(climb, callback=gls.SearchDisplay), TYPE, "callback: <class"),
    case("memory type", partial(climb, memory_limit="1 GB"), TYPE, "memory_limit: '1"),
]
SOLVED = [
    case("population", partial(Settings, population=2**31), BAD, "population: 2147483648"),
    case("no population", partial(Settings, population=0), BAD, "population: 0 is not between 1"),
    case("no seconds", partial(Settings, seconds=None), TYPE, "seconds: None is not a number"),
    case("start", partial(Settings, start=5), TYPE, "start: 5 is not a string"),
    case("settings' backend", partial(Settings, backend="gpu"), BAD, "auto, cpu, cuda"),
    case("settings' search", partial(Settings, search=SEARCH), TYPE, "search: <class"),
    case("no search", partial(Settings, search=3), TYPE, "search: 3 is not a search"),
    case("name of a search", partial(Settings, search="lin_kernigan"), UNKNOWN, "'lin_kernighan'"),
    case("settings' seed", partial(Settings, seed=-1), BAD, "seed: -1"),
    case("negative seconds", partial(Settings, seconds=-1.0), BAD, "seconds: -1.0"),
    case("settings' target", partial(Settings, target=NAN), BAD, "target: nan"),
    case("settings' kicks", partial(Settings, kicks=-2), BAD, "kicks: -2"),
    case("settings' moves", partial(Settings, moves=-3), BAD, "moves: -3"),
    case("name of a start", partial(solve, P5, Settings(start="gredy")), UNKNOWN, "mean 'greedy'"),
    case("arguments", partial(gls.solve, P5, population=0, backend="cpu"), BAD, "population: 0"),
    case("no settings", partial(solve, P5, {"seconds": 3}), TYPE, "settings: {'seconds': 3}"),
    case("path", partial(solve, "a.tsp", Settings()), TYPE, "problem: 'a.tsp' is not a TSP"),
    case("callback of solve", partial(solve, P5, Settings(), 0), TYPE, "callback: 0"),
    case("seconds shown", partial(gls.SearchDisplay, "x", -1), BAD, "seconds: -1"),
    case("title", partial(gls.SearchDisplay, 5), TYPE, "title: 5 is not a string"),
    case("console", partial(gls.SearchDisplay, "x", console="stderr"), TYPE, "rich Console"),
]
FILES = [
    case("no file", lambda folder: TSP.read(folder / "x.tsp"), FileNotFoundError, "x.tsp"),
    case("empty file", read(""), FILE, "bad.tsp: DIMENSION: missing"),
    case("prose", read("Once upon a time"), FILE, "line 1", "not a TSPLIB file"),
    case("binary", read("\0\1\2"), FILE, "bad.tsp: a binary file"),
    case("cut off", read(GOOD, "3 0 4\nEOF\n"), FILE, "2 cities, but DIMENSION is 3"),
    case("cut line", read(GOOD, "3 0 4", "3 0"), FILE, "'3 0'", "cut off"),
    case("no number", read(GOOD, "3 0 4", "3 0 x"), FILE, "NODE_COORD_SECTION: 'x'"),
    case("same node", read(GOOD, "3 0 4", "2 0 4"), FILE, "node 2 is given twice"),
    case("dimension", read(GOOD, ": 3", ": many"), FILE, "DIMENSION: 'many'"),
    case("no cities", read(GOOD, ": 3", ": 0"), FILE, "DIMENSION: '0'"),
    case("unknown metric", read(GOOD, "EUC_2D", "EUC_2"), FILE, "did you mean", "EUC_2D"),
    case("another problem", read(GOOD, ": TSP", ": CVRP"), UNFIT, "'CVRP'"),
    case(
        "fixed edges", read(GOOD, "EOF", "FIXED_EDGES_SECTION\n1 2\n-1\nEOF"), UNFIT, "remove the"
    ),
    case("huge", read(GOOD, "3 0 4", "3 0 4e9"), FILE, "NODE_COORD_SECTION", "scale"),
    case("triangle", read(TRIANGLE, "3\nEOF"), FILE, "2 numbers", "has 3"),
    case("layout", read(TRIANGLE, "UPPER_ROW", "ROWS"), FILE, "'ROWS'", "FULL_MATRIX"),
    case("negative length", read(TRIANGLE, "1 2", "-1 2"), FILE, "is -1", "shift or"),
]
CASES = [*PROBLEMS, *TOURS, *PARTS, *CALLS, *SOLVED, *FILES]


def check(case: Case, *arguments: Any) -> None:
    with pytest.raises(case.error) as caught:
        case.call(*arguments)
    assert type(caught.value) is case.error
    message = str(caught.value)
    assert [word for word in case.words if word not in message] == [], message


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input(case, tmp_path):
    check(case, *([tmp_path] if case in FILES else []))


@pytest.mark.parametrize(
    "name", ["random_tours", "nearest_neighbour", "greedy", "space_filling_curve"]
)
def test_other_objects_than_problems_are_refused(name):
    words = r"problem: 'a\.tsp' is not a TSP; .*TSP\.read\(path\)"
    with pytest.raises(InvalidTypeError, match=words):
        registry.lookup("construction", name)("a.tsp")
    for call in (gls.RandomRestarts(), partial(KICK().perturb, tours=ROW)):
        with pytest.raises(InvalidTypeError, match=r"problem: \[1\] is not a TSP"):
            call([1])


def test_missing_extras(monkeypatch):
    for name in ("matplotlib", "matplotlib.backends.backend_agg", "cupy", "cupy.cuda", "pymoo"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in [name for name in sys.modules if name.startswith(("gpu_ls_pymoo.", "pymoo."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(gpu_ls_pymoo), "MemeticGA", raising=False)  # cached by an earlier use
    compile_check.load_nvrtc.cache_clear()
    words = 'pip install "gpu-ls-plugin[{}]"'
    for call, extra in (
        (lambda: gpu_ls_pymoo.MemeticGA, "pymoo"),
        (lambda: gls.plot_tour(P5, range(5)), "plot"),
        (lambda: compile_check.check([]), "cuda13"),
    ):
        check(Case("", call, MissingExtraError, (words.format(extra),)))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_cities_are_no_error(n):
    problem = gls.TSP(np.arange(2 * n).reshape(n, 2), "EUC_2D")
    for construct in ("random_tours", "nearest_neighbour", "greedy", "space_filling_curve"):
        tours = registry.lookup("construction", construct)(problem, 3, backend="cpu")
        assert (gls.LocalSearch()(problem, tours, backend="cpu").costs <= problem.cost(tours)).all()
