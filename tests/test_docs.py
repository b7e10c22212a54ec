"""The code in the documentation runs, its links are valid, and all hooks are described."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_ls_plugin.cli import commands
from gpu_ls_plugin.plugins import hookspecs
from gpu_ls_plugin.plugins.search_text import parse_search
from tests.helpers.marks import slow_after
from tests.helpers.processes import run_python

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]

# Pages whose blocks run as one program, and a pattern of its output.
WHOLE = {
    "README.md": ".",
    "problems.md": r"^8 \[\[1, 0, 0\]\]\n$",
    "candidates.md": "",
    "deap.md": "",
    "evotorch.md": r"\d\n$",
    "many-instances.md": "",
    "tours.md": r"\[\s*3(\s+\d+){198}\s+40\] \[\d+\.\d+\]\n$",
    "pygad.md": r"edges in conflict\s*$",
    "lab/populations.md": "",
    "pymoo.md": "Statistics",
    "sequences.md": r"^\d+ \[[\d\s]+\]\n",
    "vehicle-routing.md": r"^\d vans, cost \d+, in time: True\ndepot",
    "your-own-resource.md": "^9\n$",
}
# Packages that the blocks of a page import.
NEEDED = {
    "README.md": ["pymoo"],
    "deap.md": ["deap"],
    "evotorch.md": ["evotorch"],
    "lab/populations.md": ["pymoo"],
    "pygad.md": ["pygad"],
    "pymoo.md": ["pymoo"],
    "sequences.md": ["pymoo"],
    "vehicle-routing.md": ["matplotlib", "pymoo"],
}
# Number of Python blocks of the pages whose blocks are run by tests below, or by the named file.
TAKEN = {
    "assignment.md": 8,
    "clusters.md": 1,
    "experiments.md": 5,
    "filters.md": 3,  # the last one: tests/plugins/test_third_party.py
    "tensors.md": 4,  # tests/test_tensors_guide.py
    "recombination.md": 3,  # the last two: tests/tours/cooperation/test_third_party_cooperation.py
    "writing-a-plugin.md": 6,
    "your-own-objective.md": 5,
}
COMMANDS = [
    pytest.param(line.partition("   ")[0].split("#")[0], id=f"{page.name}: {line[:40]}")
    for page in PAGES
    for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    for line in block.splitlines()
    if line.startswith("gpu-ls ")
]


def name_of(page: Path) -> str:
    """Return the path of a page in the documentation."""
    return page.relative_to(DOCS if DOCS in page.parents else ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def hasty(code: str) -> str:
    """Return code with shorter time limits: 0.3 seconds."""
    return re.sub(r'(\bseconds=|"time", )[12]\b(?!\.)', r"\g<1>0.3", code)


def run_code(code: str, *path: Path, cwd: Path = ROOT) -> str:
    """Run a script with folders in front of the import path.

    Time limits are shortened to 0.3 seconds, and searches use a single thread.
    """
    return run_python("-c", hasty(code), path=path, cwd=cwd, GPU_LS_THREADS="1")


def test_each_block_of_python_is_run_by_a_test() -> None:
    found = {name_of(page): len(blocks(page, "python")) for page in PAGES}
    assert {name: count for name, count in found.items() if count and name not in WHOLE} == TAKEN
    assert [name for name in WHOLE if not found[name]] == []


@pytest.mark.parametrize("page", slow_after(2, WHOLE))
def test_pages_run_as_programs(page: str, tmp_path: Path) -> None:
    for needed in NEEDED.get(page, ()):
        pytest.importorskip(needed, reason="needs the extra of this name")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (path,) = (path for path in PAGES if name_of(path) == page)
    assert re.search(WHOLE[page], run_code("\n".join(blocks(path, "python")), cwd=tmp_path))


@pytest.mark.parametrize("command", COMMANDS)
def test_command_lines_are_parsed(command: str) -> None:
    program, *arguments = shlex.split(command)
    options = commands._parser().parse_args(arguments)
    if getattr(options, "search", None) and "solve" in arguments:
        parse_search(options.search)
    assert program == "gpu-ls"


@pytest.mark.slow
def test_the_guide_to_assignment_problems_runs() -> None:
    page = ROOT / "docs" / "assignment.md"
    (problem, heuristic), examples = blocks(page, "cpp"), blocks(page, "python")
    checks = """
