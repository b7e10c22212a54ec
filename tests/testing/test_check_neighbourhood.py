"""The check of neighbourhoods passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import FaultyPartError, InvalidTypeError
from gpu_ls_plugin.plugins.new_package import TEMPLATES
from gpu_ls_plugin.testing import PartCheckError, check_neighbourhood
from gpu_ls_plugin.testing.probe import SWAP, NotAMove, Offer, after
from tests.helpers.marks import ON_BOTH, slow_after
from tests.helpers.third_party import MyTwoOpt
from tests.testing.faults import found_out
from tests.tours.objectives.third_party import Tolls, some_tolls

EACH_GAIN = """static constexpr bool kSharesLengths = true;
  template <class View, class Length, class Take>
  GLS_DEVICE static void each_gain(const View& view, const gls::FirstStep<Length>& first,
                                   Take take) {{
    gls::Move unused;
    take(0, {gain});
  }}"""
SHARED = "gain(view, first, 0, unused)"


class OneWay(MyTwoOpt):
    """2-opt that claims not to reverse paths."""

    reverses = False


class Backward(MyTwoOpt):
    """The template's moves of one city, but with an added edge against its direction."""

    reverses = False

    def functor(self, symmetric: bool) -> str:
        return "gls_example::Moves"

    def source(self) -> str:
        path = TEMPLATES / "neighbourhood" / "gpu_ls_example" / "moves.cuh.in"
        text = path.read_text(encoding="utf-8")
        assert "length(t4, t5)" in text
        return text.replace("length(t4, t5)", "length(t5, t4)")


class Misnamed(MyTwoOpt):
    """2-opt whose functor has another name than its struct."""

    def functor(self, symmetric: bool) -> str:
        return "NoSuchMoves"


class Shallow(gls.LinKernighan):
    """Chains of several edges that claim to be short."""

    deep = False


FAULTS: dict[str, tuple[Any, str]] = {
    "overstates": (MyTwoOpt(claim="2 * gain"), "claims to gain .* but makes the tour .* shorter"),
    "adds a little": (MyTwoOpt(claim="gain + 3"), "claims to gain"),
    "understates": (MyTwoOpt(claim="gain > 1 ? gain / 2 : gain"), "claims to gain"),
    "forgets the closing edge": (
        MyTwoOpt(added="first.length - first.gain"),
        "claims to gain .* and adds",
    ),
    "asks length where it leaves": (
        MyTwoOpt(leaving="length"),
        r"is fixed; .*view\.leaving\(a, b\)",
    ),
    "lengths alone": (
        MyTwoOpt(judged="View::Lengths::gain("),
        r"claims to gain .* cheaper under the objective 'surcharges'.*view\.gain\(move, ",
    ),
    "another move": (MyTwoOpt(side="+"), "is not a move: t4=.* must lie just before t3"),
    "a shape of chains": (MyTwoOpt(shape="kBridge"), "kFlips, kSwap or kTurn, not kBridge"),
    "another shape": (MyTwoOpt(shape="kSwap", edges="3"), "is not a move: t4=.* just behind t3"),
    "too many edges": (MyTwoOpt(edges="9"), r"has 9 edges, .*; write the move with move\.set"),
    "no edges": (
        MyTwoOpt(edges="0"),
        r"kFlips with 0 edges claims .* 0 edges, not 2 to 8; write the move with (?!.*gain)",
    ),
    "no variants": (MyTwoOpt(variants="0"), r"variants\(7\) is 0"),
    "no moves": (MyTwoOpt(claim="0 * gain"), "offers no move"),
    "shares other gains": (
        MyTwoOpt(more=EACH_GAIN.format(gain=SHARED + " / 2")),
        r"gain\(\) returns .* but each_gain\(\) reports",
    ),
    "directed lengths": (
        OneWay(),
        "but makes the tour .*: set reverses = True",
    ),
    "one city of a long tour": (
        MyTwoOpt(claim="first.t2 == 77 ? gain + 3 : gain"),
        "TSP.*90.*in row .*t2=77.* claims to gain",
    ),
    "loses": (
        MyTwoOpt(claim="gain < 0 ? 1 : gain"),
        r"claims to gain 1, but makes the tour \d+ longer",
    ),
    "against the direction": (Backward(), r"but makes the tour .*; lengths are directed: pass the"),
    "more variants in C++": (MyTwoOpt(variants="2"), "returns 1 in Python, but 2 in C++"),
    "four edges": (Shallow(6), r"exchanges \d edges, but deep is False; set deep = True"),
    "no C++": (
        MyTwoOpt(claim="undefined"),
        "(?s)raised CompilationError: .*undefined.*; correct the first",
    ),
    "another name": (Misnamed(), "(?s)NoSuchMoves.*Check .*third_party.py .*; header, functor"),
}


@ON_BOTH
@pytest.mark.parametrize("fault", slow_after(9, FAULTS))
def test_a_faulty_neighbourhood_is_found_out(fault, backend):
    found_out(check_neighbourhood, *FAULTS[fault], backend=backend)


