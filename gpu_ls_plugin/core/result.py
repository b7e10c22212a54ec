"""What a search returns and what it reports on the way."""

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

VERSION = 1  # of the files of results
ADDED = (  # counts of parts of a search that add up
    *("passes", "moves", "evaluations", "kicks"),
    *("accepted", "climbs", "restarts", "launches"),
)
TOLD = ("moves", "evaluations", "kicks", "accepted", "restarts")  # counts that callbacks are told


Count = TypeVar("Count", int, float)


def summed(first: dict[str, Count], second: dict[str, Count]) -> dict[str, Count]:
    """Return the sums of two sets of counts, by name."""
    return first | {name: first.get(name, 0) + count for name, count in second.items()}


@dataclass
class Statistics:
    """Counts of one search over its whole batch.

    `passes` counts evaluations of a neighbourhood, `evaluations` the moves these stand for,
    `moves` those applied, `moves_by` the latter by the name of the neighbourhood; `kicks` the
    perturbations, `accepted` those whose tour was kept; `climbs` the descents begun, `restarts` the
    chains that restarted from a random tour (after `restart_after` kicks without a new best, or
    every second one where all chains had come to the same cost), `launches` the kernel launches.
    `seconds` is the wall time without compiling, `phases` its parts by name. `history` has a point
    for the start, for each new best cost, for the end, and in between every 0.1 seconds or percent
    of the time so far, whichever is longer. `stopped_by` is "optimum" where all tours are local
    optima, "seconds", "kicks", "moves", "target", "climbs", "interrupt", or "filter" where a filter
    has kept no move of any tour; of islands "lost", too, where the cluster is.
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
        """Add the counts of another search to this one (in place).

        Its phases are added by name, and its history is appended as it is, in its own time.
        """
        self.add_counts(other)
        self.phases = summed(self.phases, other.phases)
        self.history.extend(other.history)

    def add_counts(self, other: Statistics) -> None:
        """Add the counts alone of another search to this one (in place)."""
        for name in ADDED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.moves_by = summed(self.moves_by, other.moves_by)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the wall time of a ``with`` block to a phase, also where the block raises.

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
    """State of a running search after a launch, handed to its callback.

    `done` of `total` tours are finished; costs are in the problem's unit, `elapsed` in seconds.
    Iterated searches count their `kicks`, those `accepted` and the `restarts` of chains; `improved`
    says that the best cost fell since the last call; costs are infinite as long as a search that
    sets the price of violations, such as one of states, has found nothing feasible. `best_tours()`
    copies the best tour of each chain of an iterated search, where constraints decide which is
    best, to the host.
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
        """Return the state that statistics and a point of the history have, with more fields."""
        costs = {"best_cost": point.best_cost, "mean_cost": point.mean_cost}
        counts = {name: getattr(statistics, name) for name in TOLD}
        known = {"elapsed": point.elapsed, "total": total, "done": 0} | costs | counts
        return cls(**known | more)


Callback = Callable[[Progress], None]


def later(callback: Callback, begin: float) -> Callback:
    """Return a callback for a search that began so many seconds after the clock was started."""

    def moved(progress: Progress) -> None:
        callback(replace(progress, elapsed=begin + progress.elapsed))

    return moved


def told(
    statistics: Statistics, callback: Callback | None, point: Point, total: int, **more: Any
) -> bool:
    """Note a point in the history and tell the callback; return whether the best cost fell."""
    improved = note(statistics.history, point)
    if callback is not None:
        callback(Progress.of(statistics, point, total, improved=improved, **more))
    return improved


