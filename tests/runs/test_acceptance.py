"""Acceptance rules: the functors in C++, their Python versions, and the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.runs.acceptance import Acceptance
from tests.helpers import chain_oracle, host_program

MINUS_LOGS = """
struct Probe {
  static void run(const gls::Host&, int item, int first, const int* bits, float* logs) {
    logs[item] = gls::Annealing::minus_log(bits ? gls::uint32(bits[item])
                                                : gls::uint32(first + item) << 8);
  }
};
"""
TAKES = """
struct Probe {{
  static void run(const gls::Host&, int item, const {cost}* rises, const float* levels, int* taken,
                  int* bits) {{
    gls::Philox random(7, gls::Purpose::kKick, item);
    gls::Philox same = random;
    bits[item] = int(same.next());
    taken[item] = {functor}::takes(rises[item], levels[item], random);
  }}
}};
"""
RULES = [part.factory() for part in registry.parts("acceptance")]
EACH_RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
LARGEST = 2**60  # costs are smaller
RISES = [-LARGEST, -(2**24) - 1, -2, -1, 0, 1, 2, 3, 1000, 2**24 + 1, 2**31, LARGEST]
LEVELS = [0.0, 1e-30, 0.3, 1.0, 2.0, 2.5, 1e3, 2.0**24, 1e20, 3e38]


def minus_logs(count: int, first: int = 0, bits: np.ndarray | None = None) -> np.ndarray:
    """Return -ln u as computed by the functor."""
    logs = np.zeros(count, np.float32)
    host_program.run(
        MINUS_LOGS,
        count,
        "int first, const int* bits, float* logs",
        {"first": first, "bits": bits, "logs": logs},
        header="runs/acceptance.cuh",
    )
    return logs


def taken_by_functor(
    rule: Acceptance, rises: np.ndarray, levels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return which rises the functor accepts, and the random bits that it has drawn."""
    taken, bits = np.zeros(len(rises), np.int32), np.zeros(len(rises), np.uint32)
    cost = "gls::int64" if rises.dtype.kind == "i" else "double"
    host_program.run(
        TAKES.format(cost=cost, functor=rule.functor),
        len(rises),
        f"const {cost}* rises, const float* levels, int* taken, int* bits",
        {"rises": rises, "levels": levels, "taken": taken, "bits": bits},
        header="runs/acceptance.cuh",
    )
    return taken.astype(bool), bits


@pytest.mark.slow
def test_logarithms_of_all_numbers():
    u = np.arange(1, 2**24 + 1) / 2**24
    logs = minus_logs(2**24)
    assert np.abs(logs + np.log(u)).max() < 1e-4
    assert logs.min() == logs[-1] == 0
    assert (np.diff(logs) <= 1e-6).all()


def test_logarithms_of_the_oracle_have_the_same_bits():
    random = np.random.default_rng(0)
    ends = [0, 1, 255, 256, 2**31 - 1, 2**31, 2**32 - 256, 2**32 - 1]
    powers = [(2**k << 8) - 256 * back for k in range(1, 24) for back in (0, 1, 2)]
    bits = np.array([*ends, *powers, *random.integers(0, 2**32, 3000)], np.uint32)
    expected = [chain_oracle.minus_log(int(number)) for number in bits]
    assert minus_logs(len(bits), bits=bits).tolist() == [float(log) for log in expected]


def pairs(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Return each rise with each level, 50 times."""
    rises, levels = np.meshgrid(np.array(RISES, dtype), np.array(LEVELS, np.float32))
    return np.tile(rises.ravel(), 50), np.tile(levels.ravel(), 50)


@EACH_RULE
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_functors_agree_with_the_oracle(rule, dtype):
    rises, levels = pairs(dtype)
    taken, bits = taken_by_functor(rule, rises, levels)
    expected = [
        bool(chain_oracle.RULES[rule.name](rise, np.float32(level), int(number)))
        for rise, level, number in zip(rises.tolist(), levels, bits, strict=True)
    ]
    assert taken.tolist() == expected


@EACH_RULE
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_python_agrees_with_functors(rule, dtype):
    rises, levels = pairs(dtype)
    taken, bits = taken_by_functor(rule, rises, levels)
    uniform = ((bits >> 8).astype(float) + 1) / 2**24
    # Rises so close to the level that rounding to float32, or the logarithm, may decide.
    bound = levels * (-np.log(uniform) if rule.name == "annealing" else 1.0)
    close = np.abs(rises - bound) <= 1e-6 * np.abs(bound) + 2e-4 * levels
    twin = np.asarray(rule.takes(rises, levels, uniform))
    assert twin.dtype == bool
    assert twin.shape == rises.shape
    if rule.name not in ("annealing", "threshold"):
        close[:] = False
    assert (twin == taken)[~close].all()
    assert (~close).mean() > 0.8


@EACH_RULE
def test_falls_are_accepted_and_never_worse_holds(rule):
    assert isinstance(rule, Acceptance)
    rises, levels = pairs(np.int64)
    taken, _ = taken_by_functor(rule, rises, levels)
    twin = rule.takes(rises, levels, np.full(len(rises), 0.5))
    for taken_rises in (taken, twin):
        assert taken_rises[rises < 0].all()
        assert rule.never_worse == (not taken_rises[rises > 0].any())


def test_equal_costs_and_rises():
    none, some = np.zeros(3), np.array([0.0, 1.0, 2.0])
    uniform = np.full(3, np.exp(-1))
    assert gls.Better().takes(none, some, uniform).tolist() == [False] * 3
    for rule in (gls.BetterOrEqual(), gls.Always(), gls.Threshold(), gls.Annealing()):
        assert rule.takes(none, some, uniform).tolist() == [True] * 3
    for rule in (gls.Threshold(), gls.Annealing()):
        assert rule.takes(np.full(3, 1.0), some, uniform).tolist() == [False, True, True]
        assert rule.takes(np.full(3, 2.0), some, uniform).tolist() == [False, False, True]


@pytest.mark.parametrize(("rise", "level"), [(1, 2.0), (5, 5.0), (30, 10.0), (1, 1000.0)])
def test_annealing_takes_rises_with_their_probability(rise, level):
    count, chance = 20_000, np.exp(-rise / level)
    taken, _ = taken_by_functor(
        gls.Annealing(), np.full(count, rise), np.full(count, level, np.float32)
    )
    assert stats.binomtest(int(taken.sum()), count, chance).pvalue > 0.001


def test_levels():
    assert gls.Better().level(0.3) == gls.BetterOrEqual().level(1) == gls.Always().level(0) == 0
    threshold, annealing = gls.Threshold(0.2), gls.Annealing(0.8)
    assert [threshold.level(share) for share in (0, 0.5, 1)] == [0.2] * 3
    assert [annealing.level(share) for share in (0, 0.25, 1)] == pytest.approx([0.8, 0.6, 0])


def test_a_rule_without_a_python_version_raises():
    class Fused(Acceptance):
        name, functor = "fused", "gls::Better"

    with pytest.raises(
        NotImplementedError, match="fused works only in chains that one kernel runs"
    ):
        Fused().takes(np.zeros(1), np.zeros(1), np.ones(1))
    assert Fused().source() == ""
    assert Fused().level(0.5) == 0