def test_a_neighbourhood_that_reads_beyond_its_arrays_is_found_out():
    part = MyTwoOpt(claim="gain + view.candidates.city(0xfffffff0u)")
    found_out(check_neighbourhood, part, r"gain\(\) ended the process with SIG", backend="cpu")


@pytest.mark.slow
def test_a_neighbourhood_that_never_ends_is_found_out(monkeypatch):
    monkeypatch.setattr("gpu_ls_plugin.testing.subject.PATIENCE", 3.0)
    endless = MyTwoOpt(claim="[&] { volatile int at = 1; while (at) at = at; return gain; }()")
    found_out(check_neighbourhood, endless, r"gain\(\) did not finish within", backend="cpu")


@pytest.mark.slow
@ON_BOTH
def test_a_neighbourhood_that_is_right_passes(backend):
    check_neighbourhood(MyTwoOpt(more=EACH_GAIN.format(gain=SHARED)), backend=backend)


@pytest.mark.parametrize(
    "part",
    slow_after(1, [gls.OrOpt(2), gls.ThreeOpt(), gls.LinKernighan(6), gls.LinKernighanLead(12)]),
    ids=repr,
)
def test_offers_of_built_in_neighbourhoods_pass(part):
    problem = gls.TSP([(x * x % 37, x * 5 % 23) for x in range(30)], "EUC_2D")
    check_neighbourhood(part, [problem], backend="cpu")


def test_filtered_moves_are_refused():
    with pytest.raises(InvalidTypeError, match="check_filter"):
        check_neighbourhood(gls.FilteredNeighbourhood())


@pytest.mark.parametrize("judged", ["view.gain(move, ", "View::Lengths::gain("])
def test_moves_are_judged_by_the_costs_of_a_given_problem(judged):
    points = np.random.default_rng(1).integers(0, 1000, (30, 2))
    problem = gls.TSP(points, "EUC_2D").under(Tolls(some_tolls(30)))
    part = MyTwoOpt(judged=judged)
    if "move" in judged:
        check_neighbourhood(part, [problem], backend="cpu")
    else:
        words = r"cheaper under the objective 'tolls'.*; .*view\.gain\(move, removed, added\)"
        found_out(check_neighbourhood, part, words, problems=[problem], backend="cpu")


def test_a_search_under_an_objective_says_how_to_gain():
    points = np.random.default_rng(1).integers(0, 1000, (30, 2))
    problem = gls.TSP(points, "EUC_2D").under(Tolls(some_tolls(30)))
    search = gls.LocalSearch([MyTwoOpt(judged="View::Lengths::gain(")])
    with pytest.raises(FaultyPartError, match=r"view\.gain\(move, removed, added\).*problems="):
        search(problem, gls.random_tours(problem, 4, seed=1, backend="cpu"), backend="cpu")


def test_a_fault_that_only_searches_meet_is_not_said_to_be_found_by_the_check():
    # Five short edges in a row hardly occur in random tours.
    short = " && ".join(f"view.length(path.at({k}), path.at({k + 1})) < 200" for k in range(5))
    part = MyTwoOpt(claim=f"view.tour.n > 61 && {short} ? gain + 1 : gain")
    with pytest.raises(PartCheckError, match="all moves in random tours are right") as caught:
        check_neighbourhood(part, seed=3, backend="cpu")
    assert "check_neighbourhood" not in str(caught.value)


def test_moves_that_need_longer_tours_are_told_of():
    part = MyTwoOpt(claim="view.tour.n > 61 ? gain : 0 * gain")
    words = r"offers no move in any random tour; .*pass problems=\[\.\.\.\] that are large enough"
    found_out(check_neighbourhood, part, words, backend="cpu")


@pytest.mark.parametrize(
    ("t", "words"),
    [
        ((6, 0, 3, 4, 0, 1, 0, 0), r"t7=0 and t8=0 are the same city: .* write move\.t\[6\]"),
        ((6, 0, 3, 4, 0, 1, 3, 5), "t8=5 must lie just before t7=3"),
        ((6, 0, 3, 4, 5, 6, 3, 2), "t6=6 must lie just behind t5=5, and both at or before t3=3"),
    ],
)
def test_ends_that_do_not_fit_the_shape_are_described(t, words):
    with pytest.raises(NotAMove, match=words):
        after(range(7), Offer(SWAP, 1, 4, t))


def test_moves_without_a_shape_or_edges_are_described():
    assert str(Offer(7, 1, 2, (4, 5, 6, 7))) == "shape 7 with t1=4, t2=5, t3=6, t4=7"
    assert str(Offer(0, 1, -1, (4, 5, 6, 7))) == "kFlips with -1 edges"
    with pytest.raises(NotAMove, match="not shape 7"):
        after([4, 5, 6, 7], Offer(7, 1, 2, (4, 5, 6, 7)))
