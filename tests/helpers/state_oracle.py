"""Steps by single moves, with costs from scratch: slow, and independent of the library's code."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from tests.helpers.chain_oracle import RULES
from tests.helpers.philox import WORD, philox

if TYPE_CHECKING:
    from collections.abc import Iterator

TABU, PROPOSAL = 16, 20  # purposes of random numbers
LEVELS = 64  # of a rule in a round
UNIT = 4096  # units of penalty for one unit of cost

Move = tuple[bool, int, int]  # is it a swap; variable; value or other variable


def worth(problem: Any, state: list[int]) -> tuple[int, int]:
    """Return the excess and the cost of a state."""
    row = np.array([state])
    loads = problem.loads(row) - problem.capacities if hasattr(problem, "capacities") else 0
    return int(np.maximum(loads, 0).sum()), int(problem.cost(row)[0])


def made(state: list[int], move: Move) -> list[int]:
    """Return the state after a move."""
    swaps, variable, other = move
    after = list(state)
    after[variable] = state[other] if swaps else other
    if swaps:
        after[other] = state[variable]
    return after


def moves_of(problem: Any, state: list[int], movable: list[int]) -> Iterator[Move]:
    """Yield all moves of some variables."""
    if "assign" in problem.moves:
        for variable in movable:
            for value in range(problem.sizes[variable]):
                if value != state[variable]:
                    yield False, variable, value
    if "swap" in problem.moves:
        yield from ((True, a, b) for a, b in combinations(movable, 2) if state[a] != state[b])


def movable_of(problem: Any, state: list[int]) -> list[int]:
    """Return the variables that may change; for a graph, its vertices in conflict."""
    if not isinstance(problem, gls.GraphColouring):
        return list(range(problem.n))
    wrong = {v for edge in problem.edges if len({state[v] for v in edge}) == 1 for v in edge}
    return sorted(map(int, wrong))


def lot(move: Move, salt: int) -> int:
    """Return the number that breaks ties of rank."""
    _, variable, other = move
    return ((variable * 0x9E3779B1 ^ other * 0x85EBCA77) % WORD ^ salt) * 0xC2B2AE3D % WORD


def tabu_search(
    problem: Any, state: list[int], steps: int, tenure: Any, *, seed: int, row: int
) -> tuple[list[int], list[int]]:
    """Return the state after some steps of the first round, and the best state."""
    state, penalty = list(state), round(UNIT * problem.penalty)
    until: dict[tuple[int, int], int] = {}
    now = best = worth(problem, state)
    winner = state
    for step in range(steps):
        movable = movable_of(problem, state)
        salt, _, _, longer = (
            n for n, _ in zip(philox(seed, TABU, row, step), range(4), strict=False)
        )
        ranked = []
        for move in moves_of(problem, state, movable):
            after = made(state, move)
            then = worth(problem, after)
            rank = (then[1] - now[1]) * UNIT + (then[0] - now[0]) * penalty
            changed = [v for v in range(problem.n) if after[v] != state[v]]
            is_tabu = all(until.get((v, after[v]), 0) > step for v in changed)
            if is_tabu and not then < best:
                rank += 2**61
            ranked.append((rank, lot(move, salt), move[1:], move[0], after, then))
        if not ranked:
            break
        *_, after, now = min(ranked)
        wait = tenure.least + (longer * tenure.spread >> 32)
        wait += len(movable) * round(256 * tenure.per_variable) >> 8
        until |= {(v, state[v]): step + 1 + wait for v in range(problem.n) if after[v] != state[v]}
        state = after
        if now < best:
            best, winner = now, state
        penalty = penalty + penalty // 256 + 1 if now[0] > 0 else penalty // 2
    return state, winner


def proposal(problem: Any, state: list[int], movable: list[int], bits: Any) -> Move | None:
    """Return the move that random numbers select; None if it changes nothing."""
    variable = movable[next(bits) * len(movable) // WORD]
    other, kinds = next(bits), problem.moves
    swaps = kinds == ("swap",) or (len(kinds) == 2 and next(bits) >= WORD // 2)
    sizes = problem.sizes
    if not swaps:
        value = other * int(sizes[variable]) // WORD
        return None if value == state[variable] else (False, variable, value)
    second = other * problem.n // WORD
    mine, its = state[variable], state[second]
    fits = mine != its and its < sizes[variable] and mine < sizes[second]
    return (True, variable, second) if fits else None


def accepted_search(
    problem: Any, state: list[int], steps: int, rule: str, level: Any, *, seed: int, row: int
) -> tuple[list[int], list[int], int]:
    """Return the state after the first round, the best state, and the number of drawn moves."""
    f = np.float32
    state, penalty, drawn = list(state), round(UNIT * problem.penalty), 0
    now = best = worth(problem, state)
    scale = f(f(abs(now[1])) / f(problem.n)) * f(UNIT)
    winner = state
    for step in range(steps):
        movable = movable_of(problem, state)
        if not movable:
            break
        highest = scale * f(level(step * LEVELS // steps / LEVELS))
        for number in range(200):
            bits = philox(seed, PROPOSAL, row, step * 2**24 + number)
            drawn += 1
            move = proposal(problem, state, movable, bits)
            if move is None:
                continue
            after = made(state, move)
            then = worth(problem, after)
            rise = (then[1] - now[1]) * UNIT + (then[0] - now[0]) * penalty
            if RULES[rule](rise, highest, next(bits)):
                state, now = after, then
                if now < best:
                    best, winner = now, state
                penalty += penalty // 256 + 1 if now[0] > 0 else -(penalty // 256)
                break
    return state, winner, drawn
