"""The team that generates a successor, and the layout of its memory."""

from __future__ import annotations

import pytest

from gpu_ls_plugin.assignment.successors import layouts
from gpu_ls_plugin.backends import get_backend


class Gpu:
    """The teams and the memory of a GPU."""

    shared_memory = 227 << 10

    def block(self, threads):
        return f"block of {threads}"

    def warp(self):
        return "warp"


@pytest.mark.parametrize(
    ("most", "team"),
    [
        (1, "warp"),
        (256, "warp"),
        (257, "block of 64"),
        (2049, "block of 128"),
        (2**14 + 1, "block of 256"),
        (10**7, "block of 1024"),
    ],
)
def test_more_values_take_more_lanes(most, team):
    assert layouts.team(Gpu(), most) == team
    assert layouts.team(get_backend("cpu"), most) == "gls::Host"


@pytest.mark.parametrize(
    ("team", "own_bytes", "shared"),
    [
        ("gls::Block<64>", 4000, True),
        ("gls::Block<64>", 56 << 10, False),  # four do not fit 227 KiB
        ("gls::Block<64>", 0, False),
        ("gls::Warp<4>", 100, False),
        ("gls::Host", 100, False),
    ],
)
def test_ratings_lie_in_shared_memory_if_four_blocks_fit(team, own_bytes, shared):
    assert layouts.in_shared_memory(Gpu(), team, own_bytes) == shared


def test_memory_is_aligned():
    assert layouts.Scratch.of(5, 24, 17, 100) == layouts.Scratch(16, 48, 80, 192)
    assert layouts.Scratch.of(0, 0, 0, 0).size == 0
