"""Descriptions: equal settings have equal texts in all processes, other settings do not."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.experiments.description import brief, describe, fingerprint, first_difference

ROOT = Path(__file__).resolve().parents[2]
SQUARE = [(0, 0), (0, 3), (4, 3), (4, 0)]


class Plain:
    """An object with a value and a cache."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.cache: dict[str, int] = {}


class Slotted:
    """An object with slots and no `__dict__`."""

    __slots__ = ("missing", "value")

    def __init__(self, value: object) -> None:
        self.value = value


@dataclass
class Data:
    """A dataclass with a field that is a setting, and one that is not."""

    value: object
    clock: float = field(default=0.0, compare=False)


def adder(number: int) -> object:
    return lambda value: value + number


DIFFERENT = {
    "numbers": (1, 1.0),
    "lists": ([1, 2], [2, 1]),
    "kinds": ([1, 2], (1, 2)),
    "texts": ("1", 1),
    "mappings": ({"a": 1}, {"a": 2}),
    "sets": ({1, 2}, {1, 3}),
    "arrays": (np.arange(3), np.arange(1, 4)),
    "shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "types of arrays": (np.zeros(2), np.zeros(2, np.float32)),
    "objects in arrays": (np.array([{1}], object), np.array([{2}], object)),
    "attributes": (Plain([1]), Plain([2])),
    "slots": (Slotted(1), Slotted(2)),
    "fields": (Data(1), Data(2)),
    "classes": (Plain(1), Slotted(1)),
    "closures": (adder(1), adder(2)),
    "lambdas": (lambda x: x, lambda x: -x),
    "partials": (functools.partial(max, 1), functools.partial(max, 2)),
    "methods": (Plain(1).__init__, Plain(2).__init__),
    "cities": (gls.TSP(SQUARE), gls.TSP([(0, 0), (0, 3), (4, 3), (4, 1)])),
    "metrics": (gls.TSP(SQUARE, "EUC_2D"), gls.TSP(SQUARE, "CEIL_2D")),
    "searches": (gls.LocalSearch([gls.TwoOpt()]), gls.LocalSearch([gls.OrOpt(2)])),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_different_objects_have_different_texts(one, other):
    assert describe(one) == describe(one)
    assert describe(one) != describe(other)
    assert fingerprint(describe(one)) != fingerprint(describe(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Plain([1]), Plain([1])),
        (Data(1, 0.5), Data(1, 7.5)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"x", "y", "z"}, {"z", "y", "x"}),
        (np.float64(2.5), 2.5),
        (np.arange(6).reshape(2, 3).T, np.array([[0, 3], [1, 4], [2, 5]])),
        (gls.TSP(SQUARE, name="a"), gls.TSP(SQUARE, name="b", optimum=14)),
        (adder(1), adder(1)),
        (deque([1]), deque([1])),
    ],
)
def test_equal_objects_have_equal_texts(one, other):
    assert describe(one) == describe(other)


class Whole:
    """An object that hands arguments on to a part, and computes another attribute."""

    def __init__(self, size: int = 3, value: object = None, key: object = adder(1)) -> None:
        self.size, self.part, self.derived, self._key = size, Plain(value), [1] * 99, key


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Whole(), "Whole()"),
        (Whole(4, [Slotted(1.5), "a"]), "Whole(size=4, value=[Slotted(value=1.5), 'a'])"),
        (Whole(key=adder(1)), "Whole()"),
        (Whole(key=adder(2)), "Whole(key=adder.<lambda>)"),
        (Plain(np.zeros((2, 3))), "Plain(value=array(2, 3))"),
        (gls.LocalSearch([gls.OrOpt(2)]), "LocalSearch(neighbourhoods=[OrOpt(max_length=2)])"),
        (max, "max"),
    ],
)
def test_brief_texts_have_arguments_that_are_not_defaults(value, text):
    assert brief(value) == text


def test_brief_texts_of_circular_references_end():
    one = Plain(None)
    one.value = [one]
    assert brief(one).startswith("Plain(value=[Plain(value=[") and "..." in brief(one)


def test_caches_are_not_described():
    used = Plain(1)
    used.cache["a"] = 1
    assert describe(used) == describe(Plain(1))
    problem = gls.TSP(np.random.default_rng(1).integers(0, 99, (20, 2)))
    before = describe(problem)
    gls.LocalSearch()(problem, gls.random_tours(problem, 1, seed=1, backend="cpu"), backend="cpu")
    assert describe(problem) == before


def test_circular_references():
    one, other = Plain(None), Plain(None)
    one.value, other.value = [one], [other]
    assert describe(one) == describe(other) and "holder" in describe(one)
    inner = Plain(None)
    inner.value = inner
    assert describe(Plain(inner)) != describe(Plain([inner]))


@pytest.mark.slow
def test_texts_are_equal_in_another_process():
    names = "import gpu_ls_plugin as gls\nfrom gpu_ls_plugin.experiments.description import "
    code = """
made = {"search": gls.IteratedLocalSearch(), "strings": {"a", "b", "c"}, "f": lambda x: x + 1}
print(describe(made))
"""
    # The order of sets of texts differs between processes.
    texts = {
        subprocess.run(
            [sys.executable, "-c", f"{names}describe\n{code}"],
            capture_output=True, text=True, check=True, cwd=ROOT,
        ).stdout
        for _ in range(2)
    }  # fmt: skip
    assert len(texts) == 1 and " at 0x" not in texts.pop()


@pytest.mark.parametrize(
    ("there", "here", "expected"),
    [
        ("GA(pop_size=20)", "GA(pop_size=30)", "pop_size=20 there, pop_size=30 here"),
        ("A(x=1, size=20, y=2)", "A(x=1, size=3)", "size=20 there, size=3 here"),
        ("A(b=B(c=1), d=2)", "A(b=B(c=1), d=f.G(2))", "d=2 there, d=f.G here"),
        ("a", "ab", "a there, ab here"),
        ("", "ab", " there, ab here"),
        ("x" * 90 + "1", "x" * 90 + "2", f"...{'x' * 30}1 there, ...{'x' * 30}2 here"),
        ("1" + "x" * 90, "2" + "x" * 90, f"1{'x' * 29}... there, 2{'x' * 29}... here"),
    ],
)
def test_a_difference_is_shown_with_context(there, here, expected):
    assert first_difference(there, here) == expected
