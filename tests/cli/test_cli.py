"""The command line: results on stdout, progress on stderr, and exit codes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.core.history import load_history
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.tours.plan import first_stages
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.tsplib import read_tour

ROOT = Path(__file__).resolve().parents[2]
CAPITALS = ROOT / "examples" / "data" / "europe_capitals.tsp"
FILTERS = ("gain_bound", "radius", "in_candidates", "dont_look", "random_keep")
QUICK = ("--backend", "cpu", "--seconds", "0.15", "--population", "8")


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of a subprocess that uses the package under test."""
    compiling = ("GPU_LS_CACHE_DIR", "GPU_LS_CXXFLAGS")  # share compiled programs
    kept = {k: v for k, v in os.environ.items() if k in compiling or not k.startswith("GPU_LS_")}
    kept["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    return kept | changes


def gpu_ls(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which is faster than a new one."""
    given = list(map(str, arguments))
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error), warnings.catch_warnings():
        warnings.simplefilter("default")
        try:
            code = main(given)
        except SystemExit as end:  # argparse
            code = end.code
    return subprocess.CompletedProcess(given, code, out.getvalue(), error.getvalue())


def gpu_ls_json(*arguments: object) -> Any:
    return found_by(gpu_ls(*arguments, "--json"))


def found_by(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def gpu_ls_apart(*arguments: object, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run a command in its own process, as users do."""
    return subprocess.run(
        [sys.executable, "-m", "gpu_ls_plugin", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment(**changes),
    )


def write_instance(path: Path, n: int, *, seed: int = 1) -> Path:
    points = np.random.default_rng(seed).integers(0, 10_000, (n, 2))
    rows = "\n".join(f"{city + 1} {x} {y}" for city, (x, y) in enumerate(points))
    path.write_text(
        f"NAME : small{n}\nTYPE : TSP\nDIMENSION : {n}\nEDGE_WEIGHT_TYPE : EUC_2D\n"
        f"NODE_COORD_SECTION\n{rows}\nEOF\n",
        encoding="utf-8",
    )
    return path


# solve


def test_solve_writes_tour_plot_and_summary(tmp_path):
    pytest.importorskip("matplotlib")
    tour_file, plot = tmp_path / "out.tour", tmp_path / "out.PNG"
    curve, history = tmp_path / "curve.svg", tmp_path / "history.csv"
    saved = tmp_path / "result.json.gz"
    files = ("--tour", tour_file, "--plot", plot, "--curve", curve, "--history", history)
    options = (*QUICK, "--seconds", "1", *files, "--result", saved, "--json")
    found = found_by(gpu_ls_apart("solve", CAPITALS, *options))
    problem = TSP.read(CAPITALS)
    assert found["cities"] == problem.n and found["metric"] == "GEO"
    assert found["best_cost"] == problem.cost(found["best_tour"])[0]
    assert found["best_cost"] <= found["mean_cost"]
    np.testing.assert_array_equal(read_tour(tour_file), found["best_tour"])
    assert (found["tour_file"], found["plot_file"]) == (str(tour_file), str(plot))
    assert found["curve_file"] == str(curve) and found["history_file"] == str(history)
    assert b"<svg" in curve.read_bytes()
    points = [asdict(point) for point in load_history(history)]
    assert points == found["history"] and points[-1]["best_cost"] == found["best_cost"]
    result = Result.load(saved)
    assert result.best_tour.tolist() == found["best_tour"] and len(result.tours) == 8
    assert [asdict(point) for point in result.statistics.history] == points
    assert found["stopped_by"] == "seconds" and not found["interrupted"]
    assert found["kicks"] > 0 and found["evaluations_per_second"] > 0
    assert found["kicks_per_second"] == pytest.approx(found["kicks"] / found["seconds"])
    assert 0 < found["accepted"] <= found["kicks"]
    assert {"compiling", "descent", "kicks"} <= set(found["phases"])
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert sorted(tmp_path.iterdir()) == sorted([tour_file, plot, curve, history, saved])


def test_solve_for_people():
    done = gpu_ls_apart("solve", CAPITALS, *QUICK)
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert [name for name in lines if name != "restarts"] == [
        *("problem", "search", "best", "mean", "time", "phases", "moves", "kicks")
    ]
    assert "LinKernighanLead(depth=6" in lines["search"] and "/Alpha(k=5" in lines["search"]
    assert "Annealing(start=0.8" in lines["search"] and "Migration(every=0.5" in lines["search"]
    assert "compiling" in lines["phases"] and "accepted" in lines["kicks"]
    assert "GEO" in lines["problem"] and "on cpu, stopped by seconds" in lines["time"]
    assert "best" in done.stderr and "moves/s" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout


def test_same_seed_same_tour(tmp_path):
    file = write_instance(tmp_path / "a.tsp", 300)
    limits = ("--backend", "cpu", "--population", 4, "--seconds", "inf", "--kicks", 5)
    once, again, other = (gpu_ls_json("solve", file, *limits, "--seed", seed) for seed in (5, 5, 6))
    assert once["best_tour"] == again["best_tour"] != other["best_tour"]
    assert once["kicks"] == 4 * once["kicks_per_tour"] == 20 and once["stopped_by"] == "kicks"


@pytest.mark.slow
def test_defaults(tmp_path, monkeypatch):
    monkeypatch.setenv("GPU_LS_THREADS", "3")
    file = write_instance(tmp_path / "a.tsp", 60)
    monkeypatch.setattr(first_stages, "KICKS_ALONE", 0.0)  # on slow machines, too
    options = ("--backend", "cpu", "--seconds", 0.2)
    found = gpu_ls_json("solve", file, *options)
    assert found["population"] == 500 and found["start"] == "random_tours"
    assert found["stopped_by"] == "seconds"


@pytest.mark.parametrize(
    "n", [1, 5, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3, 4, 6, 7, 8, 9))]
)
def test_tiny_instances(n, tmp_path):
    file = write_instance(tmp_path / "tiny.tsp", n)
    found = gpu_ls_json("solve", file, *QUICK, "--tour", tmp_path / "out.tour")
    assert sorted(found["best_tour"]) == list(range(n))
    assert found["best_cost"] == TSP.read(file).cost(found["best_tour"])[0]
    assert found["stopped_by"] == ("optimum" if n < 8 else "seconds")
    assert sorted(read_tour(tmp_path / "out.tour")) == list(range(n))
    stop = "stopped by local optimum" if n < 8 else "stopped by seconds"
    assert stop in gpu_ls("solve", file, *QUICK).stdout


def test_the_optimum_ends_the_search(tmp_path):
    file = write_instance(tmp_path / "a.tsp", 9)
    best = gpu_ls_json("solve", file, *QUICK)["best_cost"]
    options = ("--backend", "cpu", "--population", 8, "--seconds", 600, "--optimum", best)
    found = gpu_ls_json("solve", file, *options)
    assert found["stopped_by"] == "target" and found["gap_percent"] == 0.0
    for optimum, text in ((best - 1, "% above"), (best + 1, "% below"), (best, "(0 % above")):
        shown = gpu_ls("solve", file, *QUICK, "--seconds", 0, "--optimum", optimum).stdout
        assert f"{text} {optimum:,})" in shown and "-" not in shown.partition(text)[0][-9:]


@pytest.mark.parametrize("start", ["random_tours", "greedy", "space_filling_curve"])
def test_starts(start, tmp_path):
    file = write_instance(tmp_path / "a.tsp", 40)
    assert gpu_ls_json("solve", file, *QUICK, "--start", start)["start"] == start


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            "two_opt+or_opt(2)/nearest(6)",
            "(TwoOpt()+OrOpt(max_length=2)/Nearest(k=6)/First(best_of='city'), ",
        ),
        (
            "iterated_local_search(or_opt/nearest(6), double_bridge(9), better)",
            "IteratedLocalSearch(OrOpt(max_length=3)/Nearest(k=6)/First(best_of='city'), "
            "DoubleBridge(segment=9, walk=None), Better())",
        ),
    ],
)
def test_searches(given, text, tmp_path):
    file = write_instance(tmp_path / "a.tsp", 40)
    found = gpu_ls_json("solve", file, *QUICK, "--search", given)
    assert text in found["search"] and found["kicks"] > 0
    again = gpu_ls_json("solve", file, *QUICK, "--search", found["search"])
    assert again["search"] == found["search"]


