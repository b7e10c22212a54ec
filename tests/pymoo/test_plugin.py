"""The adapter as a plugin: found by its entry point, cheap, and polite without pymoo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.plugins.loader import Plugins
from gpu_ls_plugin.plugins.registry import Registry
from tests.evolution.samples import cities

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_PYMOO = """
import sys
sys.modules["pymoo"] = None  # as if it were not installed
import gpu_ls_plugin, gpu_ls_pymoo
from gpu_ls_plugin.exceptions import MissingExtraError
"""


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_hook_knows_both_kinds_of_problems_and_no_other() -> None:
    pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')
    from pymoo.problems import get_problem
    from pymoo.problems.single.traveling_salesman import TravelingSalesman

    from gpu_ls_pymoo import TSPProblem, plugin

    tsp = gls.TSP(cities(9), "EUC_2D")
    found = Plugins(Registry(), lambda: [])
    found.add(plugin, "pymoo")
    assert found.problem_from(TSPProblem(tsp)) is tsp
    assert found.problem_from(TravelingSalesman(cities(9))).n == 9
    for other in (get_problem("zdt1"), SimpleNamespace(cities=cities(9)), None):
        assert plugin.gpu_ls_problem_from(other) is None


def test_importing_and_loading_the_plugin_imports_no_pymoo() -> None:
    pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')
    code = """
import sys, gpu_ls_pymoo, gpu_ls_pymoo.plugin as plugin
assert plugin.gpu_ls_problem_from(object()) is None
assert "TSPProblem" in dir(gpu_ls_pymoo)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"pymoo", "cupy", "scipy.spatial"}))
"""
    assert python(code).strip() == "[]"


@pytest.mark.parametrize(
    "use",
    [
        "gpu_ls_pymoo.MemeticGA",
        "from gpu_ls_pymoo import TSPProblem",
        "import gpu_ls_pymoo.plugin",
    ],
)
def test_without_pymoo_the_command_is_named(use: str) -> None:
    body = f"try:\n    {use}\nexcept MissingExtraError as error:\n    print(error)\n"
    assert 'pip install "gpu-ls-plugin[pymoo]"' in python(WITHOUT_PYMOO + body)


def test_an_unknown_name_is_an_attribute_error() -> None:
    import gpu_ls_pymoo

    with pytest.raises(AttributeError, match="MemeticGB"):
        _ = gpu_ls_pymoo.MemeticGB
