"""Checks of parameters that pymoo's own operators also have."""

from __future__ import annotations

from typing import Any

from pymoo.core.variable import Real

from gpu_ls_plugin.core import checks


def probability(value: Any) -> Real:
    """Return a probability as a pymoo `Real`; raise unless it is between 0 and 1.

    A `Real` is returned unchanged, so that pymoo can set it; it may have no value yet.
    """
    given = value.get() if isinstance(value, Real) else value
    if given is not None or value is None:
        given = checks.number("prob", given, least=0, most=1)
    return value if isinstance(value, Real) else Real(given, bounds=(0.0, 1.0))
