"""Numbers in text files, and quotations and advice in messages.

All functions take linear time, and messages stay short even if a word is long.
"""

from __future__ import annotations

import math
import re

NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
INTEGER = re.compile(r"[-+]?[0-9]+")
LONGEST = 1000  # maximum length of a number; Python refuses to convert more than 4,300 digits
QUOTED = 60  # maximum number of characters that a quotation shows

# Advice about problems that are not supported.
OWN_OBJECTIVE = (
    "Permutations with an objective of your own are searched as gls.Sequence(n, objective): see "
    "docs/your-own-objective.md"
)


def real(word: str) -> float | None:
    """Return a word as a float; None unless it is a finite decimal number."""
    if len(word) > LONGEST or not NUMBER.fullmatch(word):
        return None
    number = float(word)
    return number if math.isfinite(number) else None


def whole(word: str) -> int | None:
    """Return a word as an integer; None unless it is a 64-bit integer."""
    if len(word) > LONGEST or not INTEGER.fullmatch(word):
        return None
    number = int(word)
    return number if -(2**63) <= number < 2**63 else None


def quoted(text: str) -> str:
    """Return the `repr` of a string, cut off if it is long."""
    return repr(text if len(text) <= QUOTED else f"{text[: QUOTED - 3]}...")


def shortened(message: object) -> str:
    """Return the beginning of a message that may repeat the content of a file."""
    text = str(message)
    return text if len(text) <= 4 * QUOTED else f"{text[: 4 * QUOTED - 3]}..."


def snake_case(name: str) -> str:
    """Return a class's name in snake case: ``two_opt_star`` for ``TwoOptStar``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
