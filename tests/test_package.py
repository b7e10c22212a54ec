"""The contents of the wheel and the sdist, and editable installation."""

from __future__ import annotations

import email
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

import gpu_ls_plugin

ROOT = Path(__file__).resolve().parents[1]
ADAPTERS = ("gpu_ls_deap", "gpu_ls_evotorch", "gpu_ls_pygad", "gpu_ls_pymoo")
PACKAGES = {"gpu_ls_plugin": ROOT} | dict.fromkeys(ADAPTERS, ROOT / "adapters")
DATA = {".cu", ".cuh", ".cpp", ".pyi", ".typed", ".in"}


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command; return its output, which is shown if it fails."""
    done = subprocess.run(
        command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the source tree, so that nothing is built in the repository."""
    copy = tmp_path_factory.mktemp("source") / "gpu-ls-plugin"
    leave = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist", "results")
    return Path(shutil.copytree(ROOT, copy, ignore=leave))


@pytest.fixture(scope="module")
def archives(source: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the sdist, and the wheel built from it, which shows that the sdist is complete."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ".", cwd=source)
    return next(out.glob("*.whl")), next(out.glob("*.tar.gz"))


def shipped(suffixes: set[str]) -> set[str]:
    """Return the files of all packages with these suffixes, relative to their folders."""
    return {
        path.relative_to(base).as_posix()
        for package, base in PACKAGES.items()
        for path in (base / package).rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    }


@pytest.mark.slow
def test_wheel_holds_all_packages_kernels_and_type_markers(archives: tuple[Path, Path]) -> None:
    names = set(zipfile.ZipFile(archives[0]).namelist())
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert "gpu_ls_plugin/backends/include/team.cuh" in names
    assert shipped({".py", *DATA}) <= names
    roots = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert roots == set(PACKAGES)


@pytest.mark.slow
def test_sdist_holds_sources_kernels_tests_and_licence(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    expected = {
        f"{'adapters/' if name.startswith(ADAPTERS) else ''}{name}"
        for name in shipped({".py", *DATA})
    }
    assert expected <= names
    assert {"pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} <= names
    assert {
        "Dockerfile",
        "mkdocs.yml",
        "docs/tutorial.ipynb",
        "docs/building/hooks.py",
    } <= names
    assert {"tests/conftest.py", "examples/data/europe_capitals.tsp"} <= names


@pytest.mark.slow
def test_metadata_names_entry_points_and_needs_no_gpu_package(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        info = next(n.partition("/")[0] for n in wheel.namelist() if ".dist-info/" in n)
        metadata = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
        entry_points = wheel.read(f"{info}/entry_points.txt").decode()
    required = metadata.get_all("Requires-Dist", [])
    core = {line.split(">=")[0] for line in required if "extra ==" not in line}
    assert core == {"numpy", "scipy", "pluggy", "vrplib", "rich"}
    extras = {
        "cuda12",
        "cuda13",
        "cpu",
        "dask",
        "pymoo",
        "pygad",
        "deap",
        "evotorch",
        "plot",
        "docs",
    }
    extras |= {"torch", "jax"}
    assert set(metadata.get_all("Provides-Extra", [])) == extras | {"test", "dev"}
    assert "gpu-ls = gpu_ls_plugin.cli:main" in entry_points
    for adapter in ADAPTERS:
        assert f"{adapter.removeprefix('gpu_ls_')} = {adapter}.plugin" in entry_points
    assert metadata["Version"] == gpu_ls_plugin.__version__
    assert "py3-none-any" in archives[0].name  # kernels are compiled where they run
    pythons = SpecifierSet(metadata["Requires-Python"])
    named = {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)}
    assert named <= set(metadata.get_all("Classifier", []))
    assert [f"3.{minor}" in pythons for minor in range(10, 16)] == [False, *[True] * 4, False]


@pytest.mark.slow
def test_editable_install_is_importable_from_elsewhere(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    purelib = run(
        python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path
    )
    # A .pth file makes the packages of this environment visible, but not its editable installs.
    Path(purelib.strip(), "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install = ("install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", source)
    run(sys.executable, "-m", "pip", "--python", python, *install, cwd=tmp_path)
    code = "import gpu_ls_plugin as a, gpu_ls_pymoo as b; print(a.__file__, b.__file__, sep='\\n')"
    where = run(python, "-c", code, cwd=tmp_path).splitlines()
    assert where == [
        str(source / "gpu_ls_plugin" / "__init__.py"),
        str(source / "adapters" / "gpu_ls_pymoo" / "__init__.py"),
    ]
    pytest.importorskip("mypy", reason='needs pip install "gpu-ls-plugin[dev]"')
    (tmp_path / "user.py").write_text(
        "import gpu_ls_plugin as gls\nimport gpu_ls_pymoo\n"
        "reveal_type(gls.TSP)\nreveal_type(gpu_ls_pymoo.MemeticGA)\n"
    )
    check = ("-m", "mypy", "--follow-imports=silent", "--python-executable", python, "user.py")
    said = run(sys.executable, *check, cwd=tmp_path)
    assert "gpu_ls_plugin.tours.problem.tsp.TSP" in said
    assert "gpu_ls_pymoo.algorithms.MemeticGA" in said


def test_the_version_is_the_same_everywhere() -> None:
    version = gpu_ls_plugin.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"version = {{{version}}}" in (ROOT / "docs" / "citing.md").read_text()
    head = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert head is not None and head[1] == version
    project = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version"]' in project and version not in project


def test_readme_commands_are_single_lines_in_order() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    commands = [line for line in lines if line.startswith("pip install") and "&&" in line]
    assert len(commands) == 2
    assert "examples/memetic_ga.py" in commands[0]
    assert "pytest" in commands[1]