from gpu_ls_plugin.testing import check_assignment, check_heuristic
check_assignment(BinPacking([3, 1, 4, 1, 5, 9, 2], 4, 10), backend="cpu")
check_heuristic(FewConflicts(neighbours, colours=5), backend="cpu")
"""
    texts = [f"BIN_PACKING = {problem!r}", f"FUNCTOR = {heuristic!r}"]
    assert run_code("\n".join([*texts, *examples, checks])).splitlines() == [
        "0 optimum",  # the first search
        "[728] (1, 10) [ True  True]",  # built-in problems
        "0",  # an acceptance rule
        "3",  # bins
        "[[0, 2, -1], [0, 2, -1], [1, 2, -1], [1, 2, -1]]",  # successors
        "3",  # an expression
        "3 False",  # masks
        "0",  # a heuristic
    ]


@pytest.mark.slow
def test_the_guide_to_recombination_runs() -> None:
    crossed, searched = run_code(blocks(ROOT / "docs" / "recombination.md", "python")[0]).split()
    assert 0 < int(searched) < float(crossed)


@pytest.mark.slow
def test_the_guide_to_experiments_runs(tmp_path: Path) -> None:
    code = "\n".join(blocks(ROOT / "docs" / "experiments.md", "python"))
    out = run_code(code, cwd=tmp_path)
    assert "Final gaps in %" in out and "Average ranks" in out
    names = {path.name for path in (tmp_path / "memetic").iterdir()}
    assert names == {"runs", "plan.json", "curves.csv", "report.html", "table.tex"}
    assert r"$\pm$" in (tmp_path / "memetic" / "table.tex").read_text(encoding="utf-8")
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"memetic", "timed", "run.gif", "population.png"}


@pytest.mark.slow
def test_the_guide_to_clusters_runs(tmp_path: Path) -> None:
    (code,) = blocks(ROOT / "docs" / "clusters.md", "python")
    script = tmp_path / "guide.py"  # its workers read it, too
    script.write_text(code, encoding="utf-8")
    assert run_python(str(script)) == "16 True\n"


@pytest.mark.slow
def test_the_filter_guide_runs() -> None:
    *code, _ = blocks(ROOT / "docs" / "filters.md", "python")  # the last: test_third_party.py
    best, kept, *_, gain = run_code("\n".join(code)).split()
    assert 0 < int(gain) < int(best) < int(kept)


OWN_OBJECTIVES = """
class Makespan(gls.SequenceObjective):
    name, shop = "makespan", gls.FlowShop(rng.integers(1, 9, (7, 5)))

    def evaluate(self, rows):
        return self.shop.cost(rows)

    def functor(self):
        return "Makespan"

    def source(self):
        return Path(__file__).with_name("makespan.cuh").read_text()

    def data(self):
        return {"times": self.shop.times.astype(np.int32)}


class Pairs(Makespan):
    matrix = rng.integers(1, 9, (7, 7))

    def evaluate(self, rows):
        return np.triu(self.matrix[rows[:, :, None], rows[:, None]], 1).sum(axis=(1, 2))

    def functor(self):
        return "Pairs"

    def source(self):
        return Path(__file__).with_name("pairs.cuh").read_text()

    def data(self):
        return {"matrix": self.matrix, "n": 7}


for objective in (Makespan(), Pairs()):
    check_sequence_objective(objective, gls.Sequence(7, objective), backend="cpu")
