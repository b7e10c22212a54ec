"""The check of domains passes the built-in ones and names planted faults."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.runs.domain import domain_of, domains
from gpu_ls_plugin.testing import PartCheckError, check_domain
from gpu_ls_plugin.tours.domain import Tours
from tests.helpers.random_problems import random_problem
from tests.helpers.routing import random_cvrp

PROBLEMS = {
    "sequences": [gls.FlowShop([[3, 1], [2, 5], [4, 4], [1, 6]])],
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


class Careless:
    """Shuffles rows with a generator of its own."""

    name = "careless"

    def __call__(self, problem, rows, **_):
        found = np.random.default_rng().permuted(rows, axis=1)
        return gls.Result(found, problem.cost(found), problem=problem)

    def prepare(self, *_, **__):
        pass


SETTINGS, STAGES = Tours.settings, Tours.stages


def unsettled(*given):
    (main,) = STAGES(*given)
    return (replace(main, search=Careless()),)


# Words of the message; a method, and a faulty definition.
FAULTS = {
    "a population of 3": (
        "settings",
        lambda *given: replace(SETTINGS(*given), population=3),
    ),
    "returns no stages|raised": ("stages", lambda *_: ()),
    r"serves\(\) returns False": ("serves", lambda *_: False),
    "not all of .* are strings": ("work", lambda self, found: {"moves": found["moves"]}),
    "not JSON serializable": ("facts", lambda *_: {"cities": np.arange(3)}),
    "found other rows when called again|made a row worse": ("stages", unsettled),
}


@pytest.mark.parametrize("words", FAULTS)
def test_faults_are_named(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tours, *FAULTS[words])
    with pytest.raises(PartCheckError, match=words):
        check_domain(Tours(), [random_problem("EUC_2D", 12)], backend="cpu")
