"""Expressions have the weights that Python computes; invalid texts are refused."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from tests.helpers.marks import slow_after
from tests.helpers.successor_oracle import assert_successors

ROOM, COST = np.array([3, 1, 2, 4]), np.arange(20).reshape(5, 4) - 6
TEXTS = (
    "max(room[value] - load[value], 0) * (1 + abs(cost[variable, value]))",
    "cost[variable, value] // 3 % 5 + (7 // (value - 5) + 5 if not variable == 1 else -value + 3)",
    "1 + load[value]",
    "(load[value] < 2 and value > 0 or variable >= 4) * min(value, 2) + room[value + 2]",
    "50 - value - 2 - (3 - value - 1) * 2 - -value - 4 * value * 2 + max(value - 2, 1 - value)",
    "-cost[variable, value] % -4 + 3 + 10 // -3 + 2**32 * (value <= 1) * (variable != 2)",
)


def weigh(text):
    """The weights that Python computes, with tables that are 0 outside their bounds."""
    room = defaultdict(int, enumerate(ROOM.tolist()))
    tables = {"room": room, "cost": dict(np.ndenumerate(COST))}

    def weights(state, variable):
        load = {value: state.count(value) for value in range(4)}
        names = [{"variable": variable, "value": v, "load": load, **tables} for v in range(4)]
        return [min(max(int(eval(text, name)), 0), 2**32 - 1) for name in names]

    return weights


@pytest.mark.parametrize("text", slow_after(2, (t.replace("2**32", f"{2**32}") for t in TEXTS)))
def test_weights_are_as_python_computes_them(text):
    part = gls.Expression(text, 5, 4, room=ROOM, cost=COST)
    states = np.random.default_rng(3).integers(-1, 4, (6, 5))
    options = {"count": 5, "active": np.array([True, True, False, True, True]), "seed": 8}
    assert_successors(part, weigh(text), states, **options)


def test_division_by_zero_is_zero_and_leaves_the_number():
    part = gls.Expression("(1 // (value - 1) == 0) * (5 % (value - 1) == 5)", 1, 3)
    found = gls.SuccessorGeneration(part)(None, [[-1]], count=50, backend="cpu")
    assert (found == 1).all()


@pytest.mark.parametrize(
    "name",
    [
        *('x; static_assert(false, "injected"); int y', "a b", "a\n", "", "1", "a-b", "\u0131f"),
        *("a//", "a\\", "a::b", "a<b>", 'a"', "if", "min", "value", "load", "\u00e9", "a\0"),
    ],
)
def test_names_of_tables_are_identifiers(name):
    with pytest.raises(InvalidParameterError, match="a table cannot have this name"):
        gls.Expression("1", 2, 2, **{name: [1, 2]})


def test_cpp_keywords_can_name_tables():
    names = [
        *("int", "struct", "template", "rate", "table"),
        *("words", "min_of", "state", "gls", "sizes"),
    ]
    text = " + ".join(f"{name}[value]" for name in names)
    part = gls.Expression(f"min({text}, 0)", 1, 2, **{name: [-1, 1] for name in names})
    assert gls.SuccessorGeneration(part)(None, [[-1]], backend="cpu", seed=1).tolist() == [[-1]]


@pytest.mark.parametrize("wrapped", ["min({}, value)", "max(value, {})", "abs({})", "-{}", "({})"])
def test_source_grows_with_the_text(wrapped):
    sizes = []
    for depth in (10, 50):
        text = "value"
        for _ in range(depth):
            text = wrapped.format(text)
        sizes.append(len(gls.Expression(text, 2, 3).source()) / len(text))
    assert sizes[1] <= sizes[0] < 400


@pytest.mark.parametrize("sign", [" + ", " - ", " * "])
def test_long_chains_are_not_deep(sign):
    source = gls.Expression(sign.join(["value"] * 500), 2, 3).source()
    assert source.count("(") < 600 and "((" not in source.partition("return")[2]


@pytest.mark.parametrize(
    "text",
    [
        "+".join(["1"] * 100_000),
        "+".join(["1"] * 9000), "-" * 5000 + "1", "(" * 150 + "1" + ")" * 150,
        "min(1, " * 150 + "1" + ")" * 150, "not " * 300 + "1", "1 if 1 else " * 400 + "1",
        "load[" * 120 + "1" + "]" * 120, "value // " * 300 + "1", "cost" * 100_000, "1" * 5000,
        "1 // (" * 150 + "1" + ")" * 150, "x" * 50_000,
    ],
)  # fmt: skip
def test_deep_or_long_texts_are_refused(text):
    try:
        source = gls.Expression(text, 2, 3).source()
    except InvalidParameterError as error:
        assert len(str(error)) < 600
    else:  # redundant brackets, and chains
        assert len(source) < 50 * len(text) + 1000


@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
def test_tables_hold_integers_of_64_bits(number):
    with pytest.raises(InvalidParameterError, match=r"cost: \d+ does not fit into 64 bits"):
        gls.Expression("cost[value]", 1, 2, cost=np.array([0, number], np.uint64))
    gls.Expression("cost[value]", 1, 2, cost=np.array([0, 2**63 - 1], np.uint64))