"""


@pytest.mark.slow
def test_the_guide_to_objectives_runs(tmp_path: Path) -> None:
    pytest.importorskip("pymoo.core.problem", reason="needs the extra of this name")
    page = ROOT / "docs" / "your-own-objective.md"
    for text in blocks(page, "cpp"):
        (tmp_path / text.split()[1]).write_text(text, encoding="utf-8")
    code = "\n".join([*blocks(page, "python"), OWN_OBJECTIVES])
    script = tmp_path / "guide.py"
    script.write_text(hasty(code), encoding="utf-8")
    printed = re.sub(r" \[[\d\s]+\]", "", run_python(str(script), cwd=tmp_path))  # a sequence
    costs = re.findall(r"[\d.]+", printed)
    python, prefix, latency, found = map(float, costs)
    assert 0.8 * prefix < python < 1.25 * prefix  # the same problem, searched for a moment
    assert 0.9 * latency < found < 1.1 * latency


def test_the_guide_to_resources_quotes_the_example() -> None:
    example = (ROOT / "examples" / "driver_breaks.py").read_text(encoding="utf-8")
    quoted = blocks(ROOT / "docs" / "your-own-resource.md", "cpp")
    assert len(quoted) == 2 and all(text in example for text in quoted)


@pytest.mark.slow
def test_the_plugin_example_works(tmp_path: Path) -> None:
    page = ROOT / "docs" / "writing-a-plugin.md"
    functor, *_ = blocks(page, "cpp")
    module, use, *_, test = blocks(page, "python")
    (project,) = blocks(page, "toml")
    package = tmp_path / "project" / "gpu_ls_torus"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(module, encoding="utf-8")
    (package / "torus.cuh").write_text(functor, encoding="utf-8")
    (package.parent / "pyproject.toml").write_text(project, encoding="utf-8")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(package.parent)], check=True, timeout=120)
    assert int(run_code(use, site)) > 0
    run_code(f"{test}\ntest_torus()", site)
    programs = (
        "from gpu_ls_plugin.plugins.loader import plugins; print(len(plugins.kernel_sources()))"
    )
    assert int(run_code(programs, site)) > 0


@pytest.mark.slow
def test_the_neighbourhood_of_the_plugin_guide_works() -> None:
    page = ROOT / "docs" / "writing-a-plugin.md"
    functor, (part, example) = blocks(page, "cpp")[1], blocks(page, "python")[2:4]
    use = """
problem = gls.TSP(np.random.default_rng(1).integers(0, 1000, (60, 2)), "EUC_2D")
starts = gls.random_tours(problem, 5, seed=1, backend="cpu")
EXAMPLE
assert found.statistics.moves_by.keys() == {"or_opt", "my_two_opt"}
found = [gls.LocalSearch([m])(problem, starts, backend="cpu") for m in (MyTwoOpt(), gls.TwoOpt())]
print(int((found[0].tours == found[1].tours).all()))
"""
    use = use.replace("EXAMPLE", example.replace("print(", "str("))
    use += "from gpu_ls_plugin.testing import check_neighbourhood\ncheck_neighbourhood(MyTwoOpt(9))"
    names = "import numpy as np\nimport gpu_ls_plugin as gls\nFUNCTOR = " + repr(functor)
    assert int(run_code("\n".join([names, part, use]))) == 1


@pytest.mark.slow
def test_the_objective_of_the_plugin_guide_works() -> None:
    page = ROOT / "docs" / "writing-a-plugin.md"
    two_opt, functor = blocks(page, "cpp")[1:]
    moves, _, part = blocks(page, "python")[2:5]
    names = f"""
FUNCTOR, TWO_OPT = {functor!r}, {two_opt!r}
import numpy as np
import gpu_ls_plugin as gls
random = np.random.default_rng(1)
cities = random.integers(0, 1000, (60, 2))
problem = gls.TSP(cities, "EUC_2D")
"""
    use = """
from gpu_ls_plugin.testing import check_neighbourhood, check_objective
check_objective(tolls, [problem], backend="cpu")
check_neighbourhood(MyTwoOpt(), [problem.under(tolls)], backend="cpu")
print(int(found.best_cost == found.problem.cost([found.best_tour])[0]))
"""
    own = moves.replace("FUNCTOR", "TWO_OPT")
    assert int(run_code("\n".join([names, own, part, use]))) == 1


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_images_are_files(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_each_hook_is_documented() -> None:
    text = (ROOT / "docs" / "writing-a-plugin.md").read_text(encoding="utf-8")
    hooks = [name for name in vars(hookspecs) if name.startswith("gpu_ls_")]
    assert hooks
    assert [name for name in hooks if f"`{name}(" not in text] == []
