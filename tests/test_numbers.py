"""NumPy scalars as parameters of public classes and functions mean the same as Python numbers.

The classes and functions are found by their signatures, so that new ones are tested, too.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin import backends
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.lazy_names import public_names
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.routes.crossovers.route_recombination import RouteRecombination
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.runs.acceptance import Acceptance
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.tours import candidates
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.cooperation.base import Cooperation
from gpu_ls_plugin.tours.engines.pivoting import Pivoting
from gpu_ls_plugin.tours.filters.base import Filter
from gpu_ls_plugin.tours.moves.base import Neighbourhood

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N = 80
PROBLEM = gls.TSP(np.random.default_rng(5).integers(0, 500, (N, 2)), "EUC_2D")
ROUTED = gls.CVRP(PROBLEM.coordinates, np.arange(N) % 9, 30, copies=N - 1)
GIANT_TOURS = gls.savings(ROUTED, 3, backend="cpu")
TOURS = np.random.default_rng(6).permuted(np.tile(np.arange(N), (3, 1)), axis=1)
SHOP = gls.FlowShop(np.random.default_rng(7).integers(1, 50, (9, 3)))
ORDERS = gls.random_sequences(SHOP, 4, backend="cpu")
ON_CLUSTERS = {"Islands"}  # tests/distributed passes them such numbers
RECORDS = {"Result", "ManyResult", "Statistics", "Progress", "BestMoves"}  # results of searches
FILTERED = gls.FilteredNeighbourhood(gls.TwoOpt(), gls.RandomKeep(0.5))

INTEGERS = [np.dtype(f"{sign}int{bits}").type for bits in (8, 16, 32, 64) for sign in ("", "u")]
FLOATS = [np.float16, np.float32, np.float64]

# Values for parameters without a numeric default, or with one that most types cannot represent.
NUMBERS = {
    **{"breadth": (4, 3), "capacity": 7, "chains": 4, "climbs": 3, "colours": 3, "copies": 4},
    **{"customers": 20, "end": 0.5, "first": 3, "first_row": 2, "k": 7, "kicks": 4, "last": 4},
    **{"least": 0.5, "limit": 12, "memory_limit": 2**30, "migration": 4, "mixing": 0.5, "moves": 9},
    **{"n": 4, "optimum": 7.0, "part": 40, "population": 1, "r": 60.0, "replicas": 2},
    **{"restart_after": 3, "rounds": 3, "route_limit": 20.0, "seconds": 100.0, "seed": 3},
    **{"segment": 10, "share": 0.5, "size": 2, "steps": 20, "start_window": (1, 4)},
    **{"target": 5.0, "tenure": 3, "times": 7},
    **{"values": 4, "variables": 3, "vehicles": 3, "walk": 5},
}
# Searches whose results depend on random numbers.
EXAMPLES = {
    gls.LocalSearch: partial(gls.LocalSearch, [gls.TwoOpt()], gls.All(), gls.RandomK(50)),
    gls.RandomRestarts: partial(gls.RandomRestarts, climbs=3, keep=3),
    gls.Decomposed: partial(gls.Decomposed, customers=4, rounds=2),
    gls.HybridGeneticSearch: partial(gls.HybridGeneticSearch, size=4, children=4),
    gls.SuccessorGeneration: partial(
        gls.SuccessorGeneration, gls.WeightTable(np.ones((10, 3), int))
    ),
}
# Other arguments that classes and functions need.
NEEDED = {
    "TSP": {"coordinates": [[0, 0], [3, 4]]},
    "CVRP": {"coordinates": [[0, 0], [3, 4]], "demands": [0, 1], "capacity": 1},
    "VRP": {"locations": [[0, 0], [3, 4]], "demands": [0, 1], "capacity": 1},
    "TimeWindows": {"windows": [(0, 9), (0, 9)]},
    "Union": {"first": gls.Nearest(4), "second": gls.Nearest(5)},
    "Expression": {"text": "1 + value", "variables": 3, "values": 4},
    "SearchDisplay": {"title": "x"},
    "OpenPath": {"problem": gls.TSP(np.arange(20).reshape(10, 2))},
    "GraphColouring": {"n": 3, "edges": [(0, 1), (1, 2)], "colours": 2},
    "GeneralisedAssignment": {"costs": [[1, 2]], "resources": [[1, 1]], "capacities": [1, 1]},
    "QuadraticAssignment": {"flows": [[0, 1], [1, 0]], "distances": [[0, 2], [2, 0]]},
    "Sequence": {"n": 3, "objective": lambda rows: rows[:, 0]},
    "FlowShop": {"times": [[3, 1], [2, 5]]},
    "SingleMachine": {"times": [3, 1], "due_dates": [2, 2], "weights": [1, 1]},
    "LinearOrdering": {"matrix": [[0, 1], [2, 0]]},
    "Latency": {"tsp": gls.TSP(np.arange(20).reshape(10, 2))},
}


def public() -> Iterator[Callable[..., Any]]:
    """Yield the public classes and functions of the library, each once."""
    given = [getattr(gls, name) for name in public_names("gpu_ls_plugin")]
    given += [part.factory for part in registry.parts()]
    given += [Settings, backends.get_backend, *vars(candidates).values()]
    for made in dict.fromkeys(filter(callable, given)):
        ours = made.__module__.startswith("gpu_ls_plugin.")
        if ours and made.__name__ not in RECORDS | ON_CLUSTERS:
            yield made


def numeric(call: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters that are numbers, by their annotation or default."""
    return {
        name: parameter
        for name, parameter in inspect.signature(call).parameters.items()
        if re.search(r"\b(int|float)\b", str(parameter.annotation))
        or type(parameter.default) in (int, float)
    }


