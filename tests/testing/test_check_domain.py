"""The check of domains passes the built-in ones and names planted faults."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.runs.domain import Domain, domain_of, domains
from gpu_ls_plugin.testing import PartCheckError, check_domain
from gpu_ls_plugin.tours.domain import Tours
from tests.helpers.random_problems import random_problem
from tests.helpers.routing import random_cvrp

PROBLEMS = {
    "tours": [random_problem("EUC_2D", 12), random_problem("EXPLICIT", 9)],
    "routes": [random_cvrp("capacity", 9), random_cvrp("duration", 12)],
    "assignment": [
        gls.GraphColouring.queen(4, 4, 5),
        gls.QuadraticAssignment.generated(8, 1),
        gls.GeneralisedAssignment.generated("C", 12, 3, 1),
    ],
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_built_in_domains_pass(name: str) -> None:
    (domain,) = (domain for domain in domains() if domain.name == name)
    assert all(domain_of(problem) is domain for problem in PROBLEMS[name])
    check_domain(domain, PROBLEMS[name], backend="cpu")


def test_all_built_in_domains_are_checked() -> None:
    assert {domain.name for domain in domains()} == set(PROBLEMS)


class Deaf(Tours):
    """Ignores the given population."""

    def settings(self, problem, request):
        return replace(super().settings(problem, request), population=3)


class Idle(Tours):
    """Has no stage."""

    def stages(self, problem, request, chosen):
        return ()


class Strange(Tours):
    """Serves nothing."""

    def serves(self, problem):
        return False


class Wordy(Tours):
    """Returns numbers in place of texts."""

    def work(self, found):
        return {"moves": found["moves"]}


class Binary(Tours):
    """Has facts that JSON cannot hold."""

    def facts(self, problem, result):
        return {"cities": np.arange(3)}


class Unsettled(Tours):
    """Draws other random numbers in each call."""

    def stages(self, problem, request, chosen):
        (main,) = super().stages(problem, request, chosen)
        return (replace(main, search=Careless()),)


class Careless:
    """Shuffles rows with a generator of its own."""

    name = "careless"

    def __call__(self, problem, rows, **_):
        found = np.random.default_rng().permuted(rows, axis=1)
        return gls.Result(found, problem.cost(found), problem=problem)

    def prepare(self, *_, **__):
        pass


@pytest.mark.parametrize(
    ("faulty", "says"),
    [
        (Deaf(), "a population of 3"),
        (Idle(), "returns none|raised"),
        (Strange(), r"serves\(\) returns False"),
        (Wordy(), "not all of .* are texts"),
        (Binary(), "not JSON serializable"),
        (Unsettled(), "found other rows when called again|made a row worse"),
    ],
)
def test_faults_are_named(faulty: Domain, says: str) -> None:
    with pytest.raises(PartCheckError, match=says):
        check_domain(faulty, [random_problem("EUC_2D", 12)], backend="cpu")
