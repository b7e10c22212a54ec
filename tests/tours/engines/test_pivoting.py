"""Names, texts, equality and checks of pivoting rules."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.tours.engines.pivoting import Best, First, Multi, Pivoting, RandomK


@pytest.mark.parametrize(
    ("rule", "name", "text"),
    [
        (Best(), "best", "Best()"),
        (First(), "first", "First(best_of='city')"),
        (First("step"), "first", "First(best_of='step')"),
        (Multi(), "multi", "Multi(cities=64)"),
        (Multi(5), "multi", "Multi(cities=5)"),
        (RandomK(), "random_k", "RandomK(k=1000)"),
        (RandomK(7), "random_k", "RandomK(k=7)"),
    ],
)
def test_rules_have_names_and_texts(rule, name, text):
    assert isinstance(rule, Pivoting)
    assert (rule.name, repr(rule)) == (name, text)


def test_rules_are_equal_by_their_parameters():
    assert Best() == Best() != First()
    assert First() == First("city") != First("step")
    assert RandomK(5) == RandomK(k=5) != RandomK(6)
    assert Multi() == Multi(64) != Multi(63)
    assert len({RandomK(5), RandomK(np.int64(5)), First(), First()}) == 2


@pytest.mark.parametrize(
    ("rule", "name", "values"),
    [(RandomK, "k", (1, 10**9, np.int64(20))), (Multi, "cities", (1, 64, np.int64(20)))],
)
def test_numbers_become_python_integers(rule, name, values):
    for value in values:
        number = getattr(rule(value), name)
        assert (type(number), number) == (int, value)


@pytest.mark.parametrize(
    ("rule", "value", "error", "message"),
    [
        (RandomK, 0, InvalidParameterError, "k: 0 is not between 1 and 1000000000"),
        (RandomK, 10**9 + 1, InvalidParameterError, "k: 1000000001 is not between"),
        (RandomK, 2.0, InvalidTypeError, r"k: 2\.0 is not an integer"),
        (RandomK, True, InvalidTypeError, "k: True is not an integer"),
        (RandomK, None, InvalidTypeError, "k: None is not an integer"),
        (Multi, 0, InvalidParameterError, "cities: 0 is not between 1 and 64"),
        (Multi, 65, InvalidParameterError, "cities: 65 is not between"),
        (Multi, 8.0, InvalidTypeError, r"cities: 8\.0 is not an integer"),
        (First, "move", InvalidParameterError, "best_of"),
        (First, 1, InvalidTypeError, "best_of"),
    ],
)
def test_bad_input(rule, value, error, message):
    with pytest.raises(error, match=message):
        rule(value)
