"""The check of neighbourhoods passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import InvalidTypeError, Neighbourhood
from gpu_ls_plugin.testing import check_neighbourhood
from tests.testing.faults import ON_BOTH, found_out

TWO_OPT = """
struct Mine {{
  GLS_DEVICE static int variants(int) {{ return {variants}; }}

  template <class View, class Length>
  GLS_DEVICE static Length gain(const View& view, const gls::FirstStep<Length>& first, int,
                                gls::Move& move) {{
    const auto path = view.path(first);
    const int t4 = path.at(path.step(first.t3) {side} 1);
    move.set(first, gls::Shape::{shape}, {edges}, t4, t4, t4);
    const Length gain = View::Lengths::gain(
        first.length + view.{leaving}(t4, first.t3), {added});
    return {claim};
  }}
  {more}
}};
"""
RIGHT = {
    "variants": "1",
    "side": "-",
    "shape": "kFlips",
    "edges": "2",
    "leaving": "leaving",
    "added": "first.length - first.gain + view.length(t4, first.t1)",
    "claim": "gain",
    "more": "",
}
EACH_GAIN = """static constexpr bool kSharesLengths = true;
  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const gls::FirstStep<Length>& first,
                                   Take take) {{
    gls::Move unused;
    take(0, {gain});
  }}"""
SHARED = "gain(view, first, 0, unused)"


class Mine(Neighbourhood):
    """2-opt as a third party would write it, or with a planted fault."""

    name = "mine"

    def __init__(self, **faults: str) -> None:
        self._text = TWO_OPT.format(**(RIGHT | faults))

    def functor(self, symmetric: bool) -> str:
        return "Mine"

    def source(self) -> str:
        return self._text

    def variants(self, degree: int, symmetric: bool) -> int:
        return 1


class OneWay(Mine):
    """2-opt that claims not to reverse paths."""

    reverses = False


FAULTS: dict[str, tuple[Any, str]] = {
    "overstates": (Mine(claim="2 * gain"), "claims to gain .* but makes the tour .* shorter"),
    "adds a little": (Mine(claim="gain + 3"), "claims to gain"),
    "understates": (Mine(claim="gain > 1 ? gain / 2 : gain"), "claims to gain"),
    "forgets the closing edge": (
        Mine(added="first.length - first.gain"),
        "claims to gain .* and adds",
    ),
    "asks length where it leaves": (Mine(leaving="length"), r"is fixed; .*view\.leaving\(a, b\)"),
    "another move": (Mine(side="+"), "is not a move: t4=.* must lie just before t3"),
    "a shape of chains": (Mine(shape="kBridge"), "kFlips, kSwap or kTurn, not kBridge"),
    "another shape": (Mine(shape="kSwap", edges="3"), "is not a move: t4=.* just behind t3"),
    "too many edges": (Mine(edges="9"), "has 9 edges"),
    "no edges": (Mine(edges="0"), "has 0 edges"),
    "no variants": (Mine(variants="0"), r"variants\(7\) is 0"),
    "no moves": (Mine(claim="0 * gain"), "offers no move"),
    "shares other gains": (
        Mine(more=EACH_GAIN.format(gain=SHARED + " / 2")),
        r"gain\(\) returns .* but each_gain\(\) has",
    ),
    "directed lengths": (OneWay(), "claims to gain .* but makes the tour"),
    "no C++": (Mine(claim="undefined"), "composing its kernel|CompilationError"),
}


@ON_BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_neighbourhood_is_found_out(fault, backend):
    found_out(check_neighbourhood, *FAULTS[fault], backend=backend)


def test_a_neighbourhood_that_reads_beyond_its_arrays_is_found_out():
    part = Mine(claim="gain + view.candidates.city(0xfffffff0u)")
    found_out(check_neighbourhood, part, r"gain\(\) ended the process with SIG", backend="cpu")


@pytest.mark.slow
def test_a_neighbourhood_that_never_ends_is_found_out(monkeypatch):
    monkeypatch.setattr("gpu_ls_plugin.testing.subject.PATIENCE", 3.0)
    endless = Mine(claim="[&] { volatile int at = 1; while (at) at = at; return gain; }()")
    found_out(check_neighbourhood, endless, r"gain\(\) did not finish within", backend="cpu")


@ON_BOTH
def test_a_neighbourhood_that_is_right_passes(backend):
    check_neighbourhood(Mine(more=EACH_GAIN.format(gain=SHARED)), backend=backend)


@pytest.mark.parametrize(
    "part", [gls.OrOpt(2), gls.ThreeOpt(), gls.LinKernighan(6), gls.LinKernighanLead(12)], ids=repr
)
def test_offers_of_built_in_neighbourhoods_pass(part):
    problem = gls.TSP([(x * x % 37, x * 5 % 23) for x in range(30)], "EUC_2D")
    check_neighbourhood(part, [problem], backend="cpu")


def test_filtered_moves_are_refused():
    with pytest.raises(InvalidTypeError, match="check_filter"):
        check_neighbourhood(gls.FilteredNeighbourhood())
