"""Samplers and orders: how a value is chosen, and which variable is next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sampler:
    """A way to choose a value by weight."""

    functor: str  # C++ template of the heuristic
    header: str
    ratings: int = 0  # how many of a value are stored

    def own_bytes(self, most: int, rating_bytes: int) -> int:
        """Return the memory that up to `most` values need."""
        return most * self.ratings * rating_bytes


@dataclass(frozen=True)
class Order:
    """An order in which variables are assigned."""

    functor: str  # C++ type
    variable_bytes: int = 0  # its memory for each variable
    draw_bytes: int = 8  # of a random number that chooses a value, where none is given


SAMPLERS = {
    "stored": Sampler("gls::Stored", "assignment/successors/stored.cuh", ratings=1),
    "rescan": Sampler("gls::Rescan", "assignment/successors/rescan.cuh"),
    "softmax": Sampler("gls::Softmax", "assignment/successors/softmax.cuh"),
}
MOST_STORED = 48 << 10  # bytes of ratings that "stored" is the fastest for

ORDERS = {
    "given": Order("gls::GivenOrder"),
    "shuffled": Order("gls::ShuffledOrder", 4),
    "keys": Order("gls::KeyOrder", draw_bytes=0),
}
DRAWN = ("given", "shuffled")  # orders whose values are chosen by random numbers
BY_SUMS = ("auto", "rescan", "stored")  # samplers that choose by one number, which may be a key
