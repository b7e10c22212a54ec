"""Each example runs as for a user, and prints the promised results."""

from __future__ import annotations

import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.testing import check_resource, check_sequence_objective
from tests.helpers.processes import run_python

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
TWO_OPT = 18731  # length of the best known tour of the capitals
MOST_LINES = 59
LONGER = {"memetic_ga.py", "driver_breaks.py"}  # with options and a picture; a whole resource


def run(script: str, *arguments: object, folder: Path) -> str:
    """Run an example in an empty folder, with a single thread; return its output."""
    command = (str(EXAMPLES / script), *map(str, arguments))
    return run_python(*command, cwd=folder, GPU_LS_THREADS="1")


def numbers(out: str, pattern: str) -> dict[str, float]:
    """Return the number in each line "name: pattern", such as "mean (.*)", by name."""
    return {name: float(number) for name, number in re.findall(f"^(.*): {pattern}", out, re.M)}


def need(module: str, extras: str) -> None:
    """Skip the test if a module is not installed."""
    pytest.importorskip(module, reason=f'needs pip install "gpu-ls-plugin[{extras}]"')


def is_image(path: Path) -> bool:
    return path.read_bytes().startswith(b"\x89PNG")


def test_each_example_is_tested_listed_and_short() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == set(re.findall(r'run\(\s*"(\w+\.py)"', Path(__file__).read_text("utf-8")))
    assert scripts == set(
        re.findall(r"^\| \[(\w+\.py)\]\(\1\)", (EXAMPLES / "README.md").read_text(), re.M)
    )
    lines = {name: len((EXAMPLES / name).read_text("utf-8").splitlines()) for name in scripts}
    assert {name for name in scripts if lines[name] > MOST_LINES} == LONGER