def test_moves_end_the_search(tmp_path):
    file = write_instance(tmp_path / "a.tsp", 40)
    found = gpu_ls_json("solve", file, *QUICK, "--seconds", 50, "--moves", 2)
    assert found["moves_per_tour"] == 2 and 0 < found["moves"] <= 2 * found["population"]
    assert found["stopped_by"] == "moves"


def test_asymmetric_lengths(tmp_path):
    matrix = np.random.default_rng(0).integers(1, 1000, (30, 30))
    rows = "\n".join(" ".join(map(str, row)) for row in matrix)
    file = tmp_path / "a.atsp"
    file.write_text(
        "NAME : a\nTYPE : ATSP\nDIMENSION : 30\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
        f"EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n{rows}\nEOF\n",
        encoding="utf-8",
    )
    found = gpu_ls_json("solve", file, *QUICK)
    assert "(ThreeOpt()+OrOpt" in found["search"] and not found["symmetric"]
    assert found["best_cost"] == TSP.read(file).cost(found["best_tour"])[0]
    assert "EXPLICIT, asymmetric" in gpu_ls("solve", file, *QUICK).stdout


def test_no_time_still_gives_a_tour(tmp_path):
    file = write_instance(tmp_path / "a.tsp", 40)
    found = gpu_ls_json("solve", file, *QUICK, "--seconds", 0)
    assert sorted(found["best_tour"]) == list(range(40)) and found["stopped_by"] == "seconds"


