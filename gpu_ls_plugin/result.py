"""What a search returns and what it reports on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Statistics:
    """Counts of one search over its whole batch.

    `passes` counts evaluations of a neighbourhood, `evaluations` the moves these stand for,
    `moves` those applied; `climbs` the descents begun, `seconds` the wall time, `launches` the
    kernel launches. `stopped_by` is "optimum", "seconds", "moves", "target", "climbs" or
    "interrupt".
    """

    passes: int = 0
    moves: int = 0
    evaluations: int = 0
    kicks: int = 0
    climbs: int = 0
    launches: int = 0
    seconds: float = 0.0
    stopped_by: str = "optimum"
    backend: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return self.stopped_by == "interrupt"

    def add(self, other: Statistics) -> None:
        """Add the counts of another search to this one (in place)."""
        for name in ("passes", "moves", "evaluations", "kicks", "climbs", "launches"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dictionary, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Progress:
    """State of a running search after a launch, handed to its callback.

    `done` of `total` tours are finished; costs are in the problem's unit, `elapsed` in seconds.
    """

    elapsed: float
    best_cost: float
    mean_cost: float
    moves: int
    evaluations: int
    done: int
    total: int


Callback = Callable[[Progress], None]


@dataclass(frozen=True)
class Result:
    """Tours, their exact costs and the statistics of the search that made them.

    Attributes
    ----------
    tours : array, shape (P, n), int32
        NumPy for NumPy input, CuPy for CuPy input; the rows correspond to the input rows.
    costs : array, shape (P,), int64 or float64
        Recomputed from scratch from `tours` under the problem's own definition.
    statistics : Statistics
        Counts and times.
    """

    tours: Any
    costs: Any
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def best_tour(self) -> Any:
        """The cheapest row of `tours`, the first of equals."""
        return self.tours[int(self.costs.argmin())]

    @property
    def best_cost(self) -> int | float:
        """The cost of `best_tour`, as a Python number."""
        best: int | float = self.costs[int(self.costs.argmin())].item()
        return best
