"""`RouteMoves`, and `SwapStar` on linked lists, computed on plain lists of customers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.structs import enumerators
from gpu_ls_plugin.routes.problem.routing import hard_penalties

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


Routes = list[list[int]]
Step = tuple[float, Routes, set[int]]  # change of cost, new routes, customers to re-examine
MOVES = enumerators("routes/moves/route_links.cuh", "RouteMove")["kRouteMoves"]
EACH = 4  # numbers for the trades of a pair, as in gls::RouteSwapStar


def outcomes(routes: Routes, c: int, v: int, *, symmetric: bool) -> Iterator[tuple[int, Routes]]:
    """Yield the numbers of all moves of customer c next to customer v, and the new routes."""
    here, there = (next(k for k, r in enumerate(routes) if x in r) for x in (c, v))
    own, other = routes[here], routes[there]
    i, j = own.index(c), other.index(v)
    p, s = own[i - 1] if i else None, own[i + 1] if i + 1 < len(own) else None
    u, w = other[j - 1] if j else None, other[j + 1] if j + 1 < len(other) else None

    def moved(group: Sequence[int], behind: bool) -> Routes:
        left = [[x for x in route if x not in group] for route in routes]
        at = left[there].index(v) + behind
        left[there][at:at] = group
        return left

    def swapped(a: int, b: int) -> Routes:
        return [[{a: b, b: a}.get(x, x) for x in route] for route in routes]

    def instead(one: list[int], two: list[int]) -> Routes:
        return [{here: one, there: two}.get(k, route) for k, route in enumerate(routes)]

    if v != p:
        yield 0, moved([c], True)
    if v != s:
        yield 1, moved([c], False)
    if s is not None and v != s:
        if v != p:
            yield 2, moved([c, s], True)
        if symmetric and u != s:
            yield 3, moved([s, c], False)
    if p is not None and v != p:
        if v != s:
            yield 4, moved([p, c], False)
        if symmetric and w != p:
            yield 5, moved([c, p], True)
    if w is not None and w not in (c, p):
        yield 6, swapped(c, w)
    if u is not None and u not in (c, s):
        yield 7, swapped(c, u)
    if here != there:
        yield 8, instead(own[: i + 1] + other[j:], other[:j] + own[i + 1 :])
        yield 9, instead(own[:i] + other[j + 1 :], other[: j + 1] + own[i:])
        if symmetric:
            heads = own[: i + 1] + other[j::-1]
            yield 10, instead(heads, own[:i:-1] + other[j + 1 :])
            yield 11, instead(own[:i] + other[:j][::-1], own[i:][::-1] + other[j:])
    elif symmetric and v not in (s, p):
        low, high = min(i, j), max(i, j)
        for number, begin, end in ((10, low + 1, high + 1), (11, low, high)):
            turned = own[:begin] + own[begin:end][::-1] + own[end:]
            yield number, [turned if k == here else route for k, route in enumerate(routes)]


def woken(routes: Routes, c: int, v: int, move: int) -> set[int]:
    """Return the customers to examine again after a move."""
    ends = {}
    for x in (c, v):
        route = next(r for r in routes if x in r)
        padded = [0, 0, *route, 0, 0]
        at = route.index(x) + 2
        ends[x] = padded[at - 2], padded[at - 1], padded[at + 1], padded[at + 2]
    far = {2: ends[c][3], 3: ends[c][3], 4: ends[c][0], 5: ends[c][0]}
    far |= {6: ends[v][3], 7: ends[v][0]}
    return {c, v, *ends[c][1:3], *ends[v][1:3], far.get(move, 0)} - {0}


Trade = tuple[int, Routes, list[int], list[int], set[int]]


def trades(routes: Routes, c: int, v: int, length: list[list[int]]) -> Iterator[Trade]:
    """Yield the trades of customer c with v and with v's neighbours.

    A trade has a number, new routes, the changes of length by the two removals, those by the two
    insertions (v's route first), and the customers to examine again.
    """
    here, there = (next(k for k, r in enumerate(routes) if x in r) for x in (c, v))
    if here == there:
        return
    at = routes[there].index(v)
    for number, place in enumerate((at, at - 1, at + 1)):
        if not 0 <= place < len(routes[there]):
            continue
        w, traded, woken = routes[there][place], list(routes), set()
        less, adds = [], []
        for route, leaves, joins in ((there, w, c), (here, c, w)):
            own = [0, *routes[route], 0]
            p, _, s = around = own[own.index(leaves) - 1 :][:3]
            less.append(length[p][s] - length[p][leaves] - length[leaves][s])
            own.remove(leaves)
            more = [length[a][joins] + length[joins][b] - length[a][b] for a, b in pairwise(own)]
            adds.append(min(more))
            to = more.index(adds[-1]) + 1
            woken |= {*around, own[to - 1], own[to]}
            traded[route] = [*own[1:to], joins, *own[to:-1]]
        yield number, traded, less, adds, woken - {0}


def descend(
    problem: gls.CVRP, tour: np.ndarray, k: int, *, swap_star: bool = False
) -> tuple[Routes, list[int]]:
    """Return the routes of a local optimum, and the number of moves of each kind.

    Parameters
    ----------
    problem : CVRP
        With integer lengths.
    tour : ndarray, shape (n,)
    k : int
        Number of nearest nodes that are candidates.
    swap_star : bool
        Whether a customer without another move tries trades.
    """
    near = gls.Nearest(k).on(get_backend("cpu"), problem.nodes)[0]
    words = -(-problem.n // 32)
    customers = range(1, problem.customers + 1)
    place_of = {c: c % words * 32 + c // words for c in customers}
    customer_at = {place: c for c, place in place_of.items()}
    routes, sweep = problem.routes(tour), 0

    nodes = problem.customers + 1
    length = problem.nodes.lengths(*np.indices((nodes, nodes))).tolist()
    demands, services = problem.demands.tolist(), problem.service_times.tolist()
    limit = np.inf if problem.route_limit is None else problem.route_limit
    due = problem.penalties or hard_penalties(problem)

    def driven(of: Routes) -> int:
        return sum(length[a][b] for route in of for a, b in pairwise([0, *route, 0]))

    def paid(of: Routes) -> float:  # without the fleet, which moves ignore
        total = 0.0
        for route in of:
            load = sum(demands[c] for c in route) - problem.capacity
            late = driven([route]) + sum(services[c] for c in route) - limit
            total += due.load * max(0, load) + due.duration * max(0, late)
        for part in problem.resources:
            row = problem.tour([route for route in of if route])
            price = due.resources.get(part.name, part.weight(problem))
            total += price * float(part.excess(problem, row[np.newaxis])[0])
        return total

    def gain(of: Routes) -> float:
        """Return the change of cost, endless if hard constraints are violated more than before."""
        pays, paid_now = paid(of), now - driven(routes)
        if problem.penalties is None and pays > paid_now:
            return np.inf
        return driven(of) + pays - now

    def alone(c: int) -> list[Step]:
        most = problem.copies if problem.fleet is None else problem.fleet
        (own,) = (route for route in routes if c in route)
        if len(routes) == most or len(own) == 1:
            return []
        left = [[x for x in route if x != c] for route in routes]
        at = own.index(c)
        return [(gain([*left, [c]]), [*left, [c]], {c, *own[max(0, at - 1) : at + 2]})]

    def overload(of: Routes) -> float:
        loads = (sum(demands[c] for c in route) for route in of)
        return due.load * sum(max(0, load - problem.capacity) for load in loads)

    def best_trade(c: int) -> list[Step]:
        options: list[tuple[float, int, Routes, set[int]]] = [(0, 0, [], set())]
        for rank, v in enumerate(near[c]):
            if v in (0, c):
                continue
            for number, found, less, adds, again in trades(routes, c, int(v), length):
                sure = driven(routes) - now + sum(less) + overload(found)
                if sure < 0 and sure + adds[0] < 0:
                    options.append((gain(found), rank * EACH + number, found, again))
        least, _, found, again = min(options, key=lambda option: option[:2])
        return [(least, found, again)]

    def best_move(c: int) -> list[Step]:
        options: list[tuple[float, int, int, Routes]] = []
        for rank, v in enumerate(near[c]):
            if v in (0, c):
                continue
            for number, found in outcomes(routes, c, int(v), symmetric=problem.reversible):
                options.append((gain(found), rank * MOVES + number, int(v), found))
        best = min(options, key=lambda option: option[:2], default=None)
        if best and best[0] < 0:
            least, index, v, found = best
            return [(least, found, woken(routes, c, v, index % MOVES))]
        return alone(c)

    now = driven(routes) + paid(routes)
    kinds = [best_move, best_trade] if swap_star else [best_move]
    moves = [0] * len(kinds)
    waits = [set(customer_at), *(set() for _ in kinds[1:])]
    while any(waits):
        kind = next(kind for kind, some in enumerate(waits) if some)
        place = min(waits[kind], key=lambda x: (x < sweep, x))
        waits[kind].discard(place)
        sweep, c = (place + 1) % (32 * words), customer_at[place]
        made = [step for step in kinds[kind](c) if step[0] < 0]
        for change, found, again in made:
            waits[0] |= {place_of[x] for x in again}
            routes, now = [r for r in found if r], now + change
            moves[kind] += 1
        if not made and kind + 1 < len(kinds):
            waits[kind + 1].add(place)
    return routes, moves
