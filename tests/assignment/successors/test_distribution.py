"""Values are chosen in proportion to their weights: chi-square tests, which find planted faults."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import composition
from gpu_ls_plugin.backends.cpu import CpuBackend
from tests.helpers.marks import slow_after

SAMPLES = 40_000
LEAST_P = 1e-4
WEIGHTS = np.array([5, 1, 0, 8, 2, 2, 0, 13, 1, 4, 0, 7])  # the last value is likely
FAULTS = {
    "bound": ("alone", "weights[found] <= range.left", "weights[found] < range.left"),
    "last of rescan": ("alone", "draw.below(all)", "draw.below(all - 7)"),
    "bound side by side": ("rescan", "its[lane] <= numbers[lane]", "its[lane] < numbers[lane]"),
    "last side by side": ("rescan", "below(all[lane])", "below(all[lane] - 7)"),
    "sums of ratings": ("stored alone", "heuristic.weight(rate(", "1 + heuristic.weight(rate("),
}

ALONE = {"alone": "rescan", "stored alone": "stored"}  # not side by side


def p_value(sampler, backend="cpu", weights=WEIGHTS):
    """The p-value of the chosen values; 0 if one of them is impossible."""
    order = "shuffled" if sampler in ALONE else "given"
    generate = gls.SuccessorGeneration(gls.WeightTable([weights]), ALONE.get(sampler, sampler))
    found = generate(None, [[-1]], count=SAMPLES, order=order, seed=5, backend=backend)
    counts = np.bincount(found[:, 0], minlength=len(weights))
    possible = weights > 0
    if counts[~possible].any():
        return 0.0
    expected = weights[possible] / weights.sum() * SAMPLES
    return chisquare(counts[possible], expected).pvalue


@pytest.mark.parametrize("sampler", ["stored", "rescan", *ALONE])
def test_values_are_chosen_by_weight(sampler):
    assert p_value(sampler) > LEAST_P
    large = WEIGHTS.astype(np.int64) * (2**32 // 13 - 1)  # sums beyond 32 bits
    assert p_value(sampler, weights=large) > LEAST_P


@pytest.mark.parametrize("fault", slow_after(3, FAULTS))
def test_planted_faults_are_seen(fault, monkeypatch):
    sampler, right, wrong = FAULTS[fault]
    paste = composition.paste

    planted = []

    def faulty(header, pasted):
        text = paste(header, pasted)
        if not header.startswith("assignment/successors/") or right not in text or planted:
            return text
        planted.append(header)
        return text.replace(right, wrong)

    monkeypatch.setattr(composition, "paste", faulty)
    assert p_value(sampler, CpuBackend()) < LEAST_P
    assert planted
