"""The `repr` of objects of all adapters is the call that makes them."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters

ADAPTERS = ("gpu_ls_pymoo", "gpu_ls_pygad", "gpu_ls_deap")


@pytest.mark.parametrize("package", ADAPTERS)
def test_no_public_class_shows_addresses(package):
    pytest.importorskip(package.removeprefix("gpu_ls_"))
    module = importlib.import_module(package)
    kinds = [getattr(module, name) for name in module.__all__]
    bare = [kind for kind in kinds if inspect.isclass(kind) and kind.__repr__ is object.__repr__]
    assert bare == []


def test_algorithms_and_operators_of_pymoo_are_shown_shortly():
    pymoo = pytest.importorskip("gpu_ls_pymoo")
    problem = gls.TSP(np.random.default_rng(1).random((9, 2)))
    assert repr(pymoo.MemeticGA()).startswith("MemeticGA(")
    assert "pop_size=50" in repr(pymoo.MemeticGA(pop_size=50, search="two_opt"))
    assert "search=" in repr(pymoo.MemeticGA(pop_size=50, search="two_opt"))
    assert repr(pymoo.LocalSearchMutation()).startswith("LocalSearchMutation(")
    for made in (
        pymoo.MemeticGA(),
        pymoo.MemeticNSGA2(),
        pymoo.OrderCrossover(),
        pymoo.LocalSearchSampling(),
        pymoo.TSPProblem(problem),
    ):
        for shown in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert repr(shown) == repr(made)
        assert " at 0x" not in repr(made) and len(repr(made)) < 400


class Sample(ShownParameters):
    def __init__(
        self, size: int = 3, *, name: str = "", rows: object = None, more: int = 1
    ) -> None:
        self.size, self._name, self.rows = size, name, rows


def test_parameters_are_shown_if_they_differ_from_their_defaults():
    assert repr(Sample()) == "Sample()"
    assert repr(Sample(4, name="a", more=5)) == "Sample(size=4, name='a')"
    assert repr(Sample(rows=np.zeros((2, 3)))) == "Sample(rows=<ndarray (2, 3)>)"
    assert repr(Sample(rows=object())) == "Sample(rows=<object>)"
    assert repr(Sample(rows="x" * 100)) == "Sample(rows=<str>)"
