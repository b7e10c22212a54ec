"""The site of the documentation: public names, navigation, links and the tutorial."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.building import links, notebook, reference
from tests.helpers.processes import run_python

ROOT = Path(__file__).resolve().parents[1]
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"
# Packages whose names cannot be imported without the framework of the same line.
NOT_IN_CI = {
    "gpu_ls_evotorch": "evotorch",
    "gpu_ls_plugin.torch": "torch",
    "gpu_ls_plugin.jax": "jax",
}


@pytest.fixture(scope="module")
def frameworks() -> None:
    """Skip the test if a framework is missing, since its adapter cannot be imported."""
    for framework in ("pymoo", "pygad", "deap"):
        pytest.importorskip(framework, reason=f'needs pip install "gpu-ls-plugin[{framework}]"')


def test_each_public_name_is_in_the_reference(frameworks: None) -> None:
    shown = re.findall(r"^::: (\S+)$", "\n".join(reference.pages().values()), re.M)
    assert sorted(shown) == sorted(reference.public_names())
    adapters = {path.parent.name for path in (ROOT / "adapters").glob("*/__init__.py")}
    assert adapters <= set(reference.PACKAGES)


def test_each_public_name_is_described(frameworks: None) -> None:
    missing = [name for name, needed in NOT_IN_CI.items() if find_spec(needed) is None]
    names = [n for n in reference.public_names() if n.rpartition(".")[0] not in missing]
    values = {name: reference.object_of(name) for name in names}
    bare = [n for n, v in values.items() if hasattr(v, "__module__") and not v.__doc__]
    assert bare == []


def test_each_page_and_example_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:")[2]
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    pages += [f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py")]
    pages += [*links.MOVED, *reference.pages()]
    places = [links.place_in_site(page) for page in pages if not page.endswith(".cff")]
    assert [place for place in places if f" {place}\n" not in navigation + "\n"] == []


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("docs/pygad.md", "[x](pymoo.md#search)", "[x](pymoo.md#search)"),
        ("docs/pygad.md", "[x](../examples/pygad_tsp.py)", "[x](examples/pygad_tsp.md)"),
        ("docs/pygad.md", "[x](tutorial.ipynb)", "[x](tutorial.md)"),
        ("README.md", "[x](docs/pymoo.md) [y](CHANGELOG.md)", "[x](pymoo.md) [y](changelog.md)"),
        ("examples/README.md", "[x](data/README.md)", "[x](data.md)"),
        ("docs/a.md", "[x](https://a.org/b.md) [y](#z)", "[x](https://a.org/b.md) [y](#z)"),
        ("docs/a.md", "![x](../benchmarks/results/c.png)", "![x](benchmarks/results/c.png)"),
    ],
)
def test_links_are_rewritten_for_the_site(source: str, text: str, expected: str) -> None:
    assert links.rewritten(text, source) == expected


@pytest.mark.slow
def test_the_tutorial_prints_what_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("pymoo", reason='needs pip install "gpu-ls-plugin[pymoo,plot]"')
    pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[pymoo,plot]"')
    code = f"import os; os.chdir({str(tmp_path)!r})\n{notebook.program(TUTORIAL)}"
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    out = run_python("-c", code, MPLBACKEND="Agg")
    shown = [
        "".join(output["text"])
        for cell in json.loads(TUTORIAL.read_text())["cells"]
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream"
    ]
    assert out == "".join(shown)
    page, images = notebook.as_page(TUTORIAL)
    assert len(images) == 3 and all(f"images/{name}" in page for name in images)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(frameworks: None, tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings", reason='needs pip install "gpu-ls-plugin[docs]"')
    pytest.importorskip("material", reason='needs pip install "gpu-ls-plugin[docs]"')
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "WARNING -" not in done.stderr, done.stderr
    inventory = (tmp_path / "objects.inv").read_bytes().split(b"\n", 4)[4]
    listed = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    assert [name for name in reference.public_names() if name not in listed] == []
