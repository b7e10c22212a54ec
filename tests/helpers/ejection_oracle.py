"""Ejection chains with loads from scratch: slow, and independent of the library's code."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gpu_ls_plugin.assignment.engines.searched_states import FEW
from tests.helpers.philox import WORD, philox
from tests.helpers.state_oracle import UNIT, worth

Links = list[tuple[int, int]]  # variables and their new values

KICK = 19  # purpose of random numbers
LINKS, GROUP = 4, 32  # links of a chain; variables of a group
TRIES = (4, 2, 1)  # links of a group with which a chain continues, by its length


class Instance:
    """A problem with the rates and likely values that its functor gets."""

    def __init__(self, problem: Any) -> None:
        few = problem.n * problem.agents <= FEW  # rounds then consider all agents
        words = (problem.relaxed_words() if few else None) or problem.words()
        _, _, _, rates, begins, likely = words
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
    """Return the price of a value whose load exceeds its room by `over`."""
    rate = instance.rates[value]
    return max(prices[value] - rate, 0) * over if over > 0 else -rate * over


class Scout:
    """Looks for the best chain that begins with one of some moves."""

    def __init__(
        self, instance: Instance, state: list[int], lists: list[list[int]], prices: list[int]
    ) -> None:
        self.instance, self.state, self.lists, self.prices = instance, state, lists, prices
        self.over = instance.over(state)
        self.gain, self.chain = 0, Links()

    def room(self, value: int, over: int) -> int:
        return room(self.instance, self.prices, value, over)

    def look(self, starts: list[tuple[int, int]]) -> None:
        """Examine all chains of a group of first links."""
        links = []
        for first, to in starts:
            source = self.state[first]
            gain = self.room(source, self.over[source]) + self.instance.priced(first, source)
            links.append([(first, to, gain)] if to != source else [])
        self.extend([], links)

    def extend(
        self, chain: list[tuple[int, int]], groups: list[list[tuple[int, int, int]]]
    ) -> None:
        """Examine the next links of several variables, and continue with the best ones."""
        level, before = len(chain), self.gain
        ends, opens = [], []
        for number, links in enumerate(groups):
            ways = []
            for variable, to, gain in links:
                source = self.state[chain[0][0] if chain else variable]
                left = self.over[source] - self.instance.taken(
                    chain[0][0] if chain else variable, source
                )
                more = self.instance.taken(variable, to)
                gain -= self.instance.priced(variable, to)
                if chain and to == source:
                    ends.append((self.room(to, left + more), gain, number, variable, to, 0))
                    continue
                gain += self.room(to, self.over[to])
                if gain > before:
                    filled = self.room(to, self.over[to] + more)
                    ends.append((filled, gain, number, variable, to, self.room(source, left)))
                    ways.append((gain, variable, to))
            if ways:
                best = max(ways, key=lambda way: way[0])
                opens.append((-best[0], number, best))
        for filled, gain, _, variable, to, left in ends:
            if gain - filled - left > self.gain:
                self.gain, self.chain = gain - filled - left, [*chain, (variable, to)]
        if level == LINKS - 1:
            return
        for _, _, (gain, variable, to) in sorted(opens)[: TRIES[level]]:
            if gain > self.gain:
                self.eject([*chain, (variable, to)], gain)

    def eject(self, chain: Links, gain: int) -> None:
        """Extend a chain by a variable that leaves the value that the last link has filled."""
        last, full = chain[-1]
        over = self.over[full] + self.instance.taken(last, full)
        members = self.lists[full]
        for base in range(0, len(members), GROUP):
            links, before = [], self.gain
            for variable in members[base : base + GROUP]:
                rest = gain - self.room(full, over - self.instance.taken(variable, full))
                links.append(
                    [
                        (variable, to, rest + self.instance.priced(variable, full))
                        for to in self.instance.likely[variable]
                        if rest > before and to not in [been for _, been in chain]
                    ]
                )
            self.extend(chain, links)


def repaired(instance: Instance, state: list[int], prices: list[int], begin: int) -> list[int]:
    """Return a state in which no chain has a gain."""
    lists = [
        [v for v, own in enumerate(state) if own == value] for value in range(len(instance.rates))
    ]
    starts = len(instance.starts)
    groups = -(-starts // GROUP)
    group, idle = begin % groups, 0
    while idle < groups:
        scout = Scout(instance, state, lists, prices)
        scout.look(instance.starts[group * GROUP : group * GROUP + GROUP])
        group, idle = (group + 1) % groups, idle + 1
        for variable, value in scout.chain:
            members = lists[state[variable]]
            members[members.index(variable)] = members[-1]
            members.pop()
            lists[value].append(variable)
            state[variable] = value
            idle = 0
    return state


def learned(prices: list[int], over: list[int], most: int) -> list[int]:
    """Return the prices of excess after a state."""
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
    """Return the state after the first round, and the best state."""
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
