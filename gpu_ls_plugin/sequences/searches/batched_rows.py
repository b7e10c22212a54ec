"""Iterated local searches on the host, whose neighbours are evaluated in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.sequences.searches.evaluation import Evaluation
from gpu_ls_plugin.sequences.searches.neighbours import Inserted

if TYPE_CHECKING:
    from collections.abc import Sequence as Several

    from numpy.typing import NDArray

    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.sequences.problem.sequence import Sequence
    from gpu_ls_plugin.sequences.searches.neighbours import Neighbours

STATE = np.dtype(
    [
        ("periods", np.int64),  # number of finished periods
        ("moved", np.int64),  # number of improving moves
        ("resting", np.bool_),  # between two periods
        ("next", np.intp),  # position of the current site in the row's order
        ("failed", np.intp),  # number of sites since the last improvement
        ("place", np.intp),  # first place of the site that is not evaluated yet
        ("uniform", np.float64),  # random number of the acceptance, in (0, 1]
        ("unit", np.float64),  # unit of the acceptance level
        ("found_site", np.intp),  # best neighbour so far; -1 if none is good enough
        ("found_place", np.intp),
        ("found_feasible", np.bool_),
    ]
)


class BatchedRows:
    """Iterated local searches, one for each row, that share the calls of the objective.

    A search consists of periods. The first one is a descent; each later one is a kick, followed by
    a descent. A kick moves random items to random places, and then each of them to its best place.
    A descent visits the items in a random order, again and again, and makes the best move of an
    item if this lowers the cost. It ends when no item has such a move. The next period starts from
    the result of this one if the acceptance rule takes it, and otherwise from the same sequence.

    The random numbers depend on seed, row and period. It does not matter which rows share a call.

    Parameters
    ----------
    problem : Sequence
        Has at least two items that can move.
    rows : int32 array, shape (P, n)
        Checked; not changed.
    seed, first_row : int
        Seed, and number of the first row if the rows are part of a larger population.
    removed : int
        Number of items that a kick moves.
    best : bool
        Whether a descent looks at all items before it makes the best move.

    Attributes
    ----------
    best_rows, best_costs, best_feasible : array
        The best sequences so far, with the costs by which searches compare them. A feasible
        sequence is better than an infeasible one.
    heat, cooling : float
        The acceptance level is ``heat - cooling * kick``, in mean costs per item.
    evaluations, accepted : int
        Number of evaluated neighbours, and of kicks whose results were accepted.
    """

    def __init__(
        self,
        problem: Sequence,
        rows: NDArray[np.int32],
        seed: int,
        first_row: int,
        moves: Several[Neighbours],
        removed: int,
        accept: Acceptance,
        best: bool = False,
    ) -> None:
        self.problem, self.evaluate = problem, Evaluation(problem)
        self._numbers, self._best = (seed, first_row), best
        self._items = np.setdiff1d(np.arange(problem.n), problem.front)
        # A site is a move and an item: the number of the move times n, plus the item. The move of
        # kicks has number 0.
        self._moves, self._sites = (Inserted(), *moves), len(self._items) * len(moves)
        self.removed, self.accept = min(removed, len(self._items)), accept
        self.heat = self.cooling = 0.0
        self.evaluations = self.accepted = 0
        size = len(rows)
        self.state = np.zeros(size, STATE)
        self.state["resting"] = True
        # The sites of kicked items, and then those of a descent.
        self._order = np.zeros((size, self.removed + self._sites), np.int32)
        self._rows, self._kept, self.best_rows = rows.copy(), rows.copy(), rows.copy()
        costs, self._feasible = self.evaluate(rows)
        self._costs, self._kept_costs, self.best_costs = costs, costs.copy(), costs.copy()
        self._found_costs, self.best_feasible = costs.copy(), self._feasible.copy()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def each(self) -> int:
        """Number of neighbours of a row at a site: one for each place of its item."""
        return len(self._items)

    def step(self, rows: NDArray[np.intp], room: int, ahead: int = 0) -> int:
        """Evaluate neighbours of K rows at their current sites, and go on; return how many.

        A row has `each` neighbours at a site.

        Parameters
        ----------
        rows : array, shape (K,)
            Numbers of the rows.
        room : int
            Maximum number of neighbours, at most `evaluate.most`. At least K times `each`, unless K
            is 1.
        ahead : int
            Up to this number of neighbours, the next sites are evaluated in the same call. What
            follows the first improvement is evaluated again later, so results are the same.
        """
        n, state, sites = self.problem.n, self.state, np.ones(len(rows), np.intp)
        self._begin(rows[state["resting"][rows]])
        begin, end = n - self.each, n
        if len(rows) == 1:
            begin = int(state["place"][rows[0]])
            end = min(n, begin + room)
        elif not self._best:  # all places are evaluated again
            self._clear(rows[state["place"][rows] > begin])
        if end - begin == self.each:
            most = max(1, min(room, ahead) // (len(rows) * self.each))
            sites = np.clip(self._ahead(rows), 1, most)
        self._look(rows, sites, np.arange(begin, end)[None])
        state["place"][rows] = end
        if end == n:
            self._finish(rows)
        made = int(sites.sum()) * (end - begin)
        self.evaluations += made
        return made

    def replace(self, rows: NDArray[np.intp], by: NDArray[np.int32]) -> None:
        """Continue K rows from other sequences (K, n), if these are better than the best so far."""
        costs, feasible = self.evaluate(by)
        own, cheaper = self.best_feasible[rows], costs < self.best_costs[rows]
        better = (feasible > own) | ((feasible == own) & cheaper)
        rows, by, costs = rows[better], by[better], costs[better]
        self._rows[rows], self._costs[rows], self._feasible[rows] = by, costs, feasible[better]
        self._kept[rows], self._kept_costs[rows] = by, costs
        self._record(rows)
        self.state["resting"][rows] = True

    def _begin(self, rows: NDArray[np.intp]) -> None:
        """Begin a period of resting rows: draw its random numbers, and move the kicked items."""
        state, removed, (seed, first_row) = self.state, self.removed, self._numbers
        self._rows[rows], self._costs[rows] = self._kept[rows], self._kept_costs[rows]
        kinds = self.problem.n * np.arange(1, len(self._moves))
        for row in rows:
            period = int(state["periods"][row])
            random = np.random.default_rng((seed, first_row + int(row), period))
            items = random.permutation(self._items)
            self._order[row, removed:] = (items[:, None] + kinds).ravel()
            state["uniform"][row] = 1.0 - random.random()
            if period:
                self._order[row, :removed] = self._kick(row, random)
        state["next"][rows] = np.where(state["periods"][rows] > 0, 0, removed)
        state["failed"][rows], state["place"][rows] = 0, self.problem.n - self.each
        state["resting"][rows] = False
        self._clear(rows)

    def _kick(self, row: int, random: np.random.Generator) -> NDArray[np.int32]:
        """Move random items of a row to random places; return these items."""
        own, movable = self._rows[row], self.problem.n - self.each + np.arange(self.each)
        removed, places = random.permutation(movable), random.permutation(movable)
        removed, places = removed[: self.removed], places[: self.removed]
        kicked: NDArray[np.int32] = own[removed]
        rest = np.delete(own, removed)
        own[places], own[np.delete(np.arange(len(own)), places)] = kicked, rest
        return kicked

    def _clear(self, rows: NDArray[np.intp]) -> None:
        """Forget the best neighbours of rows; each kicked item will take its best place."""
        state, costs = self.state, self._costs[rows]
        kicked = state["next"][rows] < self.removed
        highest = np.iinfo(np.int64).max if self.problem.integer else np.inf
        self._found_costs[rows] = np.where(kicked, highest, self.evaluate.threshold(costs))
        state["found_site"][rows] = -1

    def _ahead(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return how many sites of each row to evaluate at once, so that few are in vain."""
        state, sites = self.state[rows], self._sites
        if self._best:
            wanted = self.removed + sites - state["next"]
        else:
            wanted = np.minimum(1 + state["failed"] // 2, sites - state["failed"])
        return np.where(state["next"] < self.removed, 1, wanted)

    def _look(
        self, rows: NDArray[np.intp], sites: NDArray[np.intp], places: NDArray[np.intp]
    ) -> None:
        """Evaluate a number of sites (K,) of each row at the given places (1, m).

        Go on to the first site with an improvement, or else to the last one; note the neighbour.
        """
        state, removed, number = self.state, self.removed, np.arange(sites.sum())
        group, begins = np.repeat(np.arange(len(rows)), sites), np.cumsum(sites) - sites
        at = state["next"][rows[group]] + number - begins[group]  # positions in the orders
        at = np.where(at < removed + self._sites, at, at - self._sites)
        looked_at = self._order[rows[group], at]
        neighbours = self._neighbours(rows[group], looked_at, places)
        costs, feasible = self.evaluate(neighbours.reshape(-1, self.problem.n))
        costs, feasible = costs.reshape(len(group), -1), feasible.reshape(len(group), -1)
        place = costs.argmin(axis=1)  # the first of several
        best, feasible = costs[number, place], feasible[number, place]
        better = best < self._found_costs[rows[group]]
        by = best if self._best else ~better
        taken = np.lexsort((by, group))[begins]  # the first of each row's sites that is least
        hit, last = better[taken], begins + sites - 1
        end = last if self._best else np.where(hit, taken, last)
        state["next"][rows] = at[end]
        state["failed"][rows] += end - begins
        taken, rows = taken[hit], rows[hit]
        self._found_costs[rows], state["found_feasible"][rows] = best[taken], feasible[taken]
        state["found_site"][rows] = looked_at[taken]
        state["found_place"][rows] = places[0, place[taken]]

    def _neighbours(
        self, rows: NDArray[np.intp], sites: NDArray[Any], places: NDArray[np.intp]
    ) -> NDArray[np.int32]:
        """Return the neighbours of each row at its site, for places (K, m) or (1, m)."""
        n, own = self.problem.n, self._rows[rows]
        move, item = np.divmod(sites, n)
        at = (own == item[:, None]).argmax(axis=1)
        found = np.empty((len(rows), places.shape[1], n), np.int32)
        for number in np.unique(move):
            those = move == number
            some = places[those] if len(places) > 1 else places
            found[those] = self._moves[number](own[those], at[those], some)
        return found

    def _finish(self, rows: NDArray[np.intp]) -> None:
        """Make the moves that were found at the current sites, and go on to the next sites."""
        state, removed = self.state, self.removed
        kicked = state["next"][rows] < removed
        last = state["next"][rows] == removed + self._sites - 1
        ready = kicked | last if self._best else np.ones(len(rows), np.bool_)
        made = ready & (state["found_site"][rows] >= 0)
        self._move(rows[made])
        improved = made & ~kicked
        state["moved"][rows[improved]] += 1
        state["failed"][rows] = np.where(improved | kicked, 0, state["failed"][rows] + 1)
        state["next"][rows] = np.where(last, removed, state["next"][rows] + 1)
        state["place"][rows] = self.problem.n - self.each
        self._clear(rows[ready])
        self._end(rows[state["failed"][rows] == self._sites])

    def _move(self, rows: NDArray[np.intp]) -> None:
        """Make the best move that was found for each row."""
        if not len(rows):
            return
        state, places = self.state, self.state["found_place"][rows]
        made = self._neighbours(rows, state["found_site"][rows], places[:, None])
        self._rows[rows], self._costs[rows] = made[:, 0], self._found_costs[rows]
        self._feasible[rows] = state["found_feasible"][rows]
        self._record(rows)

    def _record(self, rows: NDArray[np.intp]) -> None:
        """Note which of these rows are better than the best ones so far."""
        feasible, best = self._feasible[rows], self.best_feasible[rows]
        cheaper = self._costs[rows] < self.evaluate.threshold(self.best_costs[rows])
        better = rows[(feasible > best) | ((feasible == best) & cheaper)]
        self.best_rows[better], self.best_costs[better] = self._rows[better], self._costs[better]
        self.best_feasible[better] = self._feasible[better]

    def _end(self, rows: NDArray[np.intp]) -> None:
        """End the period of rows, and choose the sequences with which the next one starts."""
        state = self.state[rows]
        first, kicks = state["periods"] == 0, state["periods"] - 1
        rise = self._costs[rows] - self._kept_costs[rows]
        level = (self.heat - self.cooling * kicks) * state["unit"]
        taken = self.accept.takes(rise, np.maximum(level, 0.0), state["uniform"])
        kept = rows[first | taken]
        self.accepted += int(np.count_nonzero(taken & ~first))
        self._kept[kept], self._kept_costs[kept] = self._rows[kept], self._costs[kept]
        units = np.abs(self._costs[rows]) / self.problem.n
        self.state["unit"][rows] = np.where(first, units, state["unit"])
        self.state["periods"][rows] += 1
        self.state["resting"][rows] = True
