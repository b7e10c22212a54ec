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
CAPITALS = EXAMPLES / "data" / "europe_capitals.tsp"
TWO_OPT = 18731  # length of the best known tour of the capitals
ROUTES = 25906  # cost of the best known routes of vehicle_routing_pymoo.py


def run(script: str, *arguments: object, folder: Path) -> str:
    """Run an example in an empty folder, with a single thread; return its output."""
    command = (str(EXAMPLES / script), *map(str, arguments))
    return run_python(*command, cwd=folder, GPU_LS_THREADS="1")


def rows_of(out: str, columns: int) -> list[list[str]]:
    """Return the cells of the rows of a printed table that has this number of columns."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    return [row for row in rows if len(row) == columns]


def need(module: str, extras: str) -> None:
    """Skip the test if a module is not installed."""
    pytest.importorskip(module, reason=f'needs pip install "gpu-ls-plugin[{extras}]"')


def test_each_example_is_tested_and_listed() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == set(re.findall(r'run\(\s*"(\w+\.py)"', Path(__file__).read_text("utf-8")))
    assert scripts == set(
        re.findall(r"^\| `(\w+\.py)`", (EXAMPLES / "README.md").read_text(), re.M)
    )


@pytest.mark.slow
def test_memetic_ga(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    out = run("memetic_ga.py", "--seconds", 1, "--pop", 20, "--plot", "out.png", folder=tmp_path)
    cells = {row[0]: row for row in rows_of(out, 6)}
    lengths = {name: int(row[2]) for name, row in cells.items() if name.startswith(("GA", "M"))}
    assert set(lengths) == {"GA, InversionMutation", "GA, LocalSearchMutation", "MemeticGA"}
    assert lengths["MemeticGA"] == lengths["GA, LocalSearchMutation"] == TWO_OPT
    assert lengths["GA, InversionMutation"] > TWO_OPT
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["pygad", "deap"])
def test_other_frameworks(framework: str, tmp_path: Path) -> None:
    need(framework, framework)
    options = ("--seconds", 0.5, "--pop", 20)
    if framework == "pygad":
        out = run("pygad_tsp.py", *options, folder=tmp_path)
    else:
        out = run("deap_tsp.py", *options, folder=tmp_path)
    usual, searched, batches = (int(row[1]) for row in rows_of(out, 3))
    assert batches == TWO_OPT <= searched < 1.02 * TWO_OPT < usual


@pytest.mark.slow
def test_evotorch_tsp(tmp_path: Path) -> None:
    need("evotorch", "evotorch")
    out = run("evotorch_tsp.py", "--seconds", 0.5, "--pop", 20, folder=tmp_path)
    usual, searched, memetic = (int(row[1]) for row in rows_of(out, 3))
    assert memetic == searched == TWO_OPT < usual


@pytest.mark.slow
def test_tour_model(tmp_path: Path) -> None:
    need("torch", "torch")
    options = ("--cities", 10, "--batch", 64, "--steps", 100, "--device", "cpu")
    out = run("tour_model.py", *options, folder=tmp_path)
    steps = re.findall(r"^step \d+: drawn (\S+), improved (\S+)$", out, re.M)
    drawn, improved = ([float(step[kind]) for step in steps] for kind in (0, 1))
    assert len(steps) == 11 and drawn[-1] < 0.8 * drawn[0]
    assert all(better < length for length, better in zip(drawn, improved, strict=True))


@pytest.mark.slow
def test_assignment_pymoo(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo")
    out = run("assignment_pymoo.py", "--seconds", 1, "--jobs", 60, folder=tmp_path)
    cells = {row[0]: row for row in rows_of(out, 4)}
    assert list(cells) == ["GA, PM", "GA, SuccessorMutation", "MemeticGA"]
    costs = [int(row[1]) if row[2] == "0" else 10**9 for row in cells.values()]
    assert costs[0] > costs[1] > costs[2]


@pytest.mark.slow
def test_vehicle_routing_pymoo(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo")
    out = run(
        "vehicle_routing_pymoo.py", "--seconds", 1, "--pop", 30, "--solution", "out.sol",
        folder=tmp_path,
    )  # fmt: skip
    cells = {row[0]: row for row in rows_of(out, 5)}
    assert list(cells) == ["GA, InversionMutation", "GA, LocalSearchMutation", "MemeticGA"]
    usual, searched, memetic = (int(row[1]) for row in cells.values())
    assert memetic <= 1.01 * ROUTES
    assert searched <= 1.02 * ROUTES < usual
    assert cells["MemeticGA"][3] == "0"
    visited = sorted(int(c) for c in re.findall(r"\d+", " ".join(re.findall(r"\[(.*)\]", out))))
    assert visited == list(range(1, 44))
    solution = (tmp_path / "out.sol").read_text()
    assert solution.count("Route #") == int(cells["MemeticGA"][2])
    assert f"Cost: {memetic}" in solution.replace("Cost ", "Cost: ")


@pytest.mark.slow
def test_two_objectives(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    out = run("two_objectives.py", "--seconds", 3, "--plot", "out.png", folder=tmp_path)
    found = re.findall(r"^(.*): (\d+) tours, hypervolume (0\.\d+)$", out, re.M)
    assert [name for name, _, _ in found] == ["NSGA2", "NSGA2, LocalSearchMutation", "MemeticNSGA2"]
    plain, searched, memetic = (float(volume) for _, _, volume in found)
    assert plain < searched < memetic
    assert int(found[2][1]) > 2 * int(found[1][1])
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


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
def test_experiment(tmp_path: Path) -> None:
    need("pymoo.core.problem", "pymoo,plot")
    need("matplotlib", "pymoo,plot")
    out = run("experiment.py", "--seeds", 2, "--pop", 8, folder=tmp_path)
    assert all(title in out for title in ("Final gaps in %", "Time to target", "Comparison"))
    lines = (line.split() for line in out.splitlines())
    row = next(cells for cells in lines if cells[:2] == ["capitals", "MemeticGA"])
    assert row[2:5] == ["2", "0", "0"]  # runs, failed, the best gap
    assert len(list((tmp_path / "experiment" / "runs").glob("*.json"))) == 12
    assert (tmp_path / "experiment" / "report.html").read_text("utf-8").count("<img") == 3


def test_delivery_schedule(tmp_path: Path) -> None:
    need("matplotlib", "plot")
    gls.VRP(
        [(0, 0), (30, 40), (60, 0)], [0, 1, 1], 2, windows=[(0, 300), (90, 95), (0, 300)],
    ).write(tmp_path / "some.vrp")  # fmt: skip
    files = ("--seconds", 0.2, "--csv", "plan.csv", "--chart", "plan.png")
    out = run("delivery_schedule.py", "some.vrp", *files, folder=tmp_path)
    assert "some: vehicles 1, cost 160, in time: True" in out
    # The service of customer 1 begins when its window opens.
    assert ["1", "90", "0", "90", "5"] in [line.split()[:5] for line in out.splitlines()]
    assert len((tmp_path / "plan.csv").read_text().splitlines()) == 5
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


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
    blocking, buffered = (int(cost) for cost in re.findall(r"^\w+: (\d+) \[", out, re.M))
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
    routes = [[int(stop) for stop in re.findall(r"\d+", line)] for line in out.splitlines()[:-4]]
    tour = problem.tour(routes)
    assert problem.feasible(tour).all() and out.count("*") == breaks.rests[1:].sum() + 1
    assert f"{problem.cost(tour)[0]} minutes of driving" in out and "all limits hold: True" in out
    longest, savings = (int(found) for found in re.findall(r"(?:at most|up to) (\d+)", out))
    assert longest == breaks.stretches(problem, tour[np.newaxis]).max() <= breaks.most < savings
    small = made["instance"](24)
    check_resource(small.resources[0], [small.with_resources()], backend="cpu")


def test_climb_batch(tmp_path: Path) -> None:
    out = run("climb_batch.py", "--size", 16, folder=tmp_path)
    problem = gls.TSP.read(CAPITALS)
    starts = gls.random_tours(problem, size=16, seed=1)
    for name in ("random_tours", "space_filling_curve", "nearest_neighbour", "greedy"):
        line = next(line for line in out.splitlines() if name in line)
        before, after, best = (int(cell) for cell in line.split("│")[2:5])
        assert before > after >= best >= TWO_OPT
        if name == "random_tours":
            assert before == round(problem.cost(starts).mean())


@pytest.mark.slow
def test_filtered_neighbourhood(tmp_path: Path) -> None:
    out = run("filtered_neighbourhood.py", "--size", 4, folder=tmp_path)
    everything, exact, near = (
        [int(cell.replace(",", "")) for cell in line.split("│")[2:5]]
        for line in out.splitlines()
        if line.startswith("│")
    )
    assert everything[0] > 2 * exact[0] > 2 * near[0] > 0
    assert everything[1:] == exact[1:] and near[1] >= near[2] >= TWO_OPT


@pytest.mark.slow
def test_random_restarts(tmp_path: Path) -> None:
    out = run("random_restarts.py", "--climbs", 300, folder=tmp_path).splitlines()
    assert out[0].startswith("europe_capitals: 300 climbs, ")
    lengths = [int(length) for length in out[1].removeprefix("best lengths: ").split()]
    assert lengths == sorted(lengths)
    assert len(lengths) == 5
    tour = [int(city) - 1 for city in out[2].removeprefix("best tour: ").split()]
    assert gls.TSP.read(CAPITALS).cost(tour)[0] == lengths[0] < 1.05 * TWO_OPT


@pytest.mark.slow
def test_iterated(tmp_path: Path) -> None:
    need("matplotlib", "plot")
    out = run("iterated.py", "--seconds", 2, "--size", 8, "--plot", "out.png", folder=tmp_path)
    counts, *tours = out.splitlines()
    kicks, accepted, reason = re.match(
        r"([\d,]+) kicks, ([\d,]+) accepted, stopped by (\w+)", counts
    ).groups()
    assert 0 < int(accepted.replace(",", "")) <= int(kicks.replace(",", ""))
    assert reason == "seconds"
    lengths = [int(length) for length in re.findall(r"^length (\d+): \d", out, re.M)]
    assert len(lengths) == len(tours) and lengths[0] == TWO_OPT and lengths == sorted(lengths)
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_iterated_returns_its_best_tours_after_ctrl_c(tmp_path: Path) -> None:
    code = (
        "import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "sys.argv[0] = sys.argv.pop(1); runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    command = [sys.executable, "-c", code, str(EXAMPLES / "iterated.py"), "--seconds", "600"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
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
    out = run("islands.py", "--seconds", 2, folder=tmp_path)
    assert f"best {TWO_OPT:,} of" in out and "kicks; " in out


@pytest.mark.slow
def test_kick_and_climb(tmp_path: Path) -> None:
    out = run("kick_and_climb.py", "--rounds", 10, "--size", 16, folder=tmp_path)
    (best, mean), (later_best, later_mean) = (
        (int(b), float(m)) for b, m in re.findall(r"best (\d+), mean ([\d.]+)", out)
    )
    assert TWO_OPT <= later_best <= best
    assert later_mean < mean
