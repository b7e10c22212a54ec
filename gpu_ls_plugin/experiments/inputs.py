"""What adapters are given for an experiment, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError


def named(parameter: str, given: Any, name_of: Callable[[Any], str]) -> dict[str, Any]:
    """Return a mapping by names; those of a list come from its entries."""
    if isinstance(given, Mapping):
        pairs = [(checks.text(parameter, name), item) for name, item in given.items()]
    elif isinstance(given, Iterable):
        pairs = [(name_of(item), item) for item in given]
    else:
        raise InvalidTypeError(f"{parameter}: {given!r} is neither a mapping nor a list")
    if not pairs:
        raise InvalidParameterError(f"{parameter}: there is none")
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InvalidParameterError(
            f"{parameter}: {twice[0]!r} is the name of more than one; pass a mapping of names"
        )
    return dict(pairs)


def seeds(given: Any) -> tuple[int, ...]:
    """Return so many seeds from 1 on, or the given ones."""
    if isinstance(given, Iterable):
        found = tuple(checks.integer("seeds", seed, least=0) for seed in given)
    else:
        found = tuple(range(1, 1 + checks.integer("seeds", given, least=1)))
    if not found or len(set(found)) < len(found):
        raise InvalidParameterError(f"seeds: {given!r} is empty, or holds a seed twice")
    return found