def test_a_pipe_is_written_to_directly(tmp_path):
    file = write_instance(tmp_path / "a.tsp", 5)
    done = gpu_ls_apart("solve", file, *QUICK, "--tour", "/dev/stdout")
    assert done.returncode == 0 and "TOUR_SECTION" in done.stdout


# A shell ignores SIGINT in background jobs, such as these tests.
INTERRUPTIBLE = """
import signal
from gpu_ls_plugin.cli.commands import main

signal.signal(signal.SIGINT, signal.default_int_handler)
raise SystemExit(main())
"""


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_writes_the_best_tour(as_json, tmp_path):
    file, tour_file = write_instance(tmp_path / "a.tsp", 400), tmp_path / "out.tour"
    arguments = ["solve", file, "--backend", "cpu", "--seconds", 600, "--population", 16]
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", INTERRUPTIBLE, *map(str, arguments)),
            *("--tour", str(tour_file), *(["--json"] if as_json else [])),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert process.stderr is not None
        for _ in range(2):  # the first stages are over then
            while "moves/s" not in process.stderr.readline():
                assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130, error
    assert "Traceback" not in error
    tour = read_tour(tour_file)
    cost = TSP.read(file).cost(tour)[0]
    assert sorted(tour) == list(range(400))
    assert list(tmp_path.glob(".out*")) == []
    if as_json:
        found = json.loads(out)
        assert found["interrupted"] and found["best_cost"] == cost
    else:
        assert "stopped by interrupt" in out and f"{cost:,}" in out


# errors: one line, exit code 2, no traceback