def number(name: str, parameter: inspect.Parameter) -> Any:
    """Return a valid number for a parameter."""
    return NUMBERS.get(name, parameter.default)


def forms(value: Any) -> Iterator[Any]:
    """Yield a number, or a tuple of numbers, in each type of NumPy that can represent it."""
    if isinstance(value, tuple):
        yield np.array(value)
        yield list(np.array(value, np.int8))
        return
    for kind in INTEGERS if float(value).is_integer() else []:
        if value <= np.iinfo(kind).max:
            yield kind(value)
    yield from (kind(value) for kind in (FLOATS if isinstance(value, float) else []))


def plain(value: Any) -> Any:
    return tuple(int(item) for item in value) if np.ndim(value) else value.item()


CLASSES = [made for made in public() if inspect.isclass(made) and not inspect.isabstract(made)]
FIELDS = [(made, name) for made in CLASSES for name in numeric(made)]


def make(made: Callable[..., Any], **numbers: Any) -> Any:
    return made(**NEEDED.get(made.__name__, {}) | numbers)


def test_the_classes_are_found():
    assert {"RandomRestarts.climbs", "Budget.seconds", "Settings.population", "TSP.optimum"} <= {
        f"{made.__name__}.{name}" for made, name in FIELDS
    }
    assert len(FIELDS) >= 40


def id_of(part: Any) -> str:
    if isinstance(part, str | int):
        return str(part)
    owner = getattr(part, "__self__", None)
    return type(owner).__name__ if owner else part.__name__


each_field = pytest.mark.parametrize(("made", "name"), FIELDS, ids=id_of)


@each_field
def test_parameters_become_python_numbers(made, name):
    parameter = numeric(made)[name]
    kind = float if "float" in str(parameter.annotation) else int
    for value in forms(number(name, parameter)):
        ours, theirs = make(made, **{name: plain(value)}), make(made, **{name: value})
        stored = getattr(theirs, name)
        assert repr(stored) == repr(getattr(ours, name)), value
        if dataclasses.is_dataclass(made):
            assert {type(item) for item in np.atleast_1d(np.array(stored, object))} == {kind}
            assert (theirs, hash(theirs), repr(theirs)) == (ours, hash(ours), repr(ours))


@each_field
@pytest.mark.parametrize("truth", [True, np.True_])
def test_booleans_are_refused(made, name, truth):
    with pytest.raises(InvalidTypeError, match=f"^{name}: "):
        make(made, **{name: truth})