@pytest.mark.slow
def test_memetic_ga(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    out = run("memetic_ga.py", "--seconds", 1, "--pop", 20, "--plot", "out.png", folder=tmp_path)
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    lengths = {row[0]: int(row[2]) for row in rows if len(row) == 6}
    assert list(lengths) == ["GA, InversionMutation", "GA, LocalSearchMutation", "MemeticGA"]
    assert lengths["MemeticGA"] == lengths["GA, LocalSearchMutation"] == TWO_OPT
    assert lengths["GA, InversionMutation"] > TWO_OPT
    assert is_image(tmp_path / "out.png")


@pytest.mark.slow
def test_memetic_ga_on_another_instance(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo")
    (tmp_path / "box.tsp").write_text(
        "NAME : box\nTYPE : TSP\nDIMENSION : 8\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
        "1 0 0\n2 20 20\n3 20 0\n4 0 20\n5 10 0\n6 10 20\n7 0 10\n8 20 10\nEOF\n"
    )
    out = run(
        "memetic_ga.py", "--instance", "box.tsp", "--optimum", 80, "--seconds", 0.2, "--pop", 10,
        folder=tmp_path,
    )  # fmt: skip
    assert "box: 8 cities, 0.2 s each" in out
    assert out.count("0.00 %") == 3


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["pygad", "deap"])
def test_other_frameworks(framework: str, tmp_path: Path) -> None:
    need(framework, framework)
    if framework == "pygad":
        out = run("pygad_tsp.py", folder=tmp_path)
    else:
        out = run("deap_tsp.py", folder=tmp_path)
    usual, searched, batches = numbers(out, r"(\d+)$").values()
    assert batches == TWO_OPT <= searched < 1.02 * TWO_OPT < usual


@pytest.mark.slow
def test_evotorch_tsp(tmp_path: Path) -> None:
    need("evotorch", "evotorch")
    usual, searched, memetic = numbers(run("evotorch_tsp.py", folder=tmp_path), r"(\d+)$").values()
    assert memetic == searched == TWO_OPT < usual


@pytest.mark.slow
def test_torch_batch(tmp_path: Path) -> None:
    need("torch", "torch")
    out = run("torch_batch.py", folder=tmp_path)
    random, searched, kicked = numbers(out, r"(\d+\.\d+)$").values()
    assert random > 5 * searched and searched > 1.02 * kicked
    assert "rows: (500, 100), torch.int64" in out


@pytest.mark.slow
def test_tour_model(tmp_path: Path) -> None:
    need("torch", "torch")
    out = run("tour_model.py", folder=tmp_path)
    steps = re.findall(r"^step \d+: drawn (\S+), improved (\S+)$", out, re.M)
    drawn, improved = ([float(step[kind]) for step in steps] for kind in (0, 1))
    assert len(steps) == 6 and drawn[-1] < 0.6 * drawn[0]
    assert all(better < length for length, better in zip(drawn, improved, strict=True))


@pytest.mark.slow
def test_pymoo_flow_shop(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    found = numbers(run("pymoo_flow_shop.py", folder=tmp_path), r"makespan (\d+)$")
    assert found["GA, LocalSearchMutation"] < found["GA, InversionMutation"]
    assert is_image(tmp_path / "schedule.png")


@pytest.mark.slow
def test_assignment_pymoo(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo")
    out = run("assignment_pymoo.py", folder=tmp_path)
    usual, ours, memetic = numbers(out, r"cost (\d+), overload 0$").values()
    assert usual > ours > memetic


@pytest.mark.slow
def test_vehicle_routing_pymoo(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    out = run("vehicle_routing_pymoo.py", folder=tmp_path)
    costs = numbers(out, r"cost (\d+), violation 0$")
    assert costs["MemeticGA"] <= 1.01 * costs["GA, LocalSearchMutation"]
    visited = sorted(int(c) for c in re.findall(r"\d+", " ".join(re.findall(r"\[(.*)\]", out))))
    assert visited == list(range(1, 61))
    solution = (tmp_path / "routes.sol").read_text()
    assert solution.count("Route #") == out.count("load ")
    assert f"Cost {costs['MemeticGA']:.0f}" in solution and is_image(tmp_path / "routes.png")


@pytest.mark.slow
def test_two_objectives(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    out = run("two_objectives.py", folder=tmp_path)
    plain, searched, memetic = numbers(out, r".*hypervolume (0\.\d+)$").values()
    assert plain < searched < memetic
    tours = numbers(out, r"(\d+) tours")
    assert tours["MemeticNSGA2"] > 2 * tours["NSGA2, LocalSearchMutation"]
    assert is_image(tmp_path / "fronts.png")


@pytest.mark.slow
def test_experiment(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    out = run("experiment.py", folder=tmp_path)
    assert all(title in out for title in ("Final gaps in %", "Comparison"))
    lines = (line.split() for line in out.splitlines())
    row = next(cells for cells in lines if cells[:2] == ["capitals", "MemeticGA"])
    assert row[2:5] == ["8", "0", "0"]  # runs, failed, the best gap
    assert len(list((tmp_path / "experiment" / "runs").glob("*.json"))) == 48
    assert (tmp_path / "experiment" / "report.html").read_text("utf-8").count("<img") == 3


@pytest.mark.slow
def test_delivery_schedule(tmp_path: Path) -> None:
    need("matplotlib", "plot")
    out = run("delivery_schedule.py", folder=tmp_path)
    vehicles = int(re.match(r"vehicles (\d+), cost \d+, in time: True\n", out)[1])
    stops = (tmp_path / "plan.csv").read_text().splitlines()[1:]
    assert len(stops) == 60 + 2 * vehicles  # a route begins and ends at the depot
    shown = re.findall(r"^ +\d+: arrives at (\d+), waits (\d+), begins at (\d+)", out, re.M)
    assert len(shown) > 2 and all(int(a) + int(w) == int(b) for a, w, b in shown)
    assert is_image(tmp_path / "plan.png")


@pytest.mark.slow
def test_time_windows(tmp_path: Path) -> None:
    assert re.fullmatch(r"length \d+, in time: True\n", run("time_windows.py", folder=tmp_path))
    made = runpy.run_path(str(EXAMPLES / "time_windows.py"))["TimeWindows"](7)
    check_sequence_objective(made, gls.Sequence(7, made), backend="cpu")


@pytest.mark.slow
def test_precedences(tmp_path: Path) -> None:
    out = run("precedences.py", folder=tmp_path)
    assert re.fullmatch(r"cost \d+, 0 of \d+ precedences broken\n", out)
    made = runpy.run_path(str(EXAMPLES / "precedences.py"))["WeightedStarts"](7)
    check_sequence_objective(made, gls.Sequence(7, made), backend="cpu")


@pytest.mark.slow
def test_blocking_flow_shop(tmp_path: Path) -> None:
    out = run("blocking_flow_shop.py", folder=tmp_path)
    blocking, buffered = numbers(out, r"(\d+) \[").values()
    assert blocking > buffered
    times = np.random.default_rng(2).integers(1, 20, (7, 4))
    made = runpy.run_path(str(EXAMPLES / "blocking_flow_shop.py"))["Blocking"](times)
    check_sequence_objective(made, gls.Sequence(7, made), backend="cpu")


@pytest.mark.slow
def test_driver_breaks(tmp_path: Path) -> None:
    out = run("driver_breaks.py", folder=tmp_path)
    made = runpy.run_path(str(EXAMPLES / "driver_breaks.py"))
    problem = made["instance"](80)
    (breaks,) = problem.resources
    routes = [[int(stop) for stop in re.findall(r"\d+", line)] for line in out.splitlines()[:-2]]
    tour = problem.tour(routes)
    assert problem.feasible(tour).all() and out.count("*") == breaks.rests[1:].sum()
    assert f"{problem.cost(tour)[0]} minutes of driving, all limits hold: True" in out
    longest = int(re.search(r"at most (\d+) of 200", out)[1])
    assert longest == breaks.stretches(problem, tour[np.newaxis]).max() <= breaks.most
    small = made["instance"](24)
    check_resource(small.resources[0], [small.with_resources()], backend="cpu")
    # The savings consider the capacity and the shift only: the breaks are a real limit.
    assert breaks.stretches(problem, gls.savings(problem)).max() > breaks.most


def test_local_search(tmp_path: Path) -> None:
    out = run("local_search.py", folder=tmp_path)
    before, after = numbers(out, r"mean (\d+)"), numbers(out, r"mean \d+, searched (\d+)$")
    assert list(after) == ["random_tours", "space_filling_curve", "nearest_neighbour", "greedy"]
    assert all(before[name] > after[name] > TWO_OPT for name in after)
    mean, best = map(int, re.search(r"each: mean (\d+), best (\d+)$", out, re.M).groups())
    assert TWO_OPT <= best <= mean < after["greedy"]


@pytest.mark.slow
def test_iterated(tmp_path: Path) -> None:
    need("matplotlib", "plot")
    counts, *tours = run("iterated.py", folder=tmp_path).splitlines()
    kicks, accepted = re.match(r"(\d+) kicks, (\d+) accepted, stopped by seconds", counts).groups()
    assert 0 < int(accepted) <= int(kicks)
    lengths = [int(re.match(r"length (\d+): \d", line)[1]) for line in tours]
    assert lengths[0] == TWO_OPT and lengths == sorted(lengths)
    assert is_image(tmp_path / "costs.png")


@pytest.mark.slow
def test_iterated_returns_its_best_tours_after_ctrl_c(tmp_path: Path) -> None:
    need("matplotlib", "plot")
    script = (EXAMPLES / "iterated.py").read_text("utf-8")
    assert script.count("\nSECONDS = 5\n") == 1
    code = script.replace("SECONDS = 5", "SECONDS = 600").replace(
        "__file__", repr(str(EXAMPLES / "iterated.py"))
    )
    code = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{code}"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        while "kicks/s" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, error
    assert "stopped by interrupt" in out and f"length {TWO_OPT}: " in out


@pytest.mark.slow
def test_islands(tmp_path: Path) -> None:
    need("distributed", "dask")
    out = run("islands.py", folder=tmp_path)
    assert re.fullmatch(rf"best {TWO_OPT} of \d+ tours of all islands\n\d+ kicks\n", out)
