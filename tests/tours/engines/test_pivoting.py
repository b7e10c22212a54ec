"""Pivoting rules as values: equal, printable, checked."""

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
def test_rules_have_names(rule, name, text):
    assert isinstance(rule, Pivoting)
    assert (rule.name, repr(rule)) == (name, text)


def test_rules_are_equal_by_their_parameters():
    assert Best() == Best() != First()
    assert First() == First("city") != First("step")
    assert RandomK(5) == RandomK(k=5) != RandomK(6)
    assert Multi() == Multi(64) != Multi(63)
    assert len({RandomK(5), RandomK(np.int64(5)), First(), First()}) == 2


def test_rules_do_not_change():
    with pytest.raises(AttributeError):
        RandomK().k = 5


@pytest.mark.parametrize("k", [1, 10**9, np.int64(20)])
def test_k_may_be_any_positive_integer(k):
    assert type(RandomK(k).k) is int
    assert RandomK(k).k == k


@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (0, InvalidParameterError, "k: 0 is not between 1 and 1000000000"),
        (-3, InvalidParameterError, "k: -3 is not between"),
        (10**9 + 1, InvalidParameterError, "k: 1000000001 is not between"),
        (2.0, InvalidTypeError, r"k: 2\.0 is not an integer"),
        ("9", InvalidTypeError, "k: '9' is not an integer"),
        (True, InvalidTypeError, "k: True is not an integer"),
        (None, InvalidTypeError, "k: None is not an integer"),
    ],
)
def test_other_k_are_refused(k, error, message):
    with pytest.raises(error, match=message):
        RandomK(k)


@pytest.mark.parametrize("cities", [1, 64, np.int64(20)])
def test_up_to_64_cities_are_looked_at_together(cities):
    assert type(Multi(cities).cities) is int
    assert Multi(cities).cities == cities


@pytest.mark.parametrize(
    ("cities", "error", "message"),
    [
        (0, InvalidParameterError, "cities: 0 is not between 1 and 64"),
        (65, InvalidParameterError, "cities: 65 is not between"),
        (8.0, InvalidTypeError, r"cities: 8\.0 is not an integer"),
    ],
)
def test_other_numbers_of_cities_are_refused(cities, error, message):
    with pytest.raises(error, match=message):
        Multi(cities)


@pytest.mark.parametrize(
    ("best_of", "error"), [("move", InvalidParameterError), (1, InvalidTypeError)]
)
def test_first_is_the_best_of_a_city_or_of_a_step(best_of, error):
    with pytest.raises(error, match="best_of"):
        First(best_of)
