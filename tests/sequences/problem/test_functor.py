"""Functors that break their contract, or data that do not fit them, are refused by name."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    CompilationError,
    FaultyPartError,
    InvalidParameterError,
    InvalidTypeError,
)
from tests.sequences.problem.tardy import Tardy

NEITHER = "or not public and const"


def searched(objective):
    """Return the result of a short search."""
    problem = gls.Sequence(len(objective.times), objective)
    return gls.SequenceSearch()(
        problem, [np.arange(problem.n)], budget=gls.Budget(kicks=3), backend="cpu"
    )


def test_fields_without_data_are_zero():
    added = "const gls::int64* none; int zero; double nought;\n"
    guard = "state.time += none != nullptr || zero || nought != 0 ? 99 : times[item]"
    changed = Tardy(7, "struct State {", f"{added}  struct State {{")
    changed.text = changed.text.replace("state.time += times[item]", guard)
    assert (searched(changed).tours == searched(Tardy(7)).tours).all()


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("State begin() const", "State begin()", rf"begin\(\) is missing, {NEITHER}"),
        (
            "State append(",
            "State apend(",
            rf"append\(const State&, int item\) is missing, {NEITHER}",
        ),
        ("cost(const State& state)", "cost()", rf"cost\(const State&\) is missing, {NEITHER}"),
        ("int64 cost(", "int32_t cost(", r"cost\(\) and join\(\) return gls::int64 if `integer`"),
        ("gls::int64 cost(", "double cost(", r"cost\(\) and join\(\) return gls::int64"),
        ("State begin()", "int end() const;\n  State begin()", r"one of end\(\), prepend\("),
        (
            "State begin()",
            "void concatenate(State, State);\n  State begin()",
            r"concatenate\(const State&, const State&\) is not public and const",
        ),
        (
            "State begin()",
            "gls::int64 pair(int, int);\n  State begin()",
            r"pair\(int first, int second\) is not public and const",
        ),
        (
            "struct State {",
            "enum {kMachines = 1};\n  struct State {",
            "kMachines belongs to gls::Mac",
        ),
        ("time, late;", "time, late; ~State() {}", "State is copied as bytes"),
        ("const gls::int64* due", "const int* due", r"data\(\) gives due as const gls::int64\*"),
        ("const gls::int64* due;", "", "no member named .due"),
        (
            "times[item];",
            "tmes[item];",
            r"sequences/problem/tardy.py \(Tardy\):10:\d+: error: .tmes. was not declared",
        ),
    ],
)
def test_broken_contracts_do_not_compile(right, wrong, words):
    with pytest.raises(CompilationError, match=words):
        searched(Tardy(7, right, wrong))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"times": np.ones(7, complex)}, "'times' of Tardy has type complex128"),
        ({"times": [1] * 7}, r"'times' of Tardy is \[1, 1"),
        ({"the times": 3}, "'the times' of Tardy cannot name a field"),
        ({"times": True}, "'times' of Tardy is True"),
        ([1, 2], r"\[1, 2\] of Tardy is not a dict"),
    ],
)
def test_data_that_kernels_cannot_read(data, words):
    objective = Tardy()
    objective.data = lambda: data
    with pytest.raises(InvalidTypeError, match=f"^data: {words}"):
        searched(objective)


def test_a_functor_without_a_source():
    objective = Tardy()
    objective.text = ""
    reason = r"functor\(\) of 'tardy' returns 'Tardy', but source\(\) is empty"
    with pytest.raises(FaultyPartError, match=reason):
        searched(objective)


def test_a_referee_that_disagrees():
    objective = Tardy(9, "> due[item]", ">= 0")
    reason = r"Tardy computes .* but evaluate\(\) returns .*check_sequence_objective"
    with pytest.raises(FaultyPartError, match=reason):
        searched(objective)


@pytest.mark.parametrize(
    ("price", "error", "words"),
    [
        (-1, InvalidParameterError, "-1.* is not between 0"),
        (float("nan"), InvalidParameterError, "nan is not between"),
        ("3", InvalidTypeError, "'3' is not a number"),
        (0.5, InvalidParameterError, "price of 'tardy' is 0.5, but its costs are integers"),
    ],
)
def test_prices_are_checked(price, error, words):
    objective = Tardy()
    objective.price = price
    with pytest.raises(error, match=f"^objective: .*{words}"):
        gls.Sequence(7, objective)


def test_objectives_without_a_referee():
    class None_(gls.SequenceObjective):
        pass

    with pytest.raises(TypeError, match="evaluate"):
        None_()
    for objective in (7, "tardy", Tardy, None):
        with pytest.raises(InvalidTypeError, match="neither a SequenceObjective nor a function"):
            gls.Sequence(7, objective)
