"""The result of a search, its statistics, and the progress that it reports."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gpu_ls_plugin.core import checks, schema
from gpu_ls_plugin.core.files import atomically, is_packed
from gpu_ls_plugin.core.history import POINT, Point, note, plot_history, save_history
from gpu_ls_plugin.core.problem import without_routes
from gpu_ls_plugin.core.result_views import call_text, html_facts, plain, row_text, save_rows
from gpu_ls_plugin.core.rows import new_edges

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem

VERSION = 1  # version of the format of result files
ADDED = (  # counts that `Statistics.add` adds up
    *("passes", "moves", "evaluations", "kicks"),
    *("accepted", "climbs", "restarts", "launches"),
)
REPORTED = ("moves", "evaluations", "kicks", "accepted", "restarts")  # counts of `Progress`


Count = TypeVar("Count", int, float)


def summed(first: dict[str, Count], second: dict[str, Count]) -> dict[str, Count]:
    """Return the sums of two dictionaries of counts, by name."""
    return first | {name: first.get(name, 0) + count for name, count in second.items()}


@dataclass
class Statistics:
    """Counts and times of a search, over its whole batch.

    Attributes
    ----------
    passes, evaluations : int
        Number of evaluations of a neighbourhood, and of single moves.
    moves, moves_by : int, dict
        Number of applied moves: in total, and by neighbourhood.
    kicks, accepted : int
        Number of perturbations, and number of perturbed tours that were kept.
    climbs : int
        Number of descents that were started.
    restarts : int
        How often a chain restarted from a random tour. A chain restarts after `restart_after` kicks
        without a new best; when all chains have the same cost, every second one restarts.
    launches : int
        Number of kernel launches.
    seconds, phases : float, dict
        Wall time in seconds without waiting for kernels, and the wall time of each phase by name.
    history : list of Point
        A point at the start, at each new best cost and at the end, and in between one every 0.1
        seconds or every percent of the time so far, whichever is longer.
    stopped_by : str
        "optimum" (all tours are local optima), "seconds", "kicks", "moves", "target", "climbs",
        "interrupt" or "filter" (a filter kept no move of any tour). For islands, it may also
        be "lost": the cluster was lost.
    """

    passes: int = 0
    moves: int = 0
    evaluations: int = 0
    kicks: int = 0
    climbs: int = 0
    restarts: int = 0
    launches: int = 0
    seconds: float = 0.0
    stopped_by: str = "optimum"
    backend: str = ""
    accepted: int = 0
    moves_by: dict[str, int] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)
    history: list[Point] = field(default_factory=list, repr=False)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return self.stopped_by == "interrupt"

    def add(self, other: Statistics) -> None:
        """Add the counts and phases of another search (in place), and append its history."""
        self.add_counts(other)
        self.phases = summed(self.phases, other.phases)
        self.history.extend(other.history)

    def add_counts(self, other: Statistics) -> None:
        """Add only the counts of another search (in place)."""
        for name in ADDED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.moves_by = summed(self.moves_by, other.moves_by)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the wall time of a ``with`` block to a phase, even if the block raises.

        GPU work counts in the phase that waits for it.
        """
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - begin

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dictionary, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Progress:
    """State of a running search after a launch, for its callback.

    Attributes
    ----------
    elapsed : float
        Seconds since the start.
    best_cost, mean_cost : float
        Costs of the best row, and of all rows on average. If the search adjusts the penalties for
        violations, these costs are infinite until it finds a feasible row.
    moves, evaluations, kicks, accepted, restarts : int
        As in `Statistics`.
    done, total : int
        Number of finished tours, and of all tours.
    improved : bool
        Whether the best cost fell since the last call.
    best_tours : callable or None
        Copies the best row of each chain to the host; None if the search cannot copy them. If the
        problem has constraints, the best row is the cheapest feasible one.
    """

    elapsed: float
    best_cost: float
    mean_cost: float
    moves: int
    evaluations: int
    done: int
    total: int
    kicks: int = 0
    accepted: int = 0
    improved: bool = False
    restarts: int = 0
    best_tours: Callable[[], NDArray[Any]] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, statistics: Statistics, point: Point, total: int, **more: Any) -> Progress:
        """Return the progress at a point of the history, from statistics and other fields."""
        costs = {"best_cost": point.best_cost, "mean_cost": point.mean_cost}
        counts = {name: getattr(statistics, name) for name in REPORTED}
        known = {"elapsed": point.elapsed, "total": total, "done": 0} | costs | counts
        return cls(**known | more)


