"""DEAP's variation by crossover and mutation, with batched calls of this package's operators."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from gpu_ls_deap.individuals import invalidate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def var_and(population: Sequence[Any], toolbox: Any, cxpb: float, mutpb: float) -> list[Any]:
    """Vary clones of individuals as ``deap.algorithms.varAnd`` does, in batches.

    Neighbours in the list are mated with probability `cxpb`, and each individual is mutated with
    probability `mutpb`. Operators of gpu_ls_deap get all drawn individuals in one call; other
    operators get one individual or pair per call.

    Parameters
    ----------
    population : sequence of individuals
        Not changed.
    toolbox : deap.base.Toolbox
        A toolbox with ``clone``, ``mate`` and ``mutate``.
    cxpb, mutpb : float
        Probabilities of mating a pair and of mutating an individual.

    Returns
    -------
    list of individuals
        Varied individuals have no valid fitness.
    """
    offspring = [toolbox.clone(individual) for individual in population]
    _mate(offspring, toolbox.mate, cxpb)
    _mutate(offspring, toolbox.mutate, mutpb)
    return offspring


def _mate(offspring: list[Any], mate: Any, cxpb: float) -> None:
    """Mate neighbours (in place), each pair with probability `cxpb`."""
    batch, pairs = _batch(mate), []
    for i in range(1, len(offspring), 2):
        if random.random() < cxpb:
            if batch is None:
                offspring[i - 1], offspring[i] = mate(offspring[i - 1], offspring[i])
            pairs.append((offspring[i - 1], offspring[i]))
    if batch is not None:
        batch(pairs)
    for individual in (one for pair in pairs for one in pair):
        invalidate(individual)


def _mutate(offspring: list[Any], mutate: Any, mutpb: float) -> None:
    """Mutate individuals (in place), each with probability `mutpb`."""
    batch, drawn, others = _batch(mutate), [], []
    for i, individual in enumerate(offspring):
        if random.random() >= mutpb:
            others.append(individual)
            continue
        if batch is None:
            (offspring[i],) = mutate(individual)
        invalidate(offspring[i])
        drawn.append(offspring[i])
    if batch is not None:
        batch(drawn, others)


def _batch(registered: Any) -> Callable[..., Any] | None:
    """Return an operator's `batch`; None if it has none, or if arguments are also registered."""
    if getattr(registered, "args", None) or getattr(registered, "keywords", None):
        return None
    return getattr(getattr(registered, "func", None), "batch", None)