BAD_FILES = {
    "text.tsp": b"this is not an instance\n",
    "bytes.tsp": bytes(range(256)),
    "cut.tsp": b"NAME : small9\nTYPE : TSP\nDIMENSION : 9\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_",
    "matrix.tsp": b"NAME : m\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
    b"EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\nEOF\n",
}
# Arguments, in a folder with `BAD_FILES` and good.tsp, and words of the error.
BAD_INPUTS: list[tuple[str, str]] = [
    ("nothing.tsp", "nothing.tsp"),
    (".", "directory"),
    ("text.tsp", "text.tsp"),
    ("bytes.tsp", "bytes.tsp"),
    ("cut.tsp", "cut.tsp"),
    ("good.tsp --seconds -1", "seconds"),
    ("good.tsp --population 0", "population"),
    ("good.tsp --population 2147483647", "population: 2,147,483,647 tours"),
    ("good.tsp --seed -1", "seed"),
    ("good.tsp --start nearest_neighbor", "nearest_neighbour"),
    ("good.tsp --search two_op", "did you mean 'two_opt'"),
    ("good.tsp --search two_opt+", "two_opt+or_opt(2)/quadrant(10)/first"),
    ("good.tsp --kicks -1", "kicks"),
    ("good.tsp --moves -1", "moves"),
    ("good.tsp --optimum inf", "optimum: inf is not finite"),
    ("good.tsp --optimum few", "few"),
    ("good.tsp --backend tpu", "tpu"),
    ("good.tsp --tour .", "directory"),
    ("good.tsp --tour no/out.tour", "No such file"),
    ("good.tsp --plot no/out.png", "No such file"),
    ("good.tsp --plot out.tour", "must end in"),
    ("matrix.tsp --plot out.png", "coordinates"),
    ("good.tsp --curve out.csv", "must end in"),
    ("good.tsp --result out.txt", "must end in .json or .json.gz"),
    ("good.tsp --result no/out.json", "No such file"),
]