Callback = Callable[[Progress], None]


def later(callback: Callback, begin: float) -> Callback:
    """Return a callback that adds `begin` seconds to the elapsed time and calls `callback`."""

    def moved(progress: Progress) -> None:
        callback(replace(progress, elapsed=begin + progress.elapsed))

    return moved


def record_point(
    statistics: Statistics, callback: Callback | None, point: Point, total: int, **more: Any
) -> bool:
    """Add a point to the history and call the callback; return whether the best cost fell."""
    improved = note(statistics.history, point)
    if callback is not None:
        callback(Progress.of(statistics, point, total, improved=improved, **more))
    return improved


@dataclass(frozen=True)
class Result:
    """Tours, their exact costs and the statistics of the search that found them.

    Attributes
    ----------
    tours : array, shape (P, n), int32
        Rows of the problem, which need not be tours: NumPy for NumPy input, CuPy for CuPy input,
        in the order of the input.
    costs : array, shape (P,), int64 or float64
        Equal to `problem.cost(tours)`, bit for bit.
    statistics : Statistics
        Counts and times.
    problem : Problem or None
        The problem that the rows solve. If it is None, the rows are treated as tours.
    """

    tours: Any
    costs: Any
    statistics: Statistics = field(default_factory=Statistics)
    problem: Problem | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return call_text("Result", self._facts())

    def _repr_html_(self) -> str:
        facts = self._facts()
        if facts["rows"]:
            facts["best tour"] = row_text(_on_host(self.best_tour).tolist())
        return html_facts("Result", facts)

    def _facts(self) -> dict[str, object]:
        """Return the facts that a person wants to see first."""
        count, length = self.tours.shape
        facts: dict[str, object] = {} if self.problem is None else {"problem": self.problem.name}
        if count:
            facts |= {"best_cost": self.best_cost, "best_feasible": self.best_feasible}
        about = {"stopped_by": self.statistics.stopped_by, "backend": self.statistics.backend}
        seconds = round(self.statistics.seconds, 3)
        return facts | {"rows": count, "length": length, "seconds": seconds} | about

    @cached_property
    def feasible(self) -> Any:
        """Which rows break no constraint: bool, shape (P,), NumPy or CuPy like `costs`.

        All rows are feasible if there is no problem or it has no constraints.
        """
        if not self._constrained:
            return _like(self.costs, np.ones(len(self.costs), np.bool_))
        assert self.problem is not None
        return _like(self.costs, self.problem.feasible(_on_host(self.tours)))

    @property
    def best_tour(self) -> Any:
        """The cheapest feasible row of `tours`; the first one if several are equally cheap.

        If no row is feasible, it is the row that breaks constraints least.
        """
        with _device_of(self.tours):
            return self.tours[self._best]

    @property
    def best_cost(self) -> int | float:
        """The cost of `best_tour`, as a Python number."""
        with _device_of(self.costs):
            best: int | float = self.costs[self._best].item()
        return best

    @property
    def best_feasible(self) -> bool:
        """Whether `best_tour` breaks no constraint."""
        if self._known is None and not self._constrained:
            return True
        return self._first_feasible is not None

    @property
    def routes(self) -> list[list[int]]:
        """The routes of `best_tour`: the customers of each, in the order of driving.

        Raises
        ------
        UnsupportedProblemError
            The problem has no routes.
        InvalidTypeError
            There is no problem.
        """
        if self.problem is None:
            raise without_routes(None)
        return self.problem.routes(_on_host(self.best_tour))

    @property
    def _vehicles(self) -> Problem | None:
        """The problem if it has routes, otherwise None."""
        problem = self.problem
        return problem if problem is not None and problem.has_routes else None

    @property
    def _best(self) -> int:
        """The index of `best_tour`."""
        first = self._first_feasible
        return self._order()[0] if first is None else first

    @property
    def _known(self) -> Any:
        """The cached value of `feasible`, None if it has not been computed or loaded."""
        return vars(self).get("feasible")

    @property
    def _constrained(self) -> bool:
        return self.problem is not None and self.problem.constrained

    @property
    def _first_feasible(self) -> int | None:
        """The index of the cheapest feasible row, None if no row is feasible."""
        if self._known is None and not self._constrained:
            with _device_of(self.costs):
                return int(self.costs.argmin())
        rows = _on_host(self.costs).argsort(kind="stable")
        begin, size = 0, 1
        while begin < len(rows):
            some = rows[begin : begin + size]
            if self._known is not None:
                feasible = _on_host(self._known)[some]
            else:
                assert self.problem is not None
                with _device_of(self.tours):
                    tours = _on_host(self.tours[some.tolist()])
                feasible = self.problem.feasible(tours)
            if feasible.any():
                return int(some[feasible.argmax()])
            begin, size = begin + size, 8 * size
        return None

    def _order(self) -> list[int]:
        """Return the indices of rows: feasible ones by cost, then the others by excess and cost."""
        costs = _on_host(self.costs)
        if self._known is None and not self._constrained:
            order = costs.argsort(kind="stable")
        else:
            infeasible = ~_on_host(self.feasible)
            excess = infeasible.astype(np.float64)
            if self.problem is not None and infeasible.any():
                excess[infeasible] = self.problem.excess(_on_host(self.tours)[infeasible])
            order = np.lexsort((costs, excess, infeasible))
        rows: list[int] = order.tolist()
        return rows

    def sorted(self) -> Result:
        """Return a result with sorted rows: feasible ones by cost, then others by excess and cost.

        Rows that compare equal keep their order.
        """
        if self._known is not None or self._constrained:
            return self._rows(self._order())
        with _device_of(self.costs):
            return self._rows(self.costs.argsort(kind="stable"))

    def distinct(self, k: int, least: float = 0.01) -> Result:
        """Return the cheapest rows that differ from one another.

        In the order of `sorted`, a row is taken if it differs enough from all rows taken so far.
        `Problem.difference` measures the difference. Rotated and reversed tours do not differ.

        Parameters
        ----------
        k : int
            Maximum number of rows, at least 1.
        least : float
            Minimum difference of two rows, between 0 and 1. The difference of two tours is the
            share of the n undirected edges of one that the other does not have.

        Returns
        -------
        Result
            1 to k rows, the cheapest first, with the statistics of this result. If the arrays are
            on a GPU, the host chooses the rows, and the arrays stay on the GPU.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            `k` or `least` is outside its range or not a number.
        """
        k = checks.integer("k", k, least=1)
        least = checks.number("least", least, least=0.0, most=1.0)
        tours = _on_host(self.tours)
        taken: list[int] = []
        from_taken: list[Callable[[NDArray[Any]], float]] = []
        difference = new_edges if self.problem is None else self.problem.difference
        # Most rows resemble one of the few rows taken so far, so few pairs are compared.
        for row in self._order():
            own = tours[row].astype(np.intp)
            if all(share(own) >= least for share in from_taken):
                taken.append(row)
                from_taken.append(difference(own))
                if len(taken) == k:
                    break
        return self._rows(taken)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a JSON file, atomically.

        Parameters
        ----------
        path : path
            Must end in ``.json``, or in ``.json.gz`` for a compressed file.

        Raises
        ------
        InvalidParameterError
            The name has another extension.
        OSError
            The file cannot be written.
        """
        packed = is_packed(Path(path))
        content = {
            "version": VERSION,
            "statistics": self.statistics.as_dict(),
            "costs": _on_host(self.costs).tolist(),
            "tours": _on_host(self.tours).tolist(),
            "feasible": _on_host(self.feasible).tolist(),
        }
        # The statistics may contain NumPy scalars, which JSON does not know.
        data = json.dumps(content, default=lambda number: number.item()).encode()
        with atomically(Path(path)) as file:
            file.write_bytes(gzip.compress(data, compresslevel=3, mtime=0) if packed else data)

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem | None = None) -> Result:
        """Return the result in a file that `save` wrote, with NumPy arrays.

        Parameters
        ----------
        path : path
        problem : Problem, optional
            The problem that the rows solve. It checks the rows, their costs and their feasibility.
            If it is not given, rows must be permutations, and the feasibility is read from the
            file.

        Raises
        ------
        FileFormatError
            The file is not a result, or contradicts the problem; the message says where.
        InvalidParameterError
            The name ends neither in ``.json`` nor in ``.json.gz``.
        OSError
            The file cannot be read.
        """
        packed = is_packed(Path(path))
        with schema.reading(path):
            content = schema.read_json(Path(path), packed=packed)
            found = FILE("", schema.of_version(VERSION, "a result", content))
            tours = _tours(found.tours, problem)
            costs = _costs(found.costs, tours, problem)
            loaded = cls(tours, costs, found.statistics, problem)
            if found.feasible is not None:  # older files have none
                verdicts = _verdicts(found.feasible, len(tours))
                if problem is None:
                    vars(loaded)["feasible"] = verdicts
                elif (verdicts != loaded.feasible).any():
                    raise ValueError("feasible: contradicts the constraints of the problem")
            return loaded

    def to_dict(self) -> dict[str, Any]:
        """Return the result as lists, strings and Python numbers, ready for JSON.

        Returns
        -------
        dict
            ``problem`` (its name or None), ``best_cost``, ``best_feasible``, ``best_tour``,
            ``tours``, ``costs``, ``feasible`` and ``statistics``. For vehicle routing, there is
            also ``routes``, the routes of the best tour.
        """
        problem = self.problem
        content: dict[str, Any] = {
            "problem": None if problem is None else problem.name,
            "best_cost": self.best_cost,
            "best_feasible": self.best_feasible,
            "best_tour": _on_host(self.best_tour),
            "tours": _on_host(self.tours),
            "costs": _on_host(self.costs),
            "feasible": _on_host(self.feasible),
            "statistics": self.statistics.as_dict(),
        }
        vehicles = self._vehicles
        if vehicles is not None:
            content["routes"] = vehicles.routes(_on_host(self.best_tour))
        plainly: dict[str, Any] = plain(content)
        return plainly

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a line for each row to a CSV file, atomically.

        The columns are ``row``, ``cost`` (as `Problem.published` returns it), ``feasible`` (yes or
        no) and ``tour``, which has the entries of the row, separated by spaces. For vehicle
        routing, there is also ``routes``, in which ``|`` separates the routes.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        tours, vehicles = _on_host(self.tours), self._vehicles
        routes = None if vehicles is None else [vehicles.routes(row) for row in tours]
        save_rows(path, tours, self._shown(_on_host(self.costs)), _on_host(self.feasible), routes)

    def save_history(self, path: str | os.PathLike[str]) -> None:
        """Write the history, with published costs, to a CSV file, atomically.

        The first line is ``elapsed,kicks,best_cost,mean_cost``.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        save_history(self.published_history, path)

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, optimum: float | None = None
    ) -> Figure:
        """Draw the best and the mean published cost over time, as `history.plot_history` does.

        An `optimum` is a cost of the problem, like those of the result.
        """
        if optimum is not None:
            checks.number("optimum", optimum)
            optimum = self._shown(optimum)
        return plot_history(self.published_history, path, optimum=optimum)

    @property
    def published_history(self) -> list[Point]:
        """The history of the statistics with costs as reports show them (`Problem.published`)."""
        shown = self._shown
        return [
            replace(point, best_cost=shown(point.best_cost), mean_cost=shown(point.mean_cost))
            for point in self.statistics.history
        ]

    def _shown(self, costs: Any) -> Any:
        """Return costs as reports show them."""
        return costs if self.problem is None else self.problem.published(costs)

    def _rows(self, rows: Any) -> Result:
        with _device_of(self.tours):
            chosen = replace(self, tours=self.tours[rows], costs=self.costs[rows])
            if self._known is not None:
                vars(chosen)["feasible"] = self._known[rows]
            return chosen


