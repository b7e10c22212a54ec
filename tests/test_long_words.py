"""Files with words of a megabyte are read in linear time and refused by short messages.

With quadratic time, a reader would take hours.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, GpuLsError
from gpu_ls_plugin.core.history import load_history
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.core.text import quoted, real, shortened, whole
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.solver.reading import read_problem
from gpu_ls_plugin.tours.problem.tsplib import read_tour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LENGTH = 300_000
LONGEST_MESSAGE = 600  # characters, without the name of the file
LONG = {
    "digits": "1" * LENGTH,
    "digits and a letter": "1" * LENGTH + "x",
    "digits and a point": "-1." + "1" * LENGTH,
    "letters": "x" * LENGTH,
    "zeros": "0" * LENGTH + "1",
    "spaces": "1" + " " * LENGTH + "1",
    "spaces and a letter": "1" + " " * LENGTH + "x",
    "words": "1 " * (LENGTH // 2),
}
ROUTES = gls.CVRP([(0, 0), (10, 1), (20, 2)], [0, 1, 1], 2)
COLOURS = gls.GraphColouring(3, [(0, 1)], 2)
PLACES = gls.QuadraticAssignment([[0, 1], [1, 0]], [[0, 2], [2, 0]])

READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "plane": (
        "NAME : a\nCOMMENT : b\nTYPE : TSP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\n"
        "NODE_COORD_SECTION\n1 0 0\n2 1.5 0\nEOF\n",
        gls.TSP.read,
    ),
    "matrix": (
        "TYPE TSP\nDIMENSION 2\nEDGE_WEIGHT_TYPE EXPLICIT\nEDGE_WEIGHT_FORMAT FULL_MATRIX\n"
        "EDGE_WEIGHT_SECTION\n0 1 1 0\nEOF\n",
        gls.TSP.read,
    ),
    "tour": ("TYPE : TOUR\nDIMENSION : 2\nTOUR_SECTION\n1\n2\n-1\nEOF\n", read_tour),
    "routes": (
        "TYPE : CVRP\nDIMENSION : 2\nCAPACITY : 4\nDISTANCE : 9\nVEHICLES : 1\n"
        "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 0 3\nDEMAND_SECTION\n1 0\n2 2\n"
        "SERVICE_TIME_SECTION\n1 0\n2 1\nDEPOT_SECTION\n1\n-1\nEOF\n",
        gls.CVRP.read,
    ),
    "solution": ("Route #1: 1\nRoute #2: 2\nCost 60\n", ROUTES.read_solution),
    "graph": ("p edge 3 2\ne 1 2\ne 1 3\n", lambda path: gls.GraphColouring.read(path, 2)),
    "gap": ("1 2\n3 4\n1 1\n9\n", gls.GeneralisedAssignment.read),
    "qap": ("2\n0 1\n1 0\n0 2\n2 0\n", gls.QuadraticAssignment.read),
    "any": ("2\n0 1\n1 0\n0 2\n2 0\n", read_problem),
    "values": ("1\n2\n1\n", COLOURS.read_solution),
    "permutation": ("2 4\n1 2\n", PLACES.read_solution),
    "history": ("elapsed,kicks,best_cost,mean_cost\n0.5,1,3,4.0\n", load_history),
    "result": (
        json.dumps({"version": 1, "tours": [[0, 1]], "costs": [2], "statistics": {"kicks": 1}}),
        Result.load,
    ),
    "search": ("two_opt+or_opt(2)/quadrant(10)/first", lambda path: parse_search(path.read_text())),
}


def damaged(content: str) -> Iterator[str]:
    """Yield the text with a long word in place of each word, and each kind in place of the last."""
    words = list(re.finditer(r"[\w.+-]+", content))
    kinds = list(LONG.values())
    places = [(word, kinds[number % len(kinds)]) for number, word in enumerate(words)]
    for word, long in [*places, *((words[-1], long) for long in kinds)]:
        yield content[: word.start()] + long + content[word.end() :]
    for long in kinds:
        yield f"{long}\n{content}"


@pytest.mark.parametrize("name", READERS)
def test_long_words_take_little_time_and_make_short_messages(name: str, tmp_path: Path) -> None:
    content, read = READERS[name]
    path = tmp_path / ("a.json" if name == "result" else "a")
    path.write_text(content)
    read(path)
    refused = 0
    for text in damaged(content):
        path.write_text(text)
        try:
            read(path)
        except (GpuLsError, OSError) as error:
            refused += 1
            assert len(str(error)) < LONGEST_MESSAGE + len(str(path)), str(error)[:1000]
    assert refused > 5


@pytest.mark.parametrize("name", ["version", "rule", "cities"])
def test_candidate_lists_of_long_words(name: str, tmp_path: Path) -> None:
    path, long = tmp_path / "a.npz", "x" * LENGTH
    lists = {"version": 1, "rule": "r", "fingerprint": "f", "cities": np.array([[1], [0]])}
    with path.open("wb") as stream:
        np.savez(stream, **(lists | {name: long}))
    try:
        gls.candidates.Candidates.load(path)
    except FileFormatError as error:
        assert len(str(error)) < LONGEST_MESSAGE + len(str(path))
    else:
        assert name == "rule"


def test_numbers() -> None:
    for word in ("1", "-1", "+1.", ".5", "1e3", "1.5E-3", "0" * 999 + "1"):
        assert real(word) == float(word)
    for word in ("", ".", "1e", "e1", "1_0", "nan", "inf", "1e999", "1" * 400, "\u0664", "1 "):
        assert real(word) is None
    for word in ("1", "-1", "+007", str(2**63 - 1), str(-(2**63))):
        assert whole(word) == int(word)
    for word in ("", "1.0", "1e3", "1_0", str(2**63), str(-(2**63) - 1), "9" * 5000, "\u0664"):
        assert whole(word) is None


def test_quotations_are_short() -> None:
    assert quoted("it's") == repr("it's")
    assert quoted("x" * 1000) == f"'{'x' * 57}...'"
    assert shortened("x" * 240) == "x" * 240
    assert shortened(ValueError("x" * 241)) == f"{'x' * 237}..."