@pytest.mark.parametrize(("arguments", "reason"), BAD_INPUTS)
def test_bad_input(arguments, reason, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.chdir(tmp_path)
    write_instance(tmp_path / "good.tsp", 9)
    for name, content in BAD_FILES.items():
        (tmp_path / name).write_bytes(content)
    try:  # the time limit is longer than the test may take
        code = main(["solve", "--backend", "cpu", "--seconds", "600", *arguments.split()])
    except SystemExit as end:  # raised by argparse
        code = end.code
    printed = capsys.readouterr()
    assert code == 2 and printed.out == ""
    last = printed.err.strip().splitlines()[-1]
    assert reason in last and "error" in last
    assert "Traceback" not in printed.err


@pytest.mark.parametrize("debug", [False, True])
def test_debug_shows_the_traceback_of_an_error(debug, tmp_path):
    done = gpu_ls_apart("solve", tmp_path / "nothing.tsp", *["--debug"] * debug)
    assert done.returncode == (1 if debug else 2) and done.stdout == ""
    assert "nothing.tsp" in done.stderr and ("Traceback" in done.stderr) == debug


def without(folder: Path, package: str) -> dict[str, str]:
    """Return an environment without a package."""
    (folder / "sitecustomize.py").write_text(
        f"import sys\nsys.modules[{package!r}] = None\n", encoding="utf-8"
    )
    return {"PYTHONPATH": os.pathsep.join([str(folder), environment()["PYTHONPATH"]])}


@pytest.mark.parametrize("option", ["--plot", "--curve"])
def test_a_missing_plot_extra_is_found_before_the_search(option, tmp_path):
    file = write_instance(tmp_path / "a.tsp", 9)
    options = ("--backend", "cpu", "--seconds", 600, option, tmp_path / "out.png")
    done = gpu_ls_apart("solve", file, *options, **without(tmp_path, "matplotlib"))
    assert done.returncode == 2 and 'pip install "gpu-ls-plugin[plot]"' in done.stderr


@pytest.mark.slow
def test_a_missing_compiler_is_explained(tmp_path):
    file = write_instance(tmp_path / "a.tsp", 9)
    done = gpu_ls_apart("solve", file, *QUICK, CXX="/no/such/compiler")
    assert done.returncode == 2 and 'pip install "gpu-ls-plugin[cpu]"' in done.stderr
    done = gpu_ls_apart("doctor", CXX="/no/such/compiler", CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 1 and "gpu-ls-plugin[cpu]" in done.stdout


# plugins, operators, doctor, compile-check, version


def plugin(folder: Path, name: str, text: str) -> str:
    """Install a plugin of one module in a folder; return PYTHONPATH with the folder."""
    (folder / f"plugin_{name}.py").write_text(text, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gpu_ls_plugin]\n{name} = plugin_{name}\n")
    return os.pathsep.join([str(folder), environment()["PYTHONPATH"]])


def test_plugins():
    rows = {row["name"]: row for row in gpu_ls_json("plugins")}
    assert (
        rows["builtin"]["status"] == "loaded" and "search:local_search" in rows["builtin"]["parts"]
    )
    assert all(row["status"] in ("loaded", "extra not installed") for row in rows.values())
    assert "builtin" in gpu_ls("plugins").stdout


@pytest.mark.slow
def test_plugins_that_fail_are_listed(tmp_path):
    path = plugin(tmp_path, "bad", "import surely_not_there\n")
    found = found_by(gpu_ls_apart("plugins", "--json", PYTHONPATH=path))
    rows = {row["name"]: row for row in found}
    assert rows["bad"]["status"] == "error" and "surely_not_there" in rows["bad"]["error"]
    assert rows["builtin"]["status"] == "loaded"
    done = gpu_ls_apart("plugins", PYTHONPATH=path)
    assert done.returncode == 0 and "surely_not_there" in done.stdout
    done = gpu_ls_apart("plugins", PYTHONPATH=path, GPU_LS_STRICT_PLUGINS="1")
    assert done.returncode == 2 and "'bad'" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
def test_other_commands_point_to_plugins_that_fail(tmp_path):
    path = plugin(tmp_path, "bad", "import surely_not_there\n")
    words = "plugin 'bad' failed to load: see gpu-ls plugins"
    done = gpu_ls_apart("operators", "--kind", "filter", "--json", PYTHONPATH=path)
    assert found_by(done) and words in done.stderr
    file = tmp_path / "a.vrp"
    gpu_ls_apart("generate", file, "--customers", 9)
    done = gpu_ls_apart("solve", file, "--search", "two_opt+one_city", PYTHONPATH=path)
    assert done.returncode == 2 and f" is called 'one_city'; {words}; " in done.stderr
    done = gpu_ls_apart("compile-check", "--part", "one_city", PYTHONPATH=path)
    assert done.returncode == 2 and f"nothing is called 'one_city'; {words}; " in done.stderr
    rows = found_by(gpu_ls_apart("doctor", "--json", PYTHONPATH=path))
    (row,) = [row for row in rows if row["name"] == "plugin bad"]
    assert row["status"] == "error" and "surely_not_there" in row["detail"]
    assert row["remedy"] == "see gpu-ls plugins"


def test_operators():
    rows = gpu_ls_json("operators")
    assert {(row["kind"], row["name"]) for row in rows} >= {
        ("metric", "EUC_2D"),
        ("construction", "greedy"),
        ("neighbourhood", "two_opt"),
        ("neighbourhood", "filtered_neighbourhood"),
        *(("filter", name) for name in FILTERS),
        ("perturbation", "double_bridge"),
        *(("cooperation", name) for name in ("migration", "edge_assembly")),
        ("recombination", "edge_assembly"),
        *(("candidates", name) for name in ("alpha", "union")),
        ("search", "random_restarts"),
    }
    arguments = {row["name"]: row["arguments"] for row in rows if row["plugin"] == "builtin"}
    assert arguments["or_opt"] == "max_length=3" and arguments["two_opt"] == ""
    crossovers = [row["arguments"] for row in rows if row["name"] == "edge_assembly"]
    assert crossovers == ["every=0.1, generations=5, offspring=32, strategy='single'"] * 2
    assert arguments["greedy"].startswith("problem, size=1, *, seed=0, backend='auto'")
    assert arguments["random_restarts"].startswith("search=TwoOpt()+OrOpt(max_length=3)/Nearest")
    assert all(row["summary"].endswith((".", ")")) for row in rows if row["plugin"] == "builtin")
    shown = gpu_ls("operators").stdout
    assert "two_opt " in shown and "or_opt(max_length=3) " in shown and "radius(r) " in shown


def test_operators_are_listed_by_kind():
    rows = gpu_ls_json("operators")
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    headings = [line for line in gpu_ls("operators").stdout.splitlines() if line in kinds]
    assert headings == kinds
    for kind in kinds:
        assert gpu_ls_json("operators", "--kind", kind) == [r for r in rows if r["kind"] == kind]
    shown = gpu_ls("operators", "--kind", "pivoting").stdout
    assert shown.startswith("pivoting\n") and "EUC_2D" not in shown


@pytest.mark.parametrize("command", ["operators", "plugins", "doctor"])
def test_piped_tables_are_narrow_and_end_without_spaces(command, monkeypatch):
    for given, width in ((None, 100), ("60", 60), ("nonsense", 100)):
        if given is None:
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", given)
        lines = gpu_ls(command).stdout.splitlines()
        assert max(map(len, lines)) <= width
        assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["sovle", "a.tsp"], "'solve'"),
        (["operator"], "'operators'"),
        (["docter"], "'doctor'"),
        (["solve", "a.tsp", "--secnods", "3"], "'--seconds'"),
        (["solve", "a.tsp", "--polt=a.png"], "'--plot'"),
        (["solve", "a.tsp", "--backend", "cdua"], "'cuda'"),
        (["operators", "--kind", "filtr"], "'filter'"),
        (["generate", "a.vrp", "--customers", "5", "--sede", "1"], "'--seed'"),
    ],
)
def test_misspelt_words_get_a_suggestion(arguments, meant, capsys):
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
    assert f"did you mean {meant}" in capsys.readouterr().err


