"""Generalised assignment: give jobs to agents of limited capacity."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.assignment.problem import assignment_files, assignment_instances
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.problem.load_prices import UNIT, likely_values, load_prices
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.integer_files import made_of
from gpu_ls_plugin.core.problem_data import integers_of, labels, largest
from gpu_ls_plugin.core.rows import blocks

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

MOST = 2**62  # largest sum of costs, or of resources
MOST_QUICK = 4096  # maximum number of jobs to assign greedily, which takes about 20 ms
SMALL = 2**31  # kernels read numbers below this as 32-bit integers
MOST_CHAINED = 2**30  # ejection chains need sums below this, so that ranks fit into 64 bits
LIKELY = 1.0  # average number of likely agents of a job in addition to the likeliest one


class GeneralisedAssignment(Assignment):
    """Give each job to an agent at the lowest cost without overloading an agent.

    Jobs are the variables, agents the values. Tables have a row for each job and a column for each
    agent; those in files of OR-Library are transposed.

    Parameters
    ----------
    costs : array_like of integers, shape (jobs, agents)
    resources : array_like of integers >= 0, shape (jobs, agents)
        The part of an agent's capacity that a job takes.
    capacities : array_like of integers >= 0, shape (agents,)
        Maximum sum of the resources that the jobs of each agent take.
    sense : {"min", "max"}
        "max" if `costs` are profits: `cost` is then their negative sum, which is minimised.
    name : str
    optimum : int, optional
        The optimal `cost`; negative if `costs` are profits.

    Attributes
    ----------
    costs, resources, capacities : int64 arrays, read-only
        As given.
    agents : int
    penalty : float
        Mean spread of a job's costs over the agents, divided by the mean resource.

    Raises
    ------
    InvalidProblemError
        Shapes are wrong, entries are not integers, resources or capacities are negative, or sums
        may exceed 2**62.
    InvalidParameterError, InvalidTypeError
        Another parameter is out of range, or of another type.
    """

    integer = True
    header = "assignment/problem/generalised_assignment.cuh"

    def __init__(
        self,
        costs: ArrayLike,
        resources: ArrayLike,
        capacities: ArrayLike,
        sense: str = "min",
        *,
        name: str = "",
        optimum: float | None = None,
    ) -> None:
        self.costs = integers_of(costs, "costs", "jobs", "agents")
        shape = self.costs.shape
        taken = partial(integers_of, signed=False)
        self.resources = taken(resources, "resources", "jobs", "agents", shape=shape)
        self.capacities = taken(capacities, "capacities", "agents", shape=shape[1:])
        self.sense = checks.choice("sense", sense, known=("min", "max"))
        jobs, self.agents = map(int, self.costs.shape)
        for parameter, table in (("costs", self.costs), ("resources", self.resources)):
            if jobs * largest(table) > MOST:
                raise InvalidProblemError(f"{parameter}: sums may exceed 2**62; use larger units")
            table.flags.writeable = False
        if largest(self.capacities) > MOST:
            raise InvalidProblemError("capacities: one exceeds 2**62; use larger units")
        self.capacities.flags.writeable = False
        super().__init__(np.full(jobs, self.agents))
        self.name, _, self.optimum = labels(name, "", optimum, least=-MOST)
        spread = np.ptp(self.costs, axis=1).mean() / max(1.0, self.resources.mean())
        self.penalty = float(spread) or 1.0
        # Chains need sums of costs and priced resources to fit into 64 bits, whatever the prices.
        most = largest(self.costs, self.resources, self.capacities)
        self.chains = jobs * most < MOST_CHAINED
        self.heaviest = int(self.resources.max(axis=1).sum())

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        which: int = 1,
        sense: str = "min",
        *,
        optimum: float | None = None,
    ) -> Self:
        """Read a problem from a file of OR-Library, or from a file with a single problem.

        Parameters
        ----------
        path : path
        which : int
            Number of the problem in the file, from 1.
        sense : {"min", "max"}
            "max" for gap1 to gap12; "min" for gapa to gapd and the files of Yagiura.
        optimum : int, optional
            The optimal `cost`; negative if `sense` is "max".

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is invalid or has no such problem; the message names the file and the line.
        """
        which = checks.integer("which", which, least=1)
        read = partial(assignment_files.read_generalised_assignment, which=which)
        return made_of(path, read, cls, sense, optimum=optimum)

    @classmethod
    def generated(cls, kind: str, jobs: int, agents: int, seed: int | None = 0) -> Self:
        """Make an instance according to the published rules for type A, B, C, D or E.

        Later types have tighter capacities; in D and E, cheap assignments take much capacity.
        A to D: Chu and Beasley (1997); E: Laguna, Kelly, González-Velarde and Glover (1995),
        rounded.

        Parameters
        ----------
        kind : {"A", "B", "C", "D", "E"}
            The type.
        jobs, agents : int
            At most 2**24 jobs and 2**16 agents.
        seed : int or None
            Seed of the random numbers; None draws one.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A parameter is out of range or of another type.
        """
        kind = checks.choice("kind", kind, known=assignment_instances.KINDS)
        jobs = checks.integer("jobs", jobs, least=1, most=2**24)
        agents = checks.integer("agents", agents, least=1, most=2**16)
        rng = np.random.default_rng(checks.seed(seed))
        tables = assignment_instances.generalised_assignment(kind, jobs, agents, rng)
        return cls(*tables, name=f"{kind.lower()}{agents:02}{jobs}")

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<GeneralisedAssignment{name}: {self.n} jobs, {self.agents} agents>"

    def cost(self, rows: Any, /) -> NDArray[np.int64]:
        """Return the total cost of the assigned jobs, shape (P,); negative for profits."""
        states = self.check(rows)
        paid = np.zeros(len(states), np.int64)
        costs = np.pad(self.costs, ((0, 0), (0, 1)))  # the last column: for -1, no agent
        for block in blocks(len(states), self.n):
            paid[block] = costs[np.arange(self.n), states[block]].sum(axis=1)
        return paid if self.sense == "min" else -paid

    def loads(self, rows: Any, /) -> NDArray[np.int64]:
        """Return the load of each agent, shape (P, agents)."""
        states = self.check(rows)
        loads = np.zeros((len(states), self.agents + 1), np.int64)  # the last column: for no agent
        every = np.arange(len(states))
        for job, agents in enumerate(states.T):
            loads[every, agents] += self.resources[job, agents]
        return loads[:, :-1]

    def excess(self, rows: Any, /) -> NDArray[np.int64]:
        """Return the total overload of the agents, shape (P,)."""
        over = np.maximum(self.loads(rows) - self.capacities, 0).sum(axis=1)
        return np.asarray(over, np.int64)

    def feasible(self, rows: Any, /) -> NDArray[np.bool_]:
        """Return which states assign every job and overload no agent, shape (P,)."""
        complete = super().feasible(rows)
        return np.asarray(complete & (self.loads(rows) <= self.capacities).all(axis=1))

    def quick_state(self) -> NDArray[np.int32] | None:
        """Return a greedy assignment; None for more than 4,096 jobs.

        Jobs with the largest difference between their best two agents come first. Each job is given
        to the agent of lowest cost that has room for it. If the problem has chains, a second
        assignment is made with the price of capacity added to the costs, and the better of the two
        is returned.
        """
        if self.n > MOST_QUICK:
            return None
        made = [self._greedy(self._minimised.astype(float))]
        if self.chains:
            made.append(self._greedy(self._priced))
        excesses, paid = self.excess(made), self.cost(made)
        return made[int(np.lexsort([paid, excesses])[0])]

    def _greedy(self, priced: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the greedy assignment, shape (jobs,), for priced costs, shape (jobs, agents)."""
        room, state = self.capacities.copy(), np.empty(self.n, np.int32)
        fitting = np.where(self.resources <= room, priced, np.inf)
        ranked = np.partition(fitting, min(1, self.agents - 1), axis=1)
        with np.errstate(invalid="ignore"):  # for jobs that no agent has room for; they come last
            regrets = np.nan_to_num(ranked[:, min(1, self.agents - 1)] - ranked[:, 0], nan=-1.0)
        for job in np.argsort(-regrets, kind="stable"):
            left = room - self.resources[job]
            fits = left >= 0
            agent = np.where(fits, priced[job], np.inf).argmin() if fits.any() else left.argmax()
            state[job], room[agent] = agent, left[agent]
        return state

    def functor(self) -> str:
        """Return the C++ type; numbers have 32 bits if that is enough."""
        return f"gls::GeneralisedAssignment<{'int' if self._number is np.int32 else 'gls::int64'}>"

    def words(self) -> list[Any]:
        """Return costs, resources and capacities, and the likely agents of each job."""
        return self._words(*self._likely)

    def relaxed_words(self) -> list[Any] | None:
        """Return `words` with more likely agents per job: all that can take the job at all.

        None if there are no further agents.
        """
        if not self.chains:
            return None
        rates, _, fewer = self._likely
        likely, begins = self._tried(None)
        return self._words(rates, begins, likely) if len(likely) > len(fewer) else None

    def _words(self, rates: Any, begins: Any, likelies: Any) -> list[Any]:
        data = {
            "prices": np.stack([self._minimised, self.resources], axis=2).astype(self._number),
            "capacities": self.capacities,
            "agents": self.agents,
            "rates": rates,
            "begins": begins,
            "likelies": likelies,
        }
        return in_order(GeneralisedAssignment.header, "GeneralisedAssignmentData", data)

    @cached_property
    def _likely(self) -> tuple[Any, Any, Any]:
        """Prices of capacity, the index of each job's first likely agent, and the likely agents."""
        if not self.chains:
            nothing = np.zeros(self.n + 1, np.int32)
            return np.zeros(self.agents, np.int64), nothing, nothing
        likely, begins = self._tried(LIKELY)
        return np.rint(UNIT * self._rates).astype(np.int64), begins, likely

    def _tried(self, more: float | None) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the likely agents of each job, and where they begin; see `likely_values`."""
        return likely_values(self._priced, self.resources <= self.capacities, more)

    @cached_property
    def _rates(self) -> NDArray[np.float64]:
        """The price of a unit of each agent's capacity."""
        return load_prices(self._minimised, self.resources, self.capacities)

    @property
    def _minimised(self) -> NDArray[np.int64]:
        """The costs, or the negated profits."""
        return self.costs if self.sense == "min" else -self.costs

    @property
    def _priced(self) -> NDArray[np.float64]:
        """Costs with priced resources, shape (jobs, agents)."""
        return self._minimised + self._rates * self.resources

    def kept_bytes(self) -> int:
        """Return the size in bytes of one overload per agent."""
        return 8 * self.agents

    @property
    def _number(self) -> type[np.signedinteger[Any]]:
        return np.int32 if largest(self.costs, self.resources) < SMALL else np.int64
