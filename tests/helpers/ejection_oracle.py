"""Ejection chains on lists, with loads from scratch: slow, no code shared with the library."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tests.helpers.chain_oracle import philox
from tests.helpers.tabu_oracle import worth

WORD, KICK, UNIT = 2**32, 19, 4096
LINKS, VISITS, GROUP = 4, 64, 32


class Instance:
    """A problem with its rates and what is likely, as its functor is told."""

    def __init__(self, problem: Any) -> None:
        _, _, _, rates, begins, likely = problem.words()
        self.problem, self.rates = problem, rates.tolist()
        self.starts = [tuple(pair) for pair in likely.tolist()]
        self.likely = [[value for _, value in self.starts[a:b]] for a, b in pairwise(begins)]

    def over(self, state: list[int]) -> list[int]:
        return (self.problem.loads([state])[0] - self.problem.capacities).tolist()

    def taken(self, variable: int, value: int) -> int:
        return int(self.problem.resources[variable, value])

    def priced(self, variable: int, value: int) -> int:
        cost = int(self.problem.costs[variable, value])
        return UNIT * cost + self.rates[value] * self.taken(variable, value)


def room(instance: Instance, prices: list[int], value: int, over: int) -> int:
    """What a value costs that is so much over its room."""
    rate = instance.rates[value]
    return max(prices[value] - rate, 0) * over if over > 0 else -rate * over


def best_chain(
    instance: Instance, lists: list[list[int]], over: list[int], prices: list[int], start: int
) -> tuple[int, list[tuple[int, int]]]:
    """The best chain with a first link, and what it gains."""
    first, to = instance.starts[start]
    source = next(value for value, members in enumerate(lists) if first in members)
    best: tuple[int, list[tuple[int, int]]] = (0, [])
    if to == source:
        return best
    visits = 0
    left = over[source] - instance.taken(first, source)

    def price(value: int, much: int) -> int:
        return room(instance, prices, value, much)

    def go(chain: list[tuple[int, int]], variable: int, value: int, gain: int) -> None:
        nonlocal best
        gain -= instance.priced(variable, value)
        chain = [*chain, (variable, value)]
        more = instance.taken(variable, value)
        if len(chain) > 1 and value == source:
            total = gain - price(source, left + more)
            best = (total, chain) if total > best[0] else best
            return
        gain += price(value, over[value])
        if gain <= best[0]:
            return
        filled = over[value] + more
        total = gain - price(value, filled) - price(source, left)
        best = (total, chain) if total > best[0] else best
        if len(chain) < LINKS:
            eject(chain, value, filled, gain)

    def eject(chain: list[tuple[int, int]], full: int, filled: int, gain: int) -> None:
        nonlocal visits
        for variable in lists[full]:
            visits += 1
            if visits > VISITS:
                return
            rest = gain - price(full, filled - instance.taken(variable, full))
            if rest <= best[0]:
                continue
            for value in instance.likely[variable]:
                if value not in [been for _, been in chain]:
                    go(chain, variable, value, rest + instance.priced(variable, full))

    go([], first, to, price(source, over[source]) + instance.priced(first, source))
    return best


def repaired(instance: Instance, state: list[int], prices: list[int], begin: int) -> list[int]:
    """A state from which no chain gains."""
    lists = [
        [v for v, own in enumerate(state) if own == value] for value in range(len(instance.rates))
    ]
    starts = len(instance.starts)
    groups = -(-starts // GROUP)
    group, idle = begin % groups, 0
    while idle < groups:
        over = instance.over(state)
        found = [
            best_chain(instance, lists, over, prices, start)
            for start in range(group * GROUP, min(starts, group * GROUP + GROUP))
        ]
        gain, chain = max(found, key=lambda one: one[0])
        if gain == 0:
            group, idle = (group + 1) % groups, idle + 1
            continue
        for variable, value in chain:
            lists[state[variable]].remove(variable)
            lists[value].insert(0, variable)
            state[variable] = value
        group, idle = (group + 1) % groups, 0
    return state


def learned(prices: list[int], over: list[int], most: int) -> list[int]:
    """What excess costs after a state."""
    largest = max(over)
    if largest <= 0:
        found = [price - price // 10 for price in prices]
    else:
        found = [
            price + (price // 100 + 1) * (max(o, 0) * 1024 // largest) // 1024
            for price, o in zip(prices, over, strict=True)
        ]
    return [min(max(price, 1), most) for price in found]


def chain_search(
    problem: Any, state: list[int], steps: int, kicks: int, *, seed: int, row: int
) -> tuple[list[int], list[int]]:
    """The state after the steps of a first round, and the best one on the way."""
    instance = Instance(problem)
    prices = [round(UNIT * problem.penalty)] * len(instance.rates)
    most = 2**60 // max(1, int(problem.resources.max(axis=1).sum()))
    best, winner = worth(problem, state), list(state)
    for step in range(steps):
        bits = philox(seed, KICK, row, step * 256)
        begin, tried = next(bits) // 2, list(state)
        if step > 0:
            for _ in range(1 + next(bits) * kicks // WORD):
                variable = next(bits) * len(state) // WORD
                own = instance.likely[variable]
                tried[variable] = own[next(bits) * len(own) // WORD]
        tried = repaired(instance, tried, prices, begin)
        prices = learned(prices, instance.over(tried), most)
        costs = []
        for one in (state, tried):
            broken = np.maximum(instance.over(one), 0).tolist()
            priced = sum(p * b for p, b in zip(prices, broken, strict=True))
            costs.append(UNIT * worth(problem, one)[1] + priced)
        if costs[1] <= costs[0]:
            state = tried
        if worth(problem, tried) < best:
            best, winner = worth(problem, tried), tried
    return list(state), winner
