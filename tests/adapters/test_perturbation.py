"""Perturbations as mutations: built-in ones, registered ones, and any object with `perturb`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    InvalidParameterError,
    InvalidTypeError,
    UnknownPartError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.registry import Part, registry
from gpu_ls_plugin.extend import Perturbation
from tests.evolution.samples import cities, rows

if TYPE_CHECKING:
    from collections.abc import Iterator


N = 30
TSP = gls.TSP(cities(N), "EUC_2D")
ROUTING = gls.CVRP(cities(13, 3), [0] + [1] * 12, 4, metric="EUC_2D")


@dataclass(frozen=True)
class Shuffle(Perturbation):
    """Shuffles the first cities of tours."""

    first: int = 9

    name = "my_kick"
    by_lengths = False

    def perturb(self, problem: Any, tours: Any, *, seed: int | None = 0, **where: Any) -> Any:
        kicked, shuffled = np.array(tours), np.random.default_rng(seed)
        kicked[:, : self.first] = shuffled.permuted(kicked[:, : self.first], axis=1)
        return kicked


class Bare:
    """An object with nothing but `perturb`."""

    def perturb(self, problem: Any, tours: Any, seed: int = 0, backend: str = "auto") -> Any:
        assert problem.n == tours.shape[1] and backend == "auto"
        tours[:] = np.random.default_rng(seed).permuted(tours, axis=1)  # its own copy
        return tours.astype(float)


@dataclass
class Served(Bare):
    """Records the problems that it is given."""

    problems: list[Any]

    def perturb(self, problem: Any, tours: Any, seed: int = 0, backend: str = "auto") -> Any:
        self.problems.append(problem)
        return super().perturb(problem, tours, seed, backend)


@dataclass(frozen=True)
class Says(Shuffle):
    """Returns the rows that a function makes."""

    rows: Any = None

    def perturb(self, problem: Any, tours: Any, **where: Any) -> Any:
        return self.rows(tours)


@pytest.fixture
def registered() -> Iterator[None]:
    """Register a third party's kick."""
    part = Part("perturbation", Shuffle.name, Shuffle, "theirs")
    list(registry.parts())  # loads the plugins first
    registry.register(part)
    yield
    registry.remove_owner("theirs")


PARTS = {
    "double bridge": gls.DoubleBridge(segment=10),
    "restart": "restart",
    "third party": Shuffle(12),
    "by its name": "my_kick",
    "bare": Bare(),
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.usefixtures("registered")
def test_any_perturbation_is_a_mutation(face, name):
    given = rows(N, 12)
    made, again, other = (face.perturb(TSP, PARTS[name], given, seed) for seed in (1, 1, 2))
    assert np.array_equal(given, rows(N, 12))
    assert (np.sort(made, axis=1) == np.arange(N)).all()
    assert (made != given).any(axis=1).all()
    assert np.array_equal(made, again)
    assert not np.array_equal(made, other)


def test_a_double_bridge_is_a_perturbation(face):
    given = rows(N, 12)
    made = face.perturb(TSP, gls.DoubleBridge(segment=20), given)
    assert np.array_equal(made, face.kick(TSP, given, segment=20))
    assert np.array_equal(
        face.perturb(TSP, "double_bridge", given), face.kick(TSP, given, segment=None)
    )


def test_kicks_of_routes(face):
    given = gls.random_tours(ROUTING, 6, seed=1).astype(np.int64)
    made = face.perturb(ROUTING, "string_removal", given)
    assert (np.sort(made, axis=1) == np.arange(ROUTING.n)).all()
    assert (made != given).any(axis=1).all()
    with pytest.raises(UnsupportedProblemError):
        face.perturb(TSP, "string_removal", rows(N, 3))


def test_tours_that_are_too_small_for_a_kick_are_shuffled(face):
    made = face.perturb(gls.TSP(cities(5)), "double_bridge", rows(5, 20))
    assert (np.sort(made, axis=1) == np.arange(5)).all()
    assert (made != rows(5, 20)).any()


FAULTS = {
    "no permutation": (lambda tours: np.zeros_like(tours), "'my_kick' returned wrong rows.*row 0"),
    "too few": (lambda tours: tours[:1], "'my_kick' returned 1 rows for 4 tours"),
    "too short": (lambda tours: tours[:, :-1], "'my_kick' returned wrong rows"),
    "nothing": (lambda tours: None, "'my_kick' returned wrong rows"),
    "halves": (lambda tours: tours / 2, "'my_kick' returned wrong rows"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_rows_of_a_third_partys_kick_are_checked(face, fault):
    returned, message = FAULTS[fault]
    with pytest.raises(FaultyPartError, match=message):
        face.perturb(TSP, Says(rows=returned), rows(N, 4))


REFUSED = [
    (3, InvalidTypeError, "part: 3 is not a perturbation, such as"),
    (gls.DoubleBridge, InvalidTypeError, "part: .* is not a perturbation"),
    (gls.OrderRecombination(), InvalidTypeError, "part: .* is not a perturbation"),
    ("double_brigde", UnknownPartError, "did you mean 'double_bridge'"),
]


@pytest.mark.parametrize(("part", "error", "message"), REFUSED, ids=lambda value: str(value)[:12])
def test_wrong_parameters(face, part, error, message):
    with pytest.raises(error, match=message):
        face.operators(TSP)["perturb"](part=part)
    with pytest.raises(InvalidParameterError, match="backend: 'gpu'"):
        face.operators(TSP)["perturb"](part="restart", backend="gpu")


@pytest.mark.usefixtures("registered")
def test_the_name_of_a_kick_is_not_a_search(face):
    with pytest.raises(UnknownPartError, match=r"pass PerturbationMutation\('my_kick'\)"):
        face.operators(TSP)["search"](search="my_kick")


def test_pymoo_converts_a_problem_only_if_the_kick_uses_lengths():
    pytest.importorskip("pymoo", reason='needs pip install "gpu-ls-plugin[pymoo]"')
    from pymoo.core.population import Population
    from pymoo.problems.single.flowshop_scheduling import create_random_flowshop_problem

    from gpu_ls_pymoo import PerturbationMutation

    shop = create_random_flowshop_problem(3, 12)
    for part in ("double_bridge", "restart", Shuffle()):
        pop = Population.new("X", rows(12, 5))
        PerturbationMutation(part)(shop, pop, seed=1)
        assert (np.sort(pop.get("X"), axis=1) == np.arange(12)).all()
        assert (pop.get("X") != rows(12, 5)).any()
    served = []
    PerturbationMutation(Served(served))(shop, Population.new("X", rows(12, 5)), seed=1)
    assert [type(problem) for problem in served] == [gls.FlowShop]
    with pytest.raises(UnsupportedProblemError, match="has no routes"):
        PerturbationMutation("string_removal")(shop, Population.new("X", rows(12, 5)), seed=1)
