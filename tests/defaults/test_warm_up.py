"""`gpu-ls warm-up` makes the default calls, which ask for the kernels of all defaults."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from rich import progress
from rich.console import Console

from gpu_ls_plugin.backends import builds, ready_made
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.defaults import calls, warm_up
from gpu_ls_plugin.defaults.calls import DefaultCall
from tests.cli.test_cli import gpu_ls, gpu_ls_json
from tests.helpers.patience import wait_as_users_do

if TYPE_CHECKING:
    from pathlib import Path


def test_names_of_calls_differ():
    names = Counter(call.name for call in (*calls.usual_calls(), *calls.other_calls()))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.fixture
def listed(monkeypatch) -> list[str]:
    """Replace the lists of calls by short ones; return the calls as they are made."""
    made: list[str] = []

    def fail(backend: str) -> None:
        raise InvalidParameterError("size: too large")

    usual = [DefaultCall("solve: one", made.append), DefaultCall("solve: two", fail)]
    monkeypatch.setattr(warm_up, "usual_calls", lambda: iter(usual))
    monkeypatch.setattr(warm_up, "other_calls", lambda: iter([DefaultCall("other", made.append)]))
    return made


def test_calls_are_shown_and_made_and_failures_named(listed):
    shown = []
    failures = warm_up.warm_up("cpu", show=lambda *state: shown.append(state))
    assert shown == [("solve: one", 0, 2), ("solve: two", 1, 2)]
    assert (listed, failures) == (["cpu"], ["solve: two: size: too large"])


def test_all_calls_or_some_of_them(listed):
    assert warm_up.warm_up("cpu", everything=True, only="o", show=print) != []
    assert listed == ["cpu", "cpu"]
    assert warm_up.warm_up("cpu", everything=True, only="other", show=print) == []
    words = "'routes' in its name; names such as 'solve: one' are made of solve, other, one, two,"
    with pytest.raises(InvalidParameterError, match=words):
        warm_up.warm_up("cpu", everything=True, only="routes", show=print)


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("terminal", [True, False])
def test_on_a_terminal_the_bar_shows_what_is_compiled(monkeypatch, terminal):
    shown, stream = [], io.StringIO()
    update = progress.Progress.update

    def noted(self: progress.Progress, *given: object, **options: object) -> None:
        update(self, *given, **options)
        with compilations.named("chain"), compilations.running("with cc"):
            Console(file=stream, width=90).print(self.get_renderable())
        shown.append(compilations.displays)

    monkeypatch.setattr(progress.Progress, "update", noted)
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if terminal else "0")
    gpu_ls("warm-up", "--backend", "cpu")
    assert shown == [terminal, terminal]
    assert "solve: one  compiling chain" in stream.getvalue()


def test_searches_with_a_time_limit_wait_for_kernels(monkeypatch):
    wait_as_users_do(monkeypatch)
    waits = []

    def search(backend: str) -> None:
        with builds.in_background():
            waits.append(builds.waits())

    monkeypatch.setattr(warm_up, "usual_calls", lambda: iter([DefaultCall("search", search)]))
    assert warm_up.warm_up("cpu", show=print) == []
    search("cpu")
    assert waits == [True, False]


def test_the_command(listed, tmp_path, monkeypatch):
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(tmp_path))
    found = gpu_ls_json("warm-up", "--backend", "cpu", "--only", "one")
    assert found == {"folder": str(tmp_path), "failures": 0}
    done = gpu_ls("warm-up", "--backend", "cpu")
    assert done.returncode == 1
    assert "error: solve: two: size: too large" in done.stderr
    for option in ("--levels", "--arch"):
        assert gpu_ls("warm-up", option).returncode == 2


@pytest.mark.slow
def test_programs_for_a_wheel(tmp_path, monkeypatch):
    monkeypatch.setattr(ready_made, "flags_of", lambda level: ("-O0", "-fPIC", "-shared"))
    options = ("--only", "solve: assignment, graph colouring", "--levels", "x86-64-v3", "--arch")
    environment = {"GPU_LS_CXXFLAGS": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "gpu_ls_plugin", "warm-up", "--into", str(tmp_path), *options]
    subprocess.run(command, check=True, env=os.environ | environment)
    index = json.loads((tmp_path / ready_made.INDEX).read_text(encoding="utf-8"))
    assert set(index) == {path.name for path in tmp_path.glob("*.so")}
    assert len(index) >= 2


ADAPTERS = """
import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_deap, gpu_ls_pygad, gpu_ls_pymoo
from gpu_ls_plugin.backends import ready_made
from gpu_ls_plugin.defaults import problems
from gpu_ls_plugin.defaults.calls import usual_calls


class Asked(ready_made.Programs):
    def library(self, source):
        asked.append(source)


asked = []
with ready_made.using(Asked(ready_made.FOLDER)):
    for call in usual_calls():
        call.run("cpu")
    listed = len(asked)
    for metric, tsp in problems.usual_tours().items():
        problem = gpu_ls_pymoo.TSPProblem(tsp)
        minimize(problem, gpu_ls_pymoo.MemeticGA(), ("time", 0.3), seed=1)
        minimize(problem, gpu_ls_pymoo.MemeticGA(pop_size=20), ("n_gen", 2), seed=1)
        for crossover in ("EdgeAssembly", "Order", "Partition", "Segment"):
            crossed = getattr(gpu_ls_pymoo, crossover + "Crossover")()
            searched = dict(crossover=crossed, mutation=gpu_ls_pymoo.LocalSearchMutation())
            sampling = gpu_ls_pymoo.LocalSearchSampling()
            minimize(problem, GA(pop_size=10, sampling=sampling, **searched), ("n_gen", 2), seed=1)
        one = list(range(tsp.n))
        gpu_ls_deap.LocalSearchMutation(tsp).prepare(10)
        gpu_ls_deap.LocalSearchSampling(tsp).prepare(10)
        gpu_ls_deap.TourCost(tsp)(one)
        gpu_ls_pygad.LocalSearchMutation(tsp).prepare(10)
    for metric, cvrp in problems.usual_routes().items():
        problem = gpu_ls_pymoo.CVRPProblem(cvrp)
        minimize(problem, gpu_ls_pymoo.MemeticGA(), ("time", 0.3), seed=1)
        minimize(problem, gpu_ls_pymoo.MemeticGA(pop_size=20), ("n_gen", 2), seed=1)
lines = [source.rpartition("extern")[2].strip() for source in asked[listed:]]
print("".join(lines), end="")
"""


@pytest.mark.slow
def test_the_usual_calls_need_all_kernels_of_the_adapters_defaults(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ADAPTERS],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
        capture_output=True,
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