def test_doctor():
    rows = {row["name"]: row for row in found_by(gpu_ls_apart("doctor", "--json"))}
    assert rows["numpy"]["detail"] == f"numpy {np.__version__}"
    assert all(row["remedy"] for row in rows.values() if row["status"] == "missing")
    assert "C++ compiler" in gpu_ls("doctor").stdout


@pytest.mark.usefixtures("nvrtc")
def test_compile_check():
    rows = gpu_ls_json("compile-check", "--arch", 90, "--part", "double_bridge")
    assert rows and all(row["passed"] and row["registers"] > 0 for row in rows)


@pytest.mark.usefixtures("nvrtc")
def test_compile_check_names_a_plugin_that_raises(tmp_path):
    path = plugin(
        tmp_path,
        "broken",
        "from gpu_ls_plugin.plugins.hookspecs import hookimpl\n"
        "@hookimpl\ndef gpu_ls_kernel_sources():\n    return 1 / 0\n",
    )
    options = ("--arch", 90, "--json", "--part", "restart")
    done = gpu_ls_apart("compile-check", *options, PYTHONPATH=path)
    assert done.returncode == 1 and "plugin 'broken'" in done.stderr
    rows = json.loads(done.stdout)
    assert rows and all(row["passed"] for row in rows)


@pytest.mark.parametrize(
    ("part", "words"),
    [("nonsense", "nothing is called 'nonsense'"), ("migration", "has no kernel of its own")],
)
def test_compile_check_of_unknown_parts(part, words):
    done = gpu_ls("compile-check", "--part", part)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""


def test_compile_check_refuses_an_architecture():
    pytest.importorskip("cupy")
    done = gpu_ls("compile-check", "--arch", 12)
    assert done.returncode == 2 and "error" in done.stderr


def test_compile_check_without_cupy(tmp_path):
    done = gpu_ls_apart("compile-check", **without(tmp_path, "cupy"))
    assert done.returncode == 2 and 'pip install "gpu-ls-plugin[cuda13]"' in done.stderr


def test_version_and_usage():
    done = gpu_ls_apart("--version")
    assert done.returncode == 0 and done.stdout.startswith("gpu-ls ")
    done = gpu_ls()
    assert done.returncode == 2 and "COMMAND" in done.stderr
    assert "compile-check" in gpu_ls("--help").stdout
    assert "two_opt+or_opt(2)/quadrant(10)/first" in gpu_ls("solve", "--help").stdout
