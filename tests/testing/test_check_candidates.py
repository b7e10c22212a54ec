"""The check of candidate rules passes those that are right and finds planted faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import CandidateLists, Candidates, UnsupportedProblemError
from gpu_ls_plugin.testing import check_candidates
from tests.testing.faults import ON_BOTH, found_out


def same(given: Any) -> Any:
    return given


@dataclass(frozen=True)
class Mine(Candidates):
    """The three nearest cities, or a planted fault."""

    cities: Any = same
    lengths: Any = same
    longest: int = 0

    def build(self, problem: gls.TSP) -> CandidateLists:
        lists = gls.Nearest(3).build(problem)
        return CandidateLists(self.cities(lists.cities), self.lengths(lists.lengths))

    def most(self, problem: gls.TSP) -> int:
        return self.longest


class Refusing(Mine):
    def build(self, problem: gls.TSP) -> CandidateLists:
        raise UnsupportedProblemError("problem: no")


class Bare(Mine):
    def build(self, problem: gls.TSP) -> Any:
        return super().build(problem).cities


class Unhashable(Mine):
    __hash__ = None  # type: ignore[assignment]


def shuffled(cities: Any) -> Any:
    return np.random.default_rng().permuted(cities, axis=1)


def itself(cities: Any) -> Any:
    return np.where(np.arange(cities.shape[1]) == 1, np.arange(len(cities))[:, None], cities)


FAULTS: dict[str, tuple[Any, str]] = {
    "out of range": (Mine(lambda cities: cities + len(cities)), "not different other cities"),
    "negative": (Mine(lambda cities: cities - len(cities)), "not different other cities"),
    "itself": (Mine(itself), "for city 0, not different other cities"),
    "twice": (Mine(lambda cities: cities[:, [0, 0, 1]]), "not different other cities"),
    "real numbers": (Mine(lambda cities: cities * 1.0), "lists float64"),
    "too few rows": (Mine(lambda cities: cities[1:]), "not integers of shape"),
    "other lengths": (Mine(lengths=lambda lengths: lengths + 1), "lengths in the lists are not"),
    "by chance": (Mine(shuffled), "when called again|lengths in the lists"),
    "fewer than there are": (Mine(longest=2), r"most\(\) returns 2, but build\(\) lists 3"),
    "refuses all": (Refusing(), "refuses every problem"),
    "no lists": (Bare(), r"build\(\) returned array"),
    "no hash": (Unhashable(), "__hash__"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_rule_is_found_out(fault):
    found_out(check_candidates, *FAULTS[fault], backend="cpu")


@ON_BOTH
def test_a_rule_that_is_right_passes(backend):
    check_candidates(Mine(), backend=backend)


@pytest.mark.parametrize("rule", [gls.Quadrant(8), gls.Alpha(4) | gls.Nearest(3)], ids=repr)
def test_built_in_rules_pass(rule):
    check_candidates(rule, backend="cpu")