def outcome(call: Callable[..., Any], **given: Any) -> list[Any]:
    """Return the arrays that a call returns for the problem, and for the tours if it takes any."""
    known = {"problem": PROBLEM, "tours": TOURS, "backend": "cpu", "neighbourhood": FILTERED}
    known |= {"first": TOURS, "second": TOURS[::-1]}
    taken = {n: known[n] for n in inspect.signature(call).parameters if n in known}
    found = call(**taken | given)
    arrays = vars(found).values() if dataclasses.is_dataclass(found) else [found]
    return [array.tolist() for array in arrays if isinstance(array, np.ndarray)]


def found_with(part: Any) -> list[Any]:
    """Return the result of a short search with a part."""
    limits = {}
    match part:
        case Candidates():
            search = gls.LocalSearch(candidates=part)
        case Filter():
            filtered = gls.FilteredNeighbourhood(gls.TwoOpt(), part)
            search = gls.LocalSearch([filtered], pivoting=gls.Best())
        case Neighbourhood():
            search = gls.LocalSearch([part])
        case Pivoting():
            lists = gls.All() if isinstance(part, gls.RandomK) else gls.Nearest(10)
            search = gls.LocalSearch([gls.TwoOpt()], lists, part)
        case Acceptance():
            search = gls.IteratedLocalSearch(accept=part)
        case gls.PricedMigration() | RouteRecombination():
            local = gls.LocalSearch([gls.RouteMoves()], candidates=gls.Nearest(5))
            search = gls.IteratedLocalSearch(local, gls.StringRemoval(), cooperation=part)
            limits = {"budget": gls.Budget(kicks=20), **ROUTES}
        case Cooperation():
            search = gls.IteratedLocalSearch(cooperation=part)
        case gls.DoubleBridge():
            search = gls.IteratedLocalSearch(perturbation=part)
        case gls.StringRemoval():
            kicked = part.perturb(ROUTED, GIANT_TOURS, backend="cpu")
            return [kicked.tolist()]
        case gls.Budget():
            search = gls.IteratedLocalSearch(accept=gls.Better())  # independent of time
            limits = {"budget": dataclasses.replace(part, kicks=part.kicks or 30)}
        case gls.Decomposed() | gls.HybridGeneticSearch():
            search, limits = part, {"budget": gls.Budget(kicks=20), **ROUTES}
        case gls.SuccessorSearch():
            return outcome(part, **STATES)
        case gls.Insertion():
            return outcome(gls.SequenceSearch([part]), **SEQUENCES)
        case gls.DestroyRepair():
            return outcome(gls.SequenceSearch(kick=part), **SEQUENCES)
        case gls.ChainMigration() | gls.SequenceCrossing():
            return outcome(gls.SequenceSearch(exchange=part), **SEQUENCES)
        case gls.RemoveAndInsert():
            return [part.perturb(SHOP, ORDERS).tolist()]
        case _:
            search = part
    return outcome(search, **limits)


UNSEARCHED = (
    *(gls.CVRP, gls.VRP, gls.TimeWindows, Load, gls.TSP),
    *(gls.GraphColouring, gls.GeneralisedAssignment, gls.QuadraticAssignment),
    *(gls.Sequence, gls.FlowShop, gls.SingleMachine, gls.LinearOrdering, gls.Latency),
    *(gls.Expression, gls.CheapestValue, gls.SearchDisplay, gls.OpenPath, Settings),
)
SEARCHED = [field for field in FIELDS if field[0] not in UNSEARCHED]


@pytest.mark.parametrize(
    ("made", "name"),
    [pytest.param(*f, marks=[pytest.mark.slow] * (i % 10 > 0)) for i, f in enumerate(SEARCHED)],
    ids=id_of,
)
def test_searches_find_the_same(made, name):
    (*_, value) = forms(number(name, numeric(made)[name]))
    assert found_with(make(made, **{name: value})) == found_with(make(made, **{name: plain(value)}))


def calls() -> Iterator[Callable[..., Any]]:
    """Yield public functions and methods of parts that take a seed, and `distinct`."""
    yield from (call for call in public() if not inspect.isclass(call) and "seed" in numeric(call))
    for made in CLASSES:
        for name in ("__call__", "perturb", "cross"):
            if "seed" in numeric(getattr(made, name, print)):
                yield getattr(EXAMPLES.get(made, made)(), name)
    costs = np.arange(len(TOURS))
    yield gls.Result(TOURS, costs).distinct


