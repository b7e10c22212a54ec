"""Variants of the local search that Schulz tunes (paper000.cu), and their iterations.

A `Variant` names the choices of a variant; an `Ablation` holds a tour with its stretches and runs
the kernels, on the GPU or, one thread after the other, on the CPU.
"""

from __future__ import annotations

import ctypes
import math
import tempfile
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gpu_ls_plugin.backends import compiler

SOURCE = Path(__file__).with_name("paper000.cu")
GROUPS = {
    0: ("load", "cost", "vehicles", "duration"),
    1: ("load_vehicles", "cost_duration"),
    2: ("all",),
}
WORDS = {"int": (3, 1, 2, 3, 5, 4, 9), "double": (6, 2, 2, 6, 8, 8, 16)}  # of a stretch, by name
NAMES = [name for names in GROUPS.values() for name in names]
LARGEST = 4095  # edges of a tour, whose positions have 12 bits in a key
NONE = 2**64 - 1  # key of no move
LEVEL = np.dtype([(name, "i4") for name in ("nodes", "part", "shift", "first", "size", "starts")])
BATCH = np.dtype(
    [
        ("levels", LEVEL, 3),
        ("level_memory", "u8"),
        ("starts", "u8"),
        ("memory", "u8", 4),
        ("entries", "i4"),
        ("n", "i4"),
        *((name, "u8") for name in ("sites", "next_sites", "order", "next_order", "table")),
        *((name, "u8") for name in ("change", "feasible", "best", "found", "counts")),
        ("moves", "i8"),
        *((name, "i4") for name in ("capacity", "route_limit", "vehicles", "length")),
    ],
    align=True,
)
BYTES = np.dtype((np.void, BATCH.itemsize))  # CuPy passes one item by value
SITE = np.dtype([("x", "f4"), ("y", "f4"), ("demand", "i4"), ("service", "i4")])


