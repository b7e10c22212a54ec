"""Shared by benchmarks: description of the machine, clocks, instances, tables, plots, JSON."""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import importlib.util
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

BENCHMARKS = Path(__file__).resolve().parents[1]
REPOSITORY = BENCHMARKS.parent
RESULTS = BENCHMARKS / "results"
for folder in (REPOSITORY / "adapters", REPOSITORY):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

COORDINATES = 10_000  # side of the square of uniform instances, as most of TSPLIB's
INSTANCE_FOLDERS = (
    os.environ.get("GPU_LS_INSTANCES", ""),
    REPOSITORY / "instances",
    REPOSITORY / "shared" / "instances",
    REPOSITORY.parent / "shared" / "instances",
)
COLOURS = 48  # of a figure
FRAMEWORKS = ("pymoo", "pygad", "deap")
PACKAGES = ("gpu-ls-plugin", "numpy", "scipy", "cupy-cuda13x", "cupy-cuda12x", *FRAMEWORKS)


def arguments(description: str | None, *options: tuple[str, dict[str, Any]]) -> argparse.Namespace:
    """Parse the command line: --out, --redraw and the options given as (name, keywords)."""
    parser = argparse.ArgumentParser(
        description=(description or "").strip().splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for results")
    parser.add_argument("--redraw", action="store_true", help="only draw the stored results")
    for name, keywords in options:
        parser.add_argument(name, **keywords)
    parsed = parser.parse_args()
    parsed.out.mkdir(parents=True, exist_ok=True)
    return parsed


SHARE = ("--share", {"type": float, "default": 1.0, "help": "of the instances"})


def sections_option(sections: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """Return the option --sections, by default all of them."""
    names = list(sections)
    return "--sections", {"nargs": "*", "default": names, "choices": names}


def backend_option() -> tuple[str, dict[str, Any]]:
    """Return the option --backend, by default a GPU if there is one."""
    return "--backend", {"choices": ("cpu", "cuda"), "default": "cuda" if has_gpu() else "cpu"}


# ---- The machine ---------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """Return processor, GPU and software, which every result file has."""
    return {
        "cpu": _processor_name(),
        "cores": len(os.sched_getaffinity(0)),
        "gpu": gpu(),
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": _first_line(os.environ.get("CXX", "c++"), "--version"),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES if _version(name)},
        "date": time.strftime("%Y-%m-%d"),
    }


def gpu() -> dict[str, Any] | None:
    """Return a description of the current CUDA device; None without one."""
    if not has_gpu():
        return None
    import cupy

    device = cupy.cuda.Device()
    properties = cupy.cuda.runtime.getDeviceProperties(device.id)
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return {
        "name": properties["name"].decode(),
        "compute_capability": device.compute_capability,
        "multiprocessors": properties["multiProcessorCount"],
        "memory_gib": round(properties["totalGlobalMem"] / 2**30, 1),
        "driver": _first_line(*query),
        "cuda_driver": cupy.cuda.runtime.driverGetVersion(),
        "cuda_runtime": cupy.cuda.runtime.runtimeGetVersion(),
        "nvrtc": ".".join(map(str, cupy.cuda.nvrtc.getVersion())),
    }


def has_gpu() -> bool:
    """Return whether CuPy finds a CUDA device."""
    try:
        import cupy
    except ImportError:
        return False
    return bool(cupy.cuda.is_available())


def require_gpu() -> Any:
    """Return the cupy module, or end the program with a message."""
    if not has_gpu():
        sys.exit("this benchmark needs a CUDA device and CuPy")
    import cupy

    return cupy


def _processor_name() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def _first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except OSError:
        return ""
    return (done.stdout.splitlines() or [""])[0].strip()


# ---- Clocks --------------------------------------------------------------------------------------


def seconds_of(call: Callable[[], Any], repeats: int = 1, *, on_gpu: bool = False) -> list[float]:
    """Return the seconds that each of several calls takes.

    On the GPU the clock is a pair of events around the call on the current stream, so that queued
    work counts; on the CPU it is the wall clock.
    """
    return [_gpu_seconds(call) if on_gpu else _wall_seconds(call) for _ in range(repeats)]


def _wall_seconds(call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _gpu_seconds(call: Callable[[], Any]) -> float:
    import cupy

    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    call()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(begin, end)) / 1e3


median = statistics.median


def moves_of(n: int, passes: int) -> int:
    """Return the number of 2-opt moves in `passes` evaluations of the neighbourhood."""
    return passes * (n * (n - 3) // 2)


# ---- Instances -----------------------------------------------------------------------------------


def uniform(n: int, side: int = COORDINATES, seed: int = 1) -> np.ndarray[Any, Any]:
    """Return n cities with integer coordinates, uniform in a square, shape (n, 2), float64."""
    return np.random.default_rng(seed).integers(0, side, (n, 2)).astype(np.float64)


def instance_folder() -> Path | None:
    """Return the folder of TSPLIB files; None if there is none."""
    for folder in filter(None, map(str, INSTANCE_FOLDERS)):
        for path in (Path(folder) / "tsp", Path(folder)):
            if (path / "solutions.json").is_file():
                return path
    return None


def require_instances() -> Path:
    """Return the folder of TSPLIB files, or end the program with a message."""
    folder = instance_folder()
    if folder is None:
        sys.exit("no TSPLIB files found; set GPU_LS_INSTANCES to the folder that holds tsp/")
    return folder


def optima() -> dict[str, int]:
    """Return the optimal lengths of the TSPLIB instances by name."""
    return dict(json.loads((require_instances() / "solutions.json").read_text()))


def prefix(name: str, n: int) -> np.ndarray[Any, Any] | None:
    """Return the first n cities of a TSPLIB instance; None if its file is missing."""
    folder = instance_folder()
    if folder is None or not (folder / f"{name}.tsp").is_file():
        return None
    import gpu_ls_plugin as gls

    coordinates = gls.TSP.read(folder / f"{name}.tsp").coordinates
    return None if coordinates is None else np.array(coordinates[:n])


# ---- Results -------------------------------------------------------------------------------------


def write_json(out: Path, name: str, protocol: str, results: dict[str, Any]) -> None:
    """Write the results with the machine and a protocol: the whole record, and a summary."""
    record = {"protocol": " ".join(protocol.split()), "machine": machine(), **results}
    path = summary.write(out, name, json.loads(json.dumps(record, default=_plain)))
    print(f"wrote {path}; the whole record: {summary.raw_file(out, name)}")


def stored(out: Path, name: str, sections: Iterable[str]) -> dict[str, Any]:
    """Return the sections that earlier calls with the same `out` have measured."""
    content = summary.read_raw(out, name)
    return {section: content[section] for section in sections if section in content}


def measure_sections(
    options: argparse.Namespace,
    name: str,
    sections: Mapping[str, Callable[[argparse.Namespace], Any]],
    protocol: str,
) -> dict[str, Any]:
    """Measure the chosen sections, and store the record after each."""
    record = stored(options.out, name, sections)
    for section in options.sections:
        print(f"== {section}", flush=True)
        record[section] = sections[section](options)
        write_json(options.out, name, protocol, record)
    return record


def finish(
    options: argparse.Namespace,
    name: str,
    measure: Callable[[argparse.Namespace], dict[str, Any]],
    draw: Callable[[Path, dict[str, Any]], None] | None,
    protocol: str,
) -> None:
    """Measure and store, unless only stored results are drawn again; then draw, if it is given."""
    if not options.redraw:
        write_json(options.out, name, protocol, measure(options))
    if draw is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        print("no figure: matplotlib is not installed (draw it later with --redraw)")
        return
    record = summary.read_raw(options.out, name)
    if not record:
        sys.exit(f"--redraw needs {summary.raw_file(options.out, name)}, which is not kept by git")
    draw(options.out, record)


def main(
    protocol: str | None,
    name: str,
    measure: Callable[[argparse.Namespace], dict[str, Any]],
    draw: Callable[[Path, dict[str, Any]], None],
    *options: tuple[str, dict[str, Any]],
) -> None:
    """Parse the command line with these options, then `finish`."""
    finish(arguments(protocol, *options), name, measure, draw, protocol or "")


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def show(title: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers are right-aligned, reals have three digits."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    body = [list(row) for row in rows]
    for column, name in enumerate(header):
        numbers = all(isinstance(row[column], int | float) for row in body)
        table.add_column(name, justify="right" if numbers else "left")
    for row in body:
        table.add_row(*(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row))
    Console(width=120).print(table)


class Figure:
    """A figure of axes, row by row, that is written to `out`/`name.png` when the block ends."""

    def __init__(self, out: Path, name: str, columns: int = 1, rows: int = 1) -> None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        self.path = out / f"{name}.png"
        size = (6 * columns, 4 * rows)
        self.figure, axes = pyplot.subplots(rows, columns, figsize=size, squeeze=False)
        self.axes = axes.ravel()

    def __enter__(self) -> Any:
        return self.axes

    def __exit__(self, kind: object, *_: object) -> None:
        from matplotlib import pyplot

        if kind is None:
            self.figure.tight_layout()
            _save(self.figure, self.path)
            print(f"wrote {self.path}")
        pyplot.close(self.figure)


def _save(figure: Any, path: Path) -> None:
    """Save a figure with few colours; they suffice, and take a third of the bytes."""
    from PIL import Image

    with io.BytesIO() as file:
        figure.savefig(file, dpi=120)
        image = Image.open(file).convert("RGB")
    image.quantize(COLOURS).save(path, optimize=True)
