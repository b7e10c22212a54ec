"""Who generates a successor, and where its memory lies."""

from __future__ import annotations

import pytest

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.successors import layouts
from gpu_ls_plugin.successors.choices import SAMPLERS


class Gpu:
    """The teams of a GPU."""

    def block(self, threads):
        return f"block of {threads}"

    def warp(self):
        return "warp"


@pytest.mark.parametrize(
    ("most", "team"),
    [
        (1, "warp"),
        (256, "warp"),
        (257, "block of 128"),
        (2049, "block of 256"),
        (10**7, "block of 1024"),
    ],
)
def test_more_values_take_more_lanes(most, team):
    assert layouts.team(Gpu(), most) == team
    assert layouts.team(get_backend("cpu"), most) == "gls::Host"


def test_memory_is_aligned():
    assert layouts.Scratch.of(5, 17, 100) == layouts.Scratch(16, 48, 160)
    assert layouts.Scratch.of(0, 0, 0).size == 0


def test_samplers_that_store_nothing_need_no_memory():
    sizes = {name: sampler.own_bytes(100, 4) for name, sampler in SAMPLERS.items()}
    assert sizes == {"stored": 1200, "rescan": 0, "softmax": 0}