@dataclass(frozen=True)
class Variant:
    """The choices of paper000.cu, whose head explains them; the defaults are the paper's first.

    `parts` are the edges of a part of each level: by default the n^(1/3) of the paper, or n^(1/7)
    and n^(3/7), rounded to powers of two if `shift` is 1.
    """

    edges: int = 2
    levels: int = 1
    index: int = 1
    layout: int = 0
    align: int = 0  # 0: as the type of lengths needs it
    held: int = 0
    sizes: int = 0
    shift: int = 0
    mapping: int = 0
    order: int = 0
    sink: int = 0
    groups: int = 0
    value: str = "double"
    parts: tuple[int, ...] = ()

    def kernels(self) -> Variant:
        """Return the variant without what its kernels are told at run time."""
        return replace(self, parts=())

    def text(self) -> str:
        """Return the source with a macro for each choice."""
        chosen = asdict(self) | {"align": self.align or {"int": 4, "double": 8}[self.value]}
        del chosen["parts"], chosen["value"]
        macros = "".join(f"#define {name.upper()} {value}\n" for name, value in chosen.items())
        words = "".join(f"const int {name}_words = {self.words(name)};\n" for name in NAMES)
        return f"{macros}{words}typedef {self.value} Value;\n{SOURCE.read_text()}"

    def names(self) -> list[str]:
        """Return the names of all kernels."""
        groups, levels = GROUPS[self.groups], range(self.levels + 1)
        found = [*groups, *(f"{name}_{level}" for name in groups for level in levels)]
        return [*found, "clear", "reduce", "apply", "fill_table", *["count"] * (self.groups == 2)]

    def parts_of(self, n: int) -> list[int]:
        """Return the edges of a part of each level but the last."""
        powers = {0: (), 1: (1 / 3,), 2: (1 / 7, 2 / 7)}[self.levels]
        parts = self.parts or tuple(max(2, round(n**power)) for power in powers)
        return [1 << round(math.log2(part)) for part in parts] if self.shift else list(parts)

    def words(self, name: str) -> int:
        """Return the words of a stretch of a kernel's resources."""
        words = WORDS[self.value][NAMES.index(name)]
        words += -words % 2 if self.value == "double" else 0
        return words + -words % max(1, self.align // 4)

    def layout_of(self, n: int) -> tuple[Any, Any, int]:
        """Return the levels, where rows of triangles begin, and the number of stretches."""
        levels, nodes, first = np.zeros(3, LEVEL), n + 1, 0
        starts: list[Any] = []
        for level, part in enumerate([*self.parts_of(n), 0]):
            edges = part or nodes - 1
            width, count = edges + 1, -(-(nodes - 1) // edges)
            triangle = width * (width + 1) // 2
            size = {1: 2 * (triangle + 2 * width), 4: 2 * width * width}.get(
                self.index, 2 * triangle
            )
            begin = sum(len(row) for row in starts)
            starts.append(np.arange(width, 0, -1).cumsum() - np.arange(width, 0, -1))
            levels[level] = (nodes, edges, edges.bit_length() - 1, first, size, begin)
            nodes, first = count + 1, first + count * size
        return levels, np.concatenate(starts).astype(np.int32), first


class Host:
    """Runs kernels on the CPU."""

    xp = np

    def __init__(self, variant: Variant) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.so"
            path.write_bytes(_library(variant))
            self.library = ctypes.CDLL(str(path))

    def launch(self, name: str, count: int, batch: Any, threads: int = 0) -> None:
        """Run a kernel on `count` threads."""
        self.library.run(getattr(self.library, name), batch.ctypes.data_as(ctypes.c_void_p),
                         ctypes.c_longlong(count))  # fmt: skip

    @staticmethod
    def address(array: Any) -> int:
        """Return the address of an array."""
        return int(array.ctypes.data)


LOOP = """
extern "C" void run(void (*kernel)(Batch), const Batch* batch, long long count) {
  blockDim.x = 1;
  for (long long i = 0; i < count; ++i) blockIdx.x = unsigned(i), kernel(*batch);
}
"""


@cache
def _library(variant: Variant) -> bytes:
    return compiler.program_of(variant.text() + LOOP).library()


class Gpu:
    """Runs kernels on the current CUDA device."""

    def __init__(self, variant: Variant) -> None:
        import cupy

        self.xp = cupy
        self.functions = {name: _module(variant).get_function(name) for name in variant.names()}

    def launch(self, name: str, count: int, batch: Any, threads: int = 128) -> None:
        """Queue a kernel of `count` threads."""
        self.functions[name](
            (-(-count // threads),), (threads,), (np.frombuffer(batch.tobytes(), BYTES),)
        )

    @staticmethod
    def address(array: Any) -> int:
        """Return the address of an array."""
        return int(array.data.ptr)

    def attributes(self, name: str, threads: int) -> dict[str, float]:
        """Return what the paper's tables say of a kernel, as far as the driver knows it."""
        import cupy

        function = self.functions[name]
        resident = cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            function.kernel.ptr, threads, 0
        )
        most = cupy.cuda.Device().attributes["MaxThreadsPerMultiProcessor"]
        return {
            "occupancy": resident * threads / most,
            "registers": function.num_regs,
            "local_bytes": function.local_size_bytes,
        }


@cache
def _module(variant: Variant) -> Any:
    import cupy

    options = ("--std=c++17", "-fmad=false", "--device-as-default-execution-space")
    module = cupy.RawModule(code=variant.text(), options=options, backend="nvrtc")
    module.compile()
    return module


def compile_ahead(variants: list[Variant], workers: int = 14) -> None:
    """Compile modules in processes, which put them into CuPy's cache."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    kinds = list(dict.fromkeys(variant.kernels() for variant in variants))
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        list(pool.map(_compile, kinds))


def _compile(variant: Variant) -> None:
    _module(variant)


class Ablation:
    """A tour of a CVRP, and the kernels of a variant on it.

    Parameters
    ----------
    problem : CVRP
        With coordinates and the metric EUC_2D.
    tour : array, shape (n,), int32, on the host
        Starts with a depot.
    threads : int
        Of a block of an evaluation.
    """

    def __init__(
        self, problem: Any, tour: Any, variant: Variant, threads: int = 128, backend: str = "cuda"
    ) -> None:
        n = problem.n
        if n > LARGEST:
            raise ValueError(f"problem: {n} nodes; at most {LARGEST}")
        kernels = variant.kernels()
        self.device: Any = Gpu(kernels) if backend == "cuda" else Host(kernels)
        self.variant, self.threads, self.n, self.names = variant, threads, n, GROUPS[variant.groups]
        self.moves = math.comb(n, 2) if variant.edges == 2 else 4 * math.comb(n, 3)
        numbers = n * n if variant.edges == 2 and variant.mapping == 2 else self.moves
        levels, starts, entries = variant.layout_of(n)
        sites = _sites(problem, tour)
        batch = np.zeros(1, BATCH)
        batch["levels"], batch["n"], batch["moves"], batch["entries"] = levels, n, numbers, entries
        batch["capacity"] = problem.capacity
        limit = problem.route_limit
        batch["route_limit"] = 2**30 if limit is None else int(limit)
        batch["vehicles"] = problem.fleet or problem.copies
        batch["length"] = int(problem.cost(tour)[0])
        self.batch, self._levels = batch, levels[: variant.levels + 1]
        self._kept: dict[str, Any] = {}
        order = np.r_[tour, tour[0]].astype(np.int32)
        stored = numbers if variant.sink == 0 else 0
        value = {"int": "i4", "double": "f8"}[variant.value]
        table = 8 * math.comb(n, 3) if variant.edges == 3 and variant.mapping == 0 else 0
        for name, content in {
            "level_memory": levels,
            "starts": starts,
            "sites": sites,
            "next_sites": sites,
            "order": order,
            "next_order": order,
            "table": table,
            "change": np.dtype(value).itemsize * stored,
            "feasible": stored,
            "best": np.array([NONE], "u8"),
            "found": np.array([NONE], "u8"),
            "counts": np.zeros(16, "u8"),
        }.items():
            batch[name] = self._keep(name, content)
        memory = [4 * entries * variant.words(name) for name in self.names]
        batch["memory"][0, : len(memory)] = [self._keep(f"of {n}", size) for n, size in
                                             zip(self.names, memory, strict=True)]  # fmt: skip
        self.stored_bytes = sum(memory) + (np.dtype(value).itemsize + 1) * stored + table
        if table:
            self.device.launch("fill_table", table // 8, batch)

    def _keep(self, name: str, content: Any) -> int:
        """Copy an array to the device, or allocate bytes there, and return the address."""
        xp = self.device.xp
        if isinstance(content, int):
            self._kept[name] = xp.empty(max(16, content), "u1")
        else:
            self._kept[name] = xp.array(np.ascontiguousarray(content).view("u1"))
        return int(self.device.address(self._kept[name]))

    def read(self, name: str, dtype: Any) -> Any:
        """Return an array of the device as a NumPy array."""
        array = self._kept[name]
        return np.asarray(array if self.device.xp is np else array.get()).view(dtype)

    def build(self) -> None:
        """Queue the computation of all stretches, level by level."""
        for level, sizes in enumerate(self._levels):
            parts = -(-(int(sizes["nodes"]) - 1) // int(sizes["part"]))
            for name in self.names:
                count = 2 * parts * (int(sizes["part"]) + 1)
                self.device.launch(f"{name}_{level}", count, self.batch, 64)

    def clear(self) -> None:
        """Queue the first values of what is stored of each move."""
        if self.variant.sink == 0:
            self.device.launch("clear", int(self.batch["moves"][0]), self.batch, 256)

    def evaluate(self, names: tuple[str, ...] = ()) -> None:
        """Queue the evaluation of all moves, by all kernels or those named."""
        for name in names or self.names:
            self.device.launch(name, int(self.batch["moves"][0]), self.batch, self.threads)

    def reduce(self) -> None:
        """Queue the choice of the best move."""
        if self.variant.sink == 0:
            self.device.launch("reduce", int(self.batch["moves"][0]), self.batch, 256)

    def apply(self) -> None:
        """Queue the best move; call `swap` once its change is known."""
        self.device.launch("apply", self.n + 1, self.batch, 256)

    def swap(self, change: int = 0) -> None:
        """Continue with the tour that `apply` made; `change` is that of its length."""
        for name in ("sites", "order"):
            batch, other = self.batch, f"next_{name}"
            batch[name], batch[other] = batch[other].copy(), batch[name].copy()
            self._kept[name], self._kept[other] = self._kept[other], self._kept[name]
        self.batch["length"] += change

    def best(self) -> tuple[int, tuple[int, ...]]:
        """Evaluate all moves; return the change of the best one and x, y, z and way; 0 if none."""
        for step in (self.build, self.clear, self.evaluate, self.reduce):
            step()
        return decoded(int(self.read("best", "u8")[0]))

    def counts(self) -> Any:
        """Return the moves by what they are (`count` in paper000.cu), for `groups` = 2."""
        self.build()
        self.device.launch("count", int(self.batch["moves"][0]), self.batch, 128)
        return self.read("counts", "u8").astype(np.int64)

    def tour(self) -> Any:
        """Return the current tour."""
        return self.read("order", np.int32)[:-1].copy()


def decoded(key: int) -> tuple[int, tuple[int, ...]]:
    """Return the change and the move of a key."""
    if key == NONE:
        return 0, ()
    places = (key >> 26 & 4095, key >> 14 & 4095, key >> 2 & 4095, key & 3)
    return (key >> 38) - 2**25, places


def _sites(problem: Any, tour: Any) -> Any:
    """Return the nodes in the order of the tour, and its first one again."""
    rows = np.r_[tour, tour[0]]
    nodes = np.where(rows > problem.customers, 0, rows)
    sites = np.zeros(len(rows), SITE)
    sites["x"], sites["y"] = problem.nodes.coordinates[nodes].T
    sites["demand"] = np.where(nodes == 0, -1, problem.demands[nodes])
    sites["service"] = problem.service_times[nodes]
    return sites
