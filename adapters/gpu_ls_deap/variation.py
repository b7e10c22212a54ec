"""DEAP's crossover-and-mutation variation with whole batches where operators have them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from gpu_ls_deap.individuals import invalidate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def var_and(population: Sequence[Any], toolbox: Any, cxpb: float, mutpb: float) -> list[Any]:
    """Vary clones of individuals as ``deap.algorithms.varAnd`` does, by batches.

    Neighbours in the list are mated with probability `cxpb`, and each individual is mutated with
    probability `mutpb`. Registered operators of gpu_ls_deap get all that was drawn in one call;
    others are called one by one.

    Parameters
    ----------
    population : sequence of individuals
        Not changed.
    toolbox : deap.base.Toolbox
        With ``clone``, ``mate`` and ``mutate``.
    cxpb, mutpb : float
        Probabilities of mating a pair and of mutating an individual.

    Returns
    -------
    list of individuals
        Those that were varied have no valid fitness.
    """
    offspring = [toolbox.clone(individual) for individual in population]
    pairs = [i for i in range(1, len(offspring), 2) if random.random() < cxpb]
    mate = _batch(toolbox.mate)
    if mate is not None:
        mate([(offspring[i - 1], offspring[i]) for i in pairs])
    for i in pairs:
        if mate is None:
            offspring[i - 1], offspring[i] = toolbox.mate(offspring[i - 1], offspring[i])
        invalidate(offspring[i - 1])
        invalidate(offspring[i])

    drawn = [i for i in range(len(offspring)) if random.random() < mutpb]
    mutate = _batch(toolbox.mutate)
    for i in drawn:
        invalidate(offspring[i])
        if mutate is None:
            (offspring[i],) = toolbox.mutate(offspring[i])
            invalidate(offspring[i])
    if mutate is not None:
        chosen = set(drawn)
        others = [one for i, one in enumerate(offspring) if i not in chosen]
        mutate([offspring[i] for i in drawn], others)
    return offspring


def _batch(registered: Any) -> Callable[..., Any] | None:
    """Return the `batch` of a registered operator, if it has one and no more arguments."""
    if getattr(registered, "args", None) or getattr(registered, "keywords", None):
        return None
    return getattr(getattr(registered, "func", None), "batch", None)
