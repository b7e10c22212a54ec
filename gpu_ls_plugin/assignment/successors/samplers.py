"""Samplers and orders: how a value is chosen, and which variable is next."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.former_parts import RemovedValue, present_value

SAMPLERS = {"stored": "gls::Stored", "rescan": "gls::Rescan"}  # C++ templates over the heuristic
REMOVED = {"softmax": RemovedValue("auto", "'stored' and 'rescan' are about three times as fast")}
MOST_STORED = 48 << 10  # most bytes of ratings that "auto" stores (docs/papers/paper004.md)


@dataclass(frozen=True)
class Order:
    """An order in which variables are assigned."""

    functor: str  # C++ type
    variable_bytes: int = 0  # scratch bytes per variable for its place in the order
    draw_bytes: int = 8  # scratch bytes per variable for the random bits that choose its value


ORDERS = {
    "given": Order("gls::GivenOrder"),
    "shuffled": Order("gls::ShuffledOrder", variable_bytes=4),
    "keys": Order("gls::KeyOrder", draw_bytes=0),
}
DRAWN = ("given", "shuffled")  # orders in which values are chosen with random numbers


def known_sampler(parameter: str, name: str) -> str:
    """Return the name of a sampler, or raise; for a removed one, warn and return another."""
    name = present_value(parameter, name, REMOVED, stacklevel=6)
    return checks.choice(parameter, name, known=("auto", *SAMPLERS))
