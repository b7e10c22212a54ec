"""Tours as rows: which are the same, and how far they are apart. Plain NumPy."""

from __future__ import annotations

from typing import TypedDict


class Writing(TypedDict, total=False):
    """Which ways of writing a tour stand for the same solution, as keywords of who has to know."""

    symmetric: bool  # whether a tour and its reverse do; True unless given
    customers: int  # of giant tours: all cities beyond are copies of city 0, the depot
