"""A foreign domain, written by ``gpu-ls new``, in each client of domains."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gpu_ls_plugin.plugins.new_package import write_package
from tests.helpers.distributions import install_project, run, run_text

if TYPE_CHECKING:
    from pathlib import Path

USE = """
import itertools, json, sys
import numpy as np
import gpu_ls_plugin as gls
from gpu_ls_plugin.testing import check_domain
from gpu_ls_cuts import CutsDomain, CutsProblem

path, folder = sys.argv[1:3]

if __name__ == "__main__":
    problem = CutsProblem.read(path)
    check_domain(CutsDomain(), [problem], backend="cpu")
    solved = gls.solve(path, seconds=60, kicks=20, backend="cpu")
    again = gls.solve(problem, seconds=60, kicks=20, backend="cpu")
    given = gls.solve(problem, 60, kicks=1, start=solved.best_tour, population=1, backend="cpu")
    settings = {"seconds": 1.0, "backend": "cpu"}
    islands = gls.solve(problem, islands=gls.Islands(), **settings)
    image = gls.plot_solution(problem, solved.best_tour, f"{folder}/cut.png")
    gls.animate_run(problem, solved.tours[:2, None], f"{folder}/run.gif")
    print(json.dumps({
        "plan": str(gls.plan(problem, 2, population=5, backend="cpu")).splitlines()[2],
        "read": type(solved.problem).__name__,
        "best": int(solved.best_cost),
        "refereed": bool((solved.costs == problem.cost(solved.tours)).all()),
        "reproducible": bool((again.tours == solved.tours).all()),
        "never worse": bool(given.best_cost <= solved.best_cost),
        "islands": int(islands.best_cost),
        "islands refereed": bool((islands.costs == problem.cost(islands.tours)).all()),
    }))
"""


PYMOO = """
import json, sys
import gpu_ls_pymoo as gp
from gpu_ls_cuts import CutsProblem
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.optimize import minimize

path, folder = sys.argv[1:3]
ours = CutsProblem.read(path)
problem = gp.DomainProblem(ours)
ga = GA(
    8,
    sampling=gp.LocalSearchSampling(backend="cpu"),
    crossover=UniformCrossover(),
    mutation=gp.LocalSearchMutation(backend="cpu"),
)
plain = minimize(problem, ga, ("n_gen", 4), seed=1)

def memetic():
    return minimize(problem, gp.MemeticGA(8, backend="cpu"), ("n_gen", 4), seed=1)

one, two = memetic(), memetic()
algorithms, termination = {"memetic": gp.MemeticGA(8, backend="cpu")}, ("n_gen", 2)
experiment = gp.Experiment(algorithms, {"cut": ours}, 2, termination, f"{folder}/runs")
print(json.dumps({
    "ga": int(plain.F[0]),
    "memetic": int(one.F[0]),
    "refereed": int(ours.cost(one.X)[0]) == int(one.F[0]),
    "reproducible": bool((one.X == two.X).all()),
    "missing": list(experiment.run(progress=False).missing),
}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which pip has installed the package."""
    project = write_package("cuts", "domain", tmp_path_factory.mktemp("written"))
    return install_project(project, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """Return a file of a random graph, with a neutral name, and the cost of its maximum cut."""
    random, n = np.random.default_rng(3), 12
    edges = [pair for pair in itertools.combinations(range(n), 2) if random.random() < 0.5]
    weights = random.integers(1, 10, len(edges))
    rows = np.array(list(itertools.product((0, 1), repeat=n)))
    first, second = np.array(edges).T
    best = ((rows[:, first] != rows[:, second]) @ weights).max()
    path = tmp_path_factory.mktemp("graph") / "graph.txt"
    lines = [f"{a + 1} {b + 1} {w}" for (a, b), w in zip(edges, weights, strict=True)]
    path.write_text("\n".join([f"{n} {len(edges)}", *lines]))
    return path, -int(best)


@pytest.mark.slow
def test_solve_islands_and_pictures(site: Path, graph: tuple[Path, int], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path, best = graph
    script = tmp_path / "use.py"
    script.write_text(USE, encoding="utf-8")
    assert run(site, str(script), str(path), str(tmp_path)) == {
        "plan": "1. cuts, 5 from nothing, 100.0% of the time",
        "read": "CutsProblem",
        "best": best,
        "refereed": True,
        "reproducible": True,
        "never worse": True,
        "islands": best,
        "islands refereed": True,
    }
    assert (tmp_path / "cut.png").stat().st_size and (tmp_path / "run.gif").stat().st_size


@pytest.mark.slow
def test_the_command_line(site: Path, graph: tuple[Path, int], tmp_path: Path) -> None:
    path, best = graph
    files = {name: tmp_path / f"{name}.txt" for name in ("out", "history")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    options += ["--result", str(tmp_path / "result.json"), "--backend", "cpu", "--kicks", "20"]
    found = run(site, "-m", "gpu_ls_plugin", "solve", str(path), "--json", *options)
    assert (found["best_cost"], found["cut"], found["feasible"]) == (best, -best, True)
    rows = [int(line) - 1 for line in files["out"].read_text().split()]
    assert rows == found["best_tour"]
    text = run_text(site, "-m", "gpu_ls_plugin", "solve", str(path), "--backend", "cpu",
                    "--seconds", "0.1")  # fmt: skip
    assert "12 variables" in text and f"best     {best:,}" in text
    plan = run_text(site, "-m", "gpu_ls_plugin", "solve", str(path), "--plan")
    assert "each row climbs by the best flips" in plan
    saved = json.loads((tmp_path / "result.json").read_text())
    assert saved


@pytest.mark.slow
def test_pymoo(site: Path, graph: tuple[Path, int], tmp_path: Path) -> None:
    pytest.importorskip("pymoo")
    path, best = graph
    script = tmp_path / "use.py"
    script.write_text(PYMOO, encoding="utf-8")
    assert run(site, str(script), str(path), str(tmp_path)) == {
        "ga": best,
        "memetic": best,
        "refereed": True,
        "reproducible": True,
        "missing": [],
    }
