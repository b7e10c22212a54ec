"""A rehearsal composes the kernels of a GPU, and its twins on the host find the same tours."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpu_ls_plugin import routes, tours
from gpu_ls_plugin.backends import cuda_reason, get_backend, ready_made, standing_in
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.tuning import SHARED_MEMORY
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.defaults import problems
from gpu_ls_plugin.defaults.making import Maker
from gpu_ls_plugin.defaults.rehearsal import Rehearsal, twin_of
from gpu_ls_plugin.plugins.instantiations import EUC_2D, USUAL, Lengths
from gpu_ls_plugin.solver.calls import solve
from gpu_ls_plugin.tours.engines.descent import descent_layouts

MANY = 16  # tours per multiprocessor


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_twins_search_as_the_host_does(metric):
    problem = problems.planar(metric, 60)
    rows = tours.random_tours(problem, size=8, seed=1, backend="cpu")
    found = {}
    for backend in (get_backend("cpu"), Rehearsal(90)):
        search = tours.IteratedLocalSearch(tours.LocalSearch([tours.TwoOpt(), tours.OrOpt()]))
        result = search(problem, rows, seed=1, budget=Budget(kicks=20), backend=backend)
        found[backend.name] = result.tours
    np.testing.assert_array_equal(found["cpu"], found["cuda"])


@pytest.mark.parametrize("arch", [75, 90])
def test_kernels_are_those_of_a_gpu(arch):
    problem, rehearsal = problems.planar("EUC_2D", 1500), Rehearsal(arch)
    rows = tours.random_tours(problem, size=MANY * rehearsal.processors, seed=1, backend=rehearsal)
    tours.LocalSearch()(problem, rows, seed=1, budget=Budget(moves=0), backend=rehearsal)
    shape = descent_layouts.descent_shape(
        problem.n, MANY, SHARED_MEMORY[arch], "auto", EUC_2D.needs(USUAL)
    )
    (descent,) = (kernel for kernel in rehearsal.kernels if kernel.name == "descent")
    assert (descent.team, shape.memory in descent.body) == (shape.team, True)
    assert Lengths.of(problem.metric).grid == "fine"
    assert "gls::OnGrid<gls::Euc2D, false>" in descent.body


def test_twins_are_for_the_host():
    kernel = Kernel(
        "search",
        "tours/search.cuh",
        "gls::Search<gls::Warp<4>, gls::SharedMemory<true>, gls::Block<64>, gls::GlobalMemory>",
        parse_parameters("int n"),
        "gls::Warp<4>",
        prepared=True,
    )
    twin = twin_of(kernel)
    assert twin.on_host and not twin.prepared
    assert twin.body == (
        "gls::Search<gls::Host, gls::HostMemory<gls::uint16>, gls::Host, gls::HostMemory<int>>"
    )


def test_only_searches_are_cut(monkeypatch):
    limits = {}

    def launch(kernel, *_, seconds):
        limits[kernel.name] = seconds

    monkeypatch.setattr(get_backend("cpu"), "launch", launch)
    for name in ("chain", "instance_lists"):
        body = "gls::Kernel<gls::Warp<4>, gls::SharedMemory<true>>"
        kernel = Kernel(name, "kernel.cuh", body, parse_parameters("int n"), "gls::Warp<4>")
        assert Rehearsal(90).launch(kernel, 1, {"n": 1}, seconds=0.01)
    assert limits == {"chain": 0.01, "instance_lists": math.inf}


def test_whole_calls_are_rehearsed():
    rehearsal = Rehearsal(80)
    with standing_in(rehearsal):
        assert get_backend("cuda") is rehearsal
        found = solve(problems.routing("EUC_2D", 20), 0.1, backend="cuda")
    assert found.best_feasible
    assert {"linked_chain", "tour_cost"} <= {kernel.name for kernel in rehearsal.kernels}
    if cuda_reason() is not None:
        with pytest.raises(Exception, match="cuda cannot be used"):
            get_backend("cuda")


def test_calls_on_sequences_are_rehearsed():
    rehearsal = Rehearsal(90)
    with standing_in(rehearsal):
        for objective in ("makespan", "total_flowtime"):
            solve(problems.sequences()[f"{objective} of 5 machines"], 0.2, backend="cuda")
    names = {kernel.name for kernel in rehearsal.kernels}
    assert {"sequence_chain", "build_sequence", "expand_beam"} <= names


def test_binaries_are_made_and_found(tmp_path, nvrtc):
    rehearsal = Rehearsal(75)
    routes.savings(problems.routing("EUC_2D", 20), backend=rehearsal)
    for _ in range(2):
        Maker(tmp_path).make_cubins(rehearsal.kernels, 75)
    programs = ready_made.Programs(tmp_path)
    assert len(programs.digests) == len(rehearsal.kernels) > 0
    for kernel in rehearsal.kernels:
        path = programs.cubin(kernel.source, 75)
        assert path.read_bytes()[:4] == b"\x7fELF"
        assert programs.cubin(kernel.source, 80) is None
