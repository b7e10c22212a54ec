"""The check of acceptance rules passes those that are right and finds planted faults."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import Acceptance
from gpu_ls_plugin.testing import check_acceptance
from tests.testing.faults import ON_BOTH, found_out

RULE = """
struct Mine {{
  static constexpr bool kNeverWorse = {never_worse};
  template <class Cost>
  GLS_DEVICE static bool takes(Cost rise, float level, gls::Philox& random) {{
    return {takes};
  }}
}};
"""
HALF = "float(rise) <= level || (random.next() & 1)"


class Mine(Acceptance):
    """Accepts rises up to the level and half of the others, or has a planted fault."""

    name = "mine"
    functor = "Mine"
    never_worse = False

    def __init__(self, takes: str = HALF, never: str = "false", **faults: Any) -> None:
        self._text = RULE.format(takes=takes, never_worse=never)
        vars(self).update(faults)

    def source(self) -> str:
        return self._text

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        return (rise <= level) | (uniform <= 0.5)

    def level(self, progress: float) -> float:
        return 1.0 - progress


class InKernelsOnly(Mine):
    """A rule without `takes` in Python."""

    takes = Acceptance.takes


class Numbers(Mine):
    """A rule whose `takes` in Python does not return booleans."""

    def takes(self, rise: Any, level: Any, uniform: Any) -> Any:
        return rise * 1


FAULTS: dict[str, tuple[Any, str]] = {
    "another rule in C++": (
        Mine("rise < 0"),
        r"C\+\+ accepts 0 and Python 2000|accepts 2000 and Python 0",
    ),
    "a bit more often": (Mine("rise <= level || random.next() < 2600000000u"), "must be the same"),
    "less than equal": (Mine("float(rise) < level || (random.next() & 1)"), "rises of 0 at"),
    "not worse in Python": (Mine(never_worse=True), "kNeverWorse is False in C\\+\\+, but"),
    "not worse in both": (Mine(never="true", never_worse=True), r"C\+\+ accepts a rise of"),
    "never settles": (Mine(level=lambda progress: math.nan), r"level\(0\.0\) is nan.*settle"),
    "no level at the end": (Mine(level=lambda p: 1 / (1 - p)), r"level\(1\.0\) raised Zero"),
    "numbers for truths": (Numbers(), "return a boolean array"),
    "no Python method": (InKernelsOnly(), "NotImplementedError"),
    "no C++": (Mine("undefined"), "CompilationError"),
}


@ON_BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_rule_is_found_out(fault, backend):
    found_out(check_acceptance, *FAULTS[fault], backend=backend)


@pytest.mark.slow
def test_a_rule_that_never_ends_is_found_out(monkeypatch):
    monkeypatch.setattr("gpu_ls_plugin.testing.subject.PATIENCE", 3.0)
    never = "[&] { while (random.next() != 1u) level += 1; return level > 0; }()"
    found_out(check_acceptance, Mine(never), r"takes\(\) did not finish within", backend="cpu")


@pytest.mark.slow
@ON_BOTH
def test_a_rule_that_is_right_passes(backend):
    check_acceptance(Mine(), backend=backend)


def test_built_in_rules_pass():
    check_acceptance(gls.Annealing(), backend="cpu")