@dataclass(frozen=True)
class Result:
    """Tours, their exact costs and the statistics of the search that made them.

    Attributes
    ----------
    tours : array, shape (P, n), int32
        NumPy for NumPy input, CuPy for CuPy input; the rows correspond to the input rows. Solutions
        of the problem, whatever its rows are.
    costs : array, shape (P,), int64 or float64
        What `problem.cost` says of `tours`, to the last bit.
    statistics : Statistics
        Counts and times.
    problem : Problem or None
        What the rows solve; without it they are taken for tours.
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
        """Return what a person wants to see first."""
        count, length = self.tours.shape
        facts: dict[str, object] = {} if self.problem is None else {"problem": self.problem.name}
        if count:
            facts |= {"best_cost": self.best_cost, "best_feasible": self.best_feasible}
        about = {"stopped_by": self.statistics.stopped_by, "backend": self.statistics.backend}
        seconds = round(self.statistics.seconds, 3)
        return facts | {"rows": count, "length": length, "seconds": seconds} | about

    @cached_property
    def feasible(self) -> Any:
        """Which rows break no constraint, bool (P,), the same kind of array as `costs`.

        All rows are feasible if there is no problem, or it has no constraints.
        """
        if not self._constrained:
            return _like(self.costs, np.ones(len(self.costs), np.bool_))
        assert self.problem is not None
        return _like(self.costs, self.problem.feasible(_on_host(self.tours)))

    @property
    def best_tour(self) -> Any:
        """The cheapest feasible row of `tours`, the first of equals.

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
        """The problem, if it has routes."""
        problem = self.problem
        return problem if problem is not None and problem.has_routes else None

    @property
    def _best(self) -> int:
        """The row of `best_tour`."""
        first = self._first_feasible
        return self._order()[0] if first is None else first

    @property
    def _known(self) -> Any:
        """`feasible`, if it has been computed or loaded, else None."""
        return vars(self).get("feasible")

    @property
    def _constrained(self) -> bool:
        return self.problem is not None and self.problem.constrained

    @property
    def _first_feasible(self) -> int | None:
        """The cheapest feasible row, the first of equals; None if no row is feasible."""
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
        """Return the rows by cost, but feasible ones first, then those that break less."""
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
        """Return the rows by cost, the cheapest first and equal costs in their order.

        Feasible rows come first; the others follow by how much they break constraints.
        """
        if self._known is not None or self._constrained:
            return self._rows(self._order())
        with _device_of(self.costs):
            return self._rows(self.costs.argsort(kind="stable"))

    def distinct(self, k: int, least: float = 0.01) -> Result:
        """Return the cheapest rows that differ from one another.

        Rows are taken from the cheapest on, each that differs from all taken so far. The problem
        says by how much (`Problem.difference`). Where a tour starts and its direction make no
        difference.

        Parameters
        ----------
        k : int
            Up to so many rows, at least 1.
        least : float
            Share of its n undirected edges, from 0 to 1, that a tour must not have in common with
            another; of other rows, what the problem counts.

        Returns
        -------
        Result
            1 to k rows, the cheapest first, with these statistics. GPU arrays come from the GPU,
            though the rows are chosen on the host.

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
        # Most rows are settled by the few taken ones that they resemble, so that all pairs of rows
        # are never compared.
        for row in self._order():
            own = tours[row].astype(np.intp)
            if all(share(own) >= least for share in from_taken):
                taken.append(row)
                from_taken.append(difference(own))
                if len(taken) == k:
                    break
        return self._rows(taken)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a JSON file, which appears complete or not at all.

        Parameters
        ----------
        path : path
            Ends in ``.json``, or ``.json.gz`` to be compressed.

        Raises
        ------
        InvalidParameterError
            The name ends otherwise.
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
        # NumPy's numbers are not known to JSON, but may have got into the statistics.
        data = json.dumps(content, default=lambda number: number.item()).encode()
        with atomically(Path(path)) as file:
            file.write_bytes(gzip.compress(data, compresslevel=3, mtime=0) if packed else data)

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem | None = None) -> Result:
        """Return what `save` wrote, with NumPy arrays.

        Parameters
        ----------
        path : path
        problem : Problem, optional
            What the rows solve, which checks them, computes their costs again and says which are
            feasible. Without it they must be permutations, and the file says which are feasible.

        Raises
        ------
        FileFormatError
            The file holds something else, or a cost that its row does not have; the message says
            where.
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
            if found.feasible is not None:  # files of before have none
                verdicts = _verdicts(found.feasible, len(tours))
                if problem is None:
                    vars(loaded)["feasible"] = verdicts
                elif (verdicts != loaded.feasible).any():
                    raise ValueError("feasible: not what the rows are")
            return loaded

    def to_dict(self) -> dict[str, Any]:
        """Return everything as lists, texts and Python numbers, ready for JSON.

        Returns
        -------
        dict
            ``problem`` (its name or None), ``best_cost``, ``best_feasible``, ``best_tour``,
            ``tours``, ``costs``, ``feasible`` and ``statistics``; of vehicle routing ``routes``,
            those of the best tour.
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
        """Write the rows to a CSV file, a line for each, which appears complete or not at all.

        The columns are ``row``, ``cost``, ``feasible`` (yes or no) and ``tour``, the entries of the
        row with spaces between them; of vehicle routing ``routes``, too, with ``|`` between them.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        tours, vehicles = _on_host(self.tours), self._vehicles
        routes = None if vehicles is None else [vehicles.routes(row) for row in tours]
        save_rows(path, tours, _on_host(self.costs), _on_host(self.feasible), routes)

    def save_history(self, path: str | os.PathLike[str]) -> None:
        """Write the history to a CSV file, as `history.save_history` does."""
        save_history(self.statistics.history, path)

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, optimum: float | None = None
    ) -> Figure:
        """Draw the best and the mean cost over time, as `history.plot_history` does."""
        return plot_history(self.statistics.history, path, optimum=optimum)

    def _rows(self, rows: Any) -> Result:
        with _device_of(self.tours):
            chosen = replace(self, tours=self.tours[rows], costs=self.costs[rows])
            if self._known is not None:
                vars(chosen)["feasible"] = self._known[rows]
            return chosen


def _device_of(array: Any) -> AbstractContextManager[Any]:
    """Return what makes the GPU current that an array lies on; nothing for NumPy's."""
    device = getattr(array, "device", None)  # of NumPy's, since its version 2, a text
    return device if isinstance(device, AbstractContextManager) else nullcontext()


def _on_host(array: Any) -> NDArray[Any]:
    host: NDArray[Any] = array.get() if hasattr(array, "get") else array
    return host


def _like(array: Any, values: NDArray[Any]) -> Any:
    """Return values as the kind of array that another one is, on its device."""
    if isinstance(array, np.ndarray):
        return values.view(type(array))
    with _device_of(array):
        made = type(array)(values.shape, values.dtype)
        made.set(np.ascontiguousarray(values))
        return made


def _array(name: str, value: Any, kinds: str) -> NDArray[Any]:
    """Return numbers from a file as an array of one of the kinds of dtype."""
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
    if costs.tolist() != value:  # NumPy turns integers of more than 64 bits into floats
        raise ValueError("costs: neither 64-bit integers nor floats")
    # Where each row has lengths of its own, rows in another order have other costs.
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
    """The fields of a file of a result; those of its arrays are checked as arrays."""

    tours: Any
    costs: Any
    statistics: Statistics
    feasible: Any = None


ARRAYS = dict.fromkeys(("tours", "costs", "feasible"), schema.anything)
FILE = schema.fields(_File, statistics=STATISTICS, **ARRAYS)