CHAINS = gls.IteratedLocalSearch(accept=gls.Better())  # independent of time
# Arguments that calls need, or that make them short.
REQUIRED = {
    "distinct": {"k": 2},
    "solve_many": {
        "seconds": 100.0,
        "kicks": 4,
        "problems": np.arange(60.0).reshape(3, 10, 2) ** 2,
    },
    "solve": {"seconds": 100.0, "kicks": 4, "population": 2, "search": CHAINS},
    "fewest_colours": {"graph": gls.GraphColouring.queen(5, 5, 1), "kicks": 2, "population": 1},
    **{
        name: {"problem": ROUTED}
        for name in ("cheapest_insertion", "one_route_each", "savings", "sweep")
    },
    **{name: {"problem": SHOP} for name in ("neh", "random_sequences")},
    "beam_search": {"problem": gls.FlowShop(SHOP.times, "total_flowtime"), "width": 20},
}

ROUTES = {"problem": ROUTED, "tours": GIANT_TOURS}
SEQUENCES = {"problem": SHOP, "sequences": ORDERS, "budget": gls.Budget(kicks=8)}
STATES = {
    "problem": gls.QuadraticAssignment.generated(8, 1),
    "states": np.tile(np.arange(8), (2, 1)),
    "budget": gls.Budget(kicks=2),
}


def required_by(call: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments that a call needs."""
    match getattr(call, "__self__", None):
        case gls.StringRemoval():
            return ROUTES
        case RouteRecombination():
            return {"problem": ROUTED, "first": GIANT_TOURS, "second": GIANT_TOURS[::-1]}
        case gls.SuccessorSearch():
            return STATES
        case gls.SequenceSearch():
            return SEQUENCES
        case gls.RemoveAndInsert():
            return {"problem": SHOP, "rows": ORDERS}
        case gls.Decomposed() | gls.HybridGeneticSearch():
            return ROUTES | {"budget": gls.Budget(kicks=4)}
        case gls.SuccessorGeneration():
            return {"problem": None, "states": np.zeros((2, 10), int)}
    return REQUIRED.get(getattr(call, "__name__", ""), {})


ARGUMENTS = [(call, name) for call in calls() for name in numeric(call) if name != "device"]


@pytest.mark.parametrize(
    ("call", "name", "turn"), [(*each, turn) for turn, each in enumerate(ARGUMENTS)], ids=id_of
)
def test_calls_accept_numpy_scalars(call, name, turn):
    """Each call gets a single type, in turn, since all use checks.integer and checks.number."""
    value = number(name, numeric(call)[name])
    required = required_by(call)
    expected = outcome(call, **required | {name: value})
    given = list(forms(value))
    assert outcome(call, **required | {name: given[turn % len(given)]}) == expected
    for truth in (True, np.True_):
        with pytest.raises(InvalidTypeError, match=f"^{name}: "):
            outcome(call, **required | {name: truth})


def test_a_device_is_a_python_number(monkeypatch):
    monkeypatch.setattr(backends, "cuda_reason", lambda: None)
    monkeypatch.setattr(backends, "cuda_backend", lambda device, tours: type(device))
    for kind in INTEGERS:
        assert backends.get_backend("cuda", kind(1)) is int


@pytest.mark.parametrize("call", [call for call, name in ARGUMENTS if name == "seed"], ids=id_of)
def test_without_a_seed_one_is_drawn(call, monkeypatch):
    drawn = iter([7, 8])
    monkeypatch.setattr(checks.secrets, "randbits", lambda bits: next(drawn))
    for seed in (7, 8):
        required = required_by(call)
        assert outcome(call, **required, seed=None) == outcome(call, **required, seed=seed)


def test_seeds_are_drawn_from_64_bits():
    drawn = {checks.seed(None) for _ in range(50)}
    assert len(drawn) == 50 and 2**60 < max(drawn) < 2**64
    assert Settings(seed=None) != Settings(seed=None)
