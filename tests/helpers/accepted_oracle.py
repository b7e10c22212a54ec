"""Steps by an acceptance rule, with costs from scratch: slow, and independent of the library."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.helpers.chain_oracle import RULES
from tests.helpers.philox import WORD, philox
from tests.helpers.tabu_oracle import UNIT, Move, made, movable_of, worth

PROPOSAL, LEVELS = 20, 64  # purpose of random numbers; levels of a round


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