def _device_of(array: Any) -> AbstractContextManager[Any]:
    """Return a context in which the GPU of an array is current; for NumPy, it does nothing."""
    device = getattr(array, "device", None)  # a string for arrays of NumPy 2
    return device if isinstance(device, AbstractContextManager) else nullcontext()


def _on_host(array: Any) -> NDArray[Any]:
    host: NDArray[Any] = array.get() if hasattr(array, "get") else array
    return host


def _like(array: Any, values: NDArray[Any]) -> Any:
    """Return values as an array of the same kind as `array`, on the same device."""
    if isinstance(array, np.ndarray):
        return values.view(type(array))
    with _device_of(array):
        made = type(array)(values.shape, values.dtype)
        made.set(np.ascontiguousarray(values))
        return made


def _array(name: str, value: Any, kinds: str) -> NDArray[Any]:
    """Return values from a file as an array; raise unless the kind of its dtype is in `kinds`."""
    try:
        array = np.array(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name}: missing, or not numbers in rows of one length")
    return array


def _tours(value: Any, problem: Problem | None) -> NDArray[np.int32]:
    tours = _array("tours", value, "i")
    if tours.ndim != 2:
        raise ValueError(f"tours: shape {tours.shape} is not (P, n)")
    if problem is not None:
        return problem.check(tours, parameter="tours")
    wrong = (np.sort(tours, axis=1) != np.arange(tours.shape[1])).any(axis=1)
    if wrong.any():
        raise ValueError(
            f"tours: row {wrong.argmax()} is not a permutation; load other rows with problem=..."
        )
    return tours.astype(np.int32)


def _costs(value: Any, tours: NDArray[Any], problem: Problem | None) -> NDArray[Any]:
    costs = _array("costs", value, "if")
    if costs.shape != (len(tours),):
        raise ValueError(f"costs: shape {costs.shape}, but there are {len(tours)} tours")
    if costs.tolist() != value:  # NumPy has turned integers of more than 64 bits into floats
        raise ValueError("costs: neither 64-bit integers nor floats")
    # If each row has its own lengths, costs depend on the order of rows, so they are not checked.
    if problem is None or getattr(problem, "rows", None) is not None:
        return costs
    return schema.same_costs(costs, problem.cost(tours))


def _verdicts(value: Any, size: int) -> NDArray[np.bool_]:
    verdicts = _array("feasible", value, "b")
    if verdicts.shape != (size,):
        raise ValueError(f"feasible: shape {verdicts.shape}, but there are {size} tours")
    return verdicts


COUNT = schema.integer()
STATISTICS = schema.fields(
    Statistics,
    **dict.fromkeys(ADDED, COUNT),
    seconds=schema.real,
    stopped_by=schema.text,
    backend=schema.text,
    moves_by=schema.named(COUNT),
    phases=schema.named(schema.real),
    history=schema.listed(POINT),
)


@dataclass
class _File:
    """The fields of a result file; `_array` checks its arrays."""

    tours: Any
    costs: Any
    statistics: Statistics
    feasible: Any = None


ARRAYS = dict.fromkeys(("tours", "costs", "feasible"), schema.anything)
FILE = schema.fields(_File, statistics=STATISTICS, **ARRAYS)
