"""Searches as text: they are read or refused, and nothing is evaluated."""

from __future__ import annotations

import dataclasses
import inspect
import itertools

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InvalidParameterError,
    InvalidTypeError,
    UnknownPartError,
)
from gpu_ls_plugin.core.registry import Part, registry
from gpu_ls_plugin.plugins.search_text import parse_search, text_of
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.candidates.union import Union

SEARCH, TWO, OR, LK = gls.LocalSearch, gls.TwoOpt, gls.OrOpt, gls.LinKernighan
ITERATED, FILTERED = gls.IteratedLocalSearch, gls.FilteredNeighbourhood
BOUND, AWAKE, NEAR = gls.GainBound(), gls.DontLook(), gls.Radius(100)

READ = {
    "local_search": SEARCH(),
    "LocalSearch()": SEARCH(),
    "two_opt+or_opt": SEARCH(),
    " TwoOpt() + OrOpt ": SEARCH(),
    "two_opt+or_opt(2)/quadrant(10)/first": SEARCH([TWO(), OR(2)], Quadrant(10), gls.First()),
    "two_opt/nearest(8)/multi(32)": SEARCH([TWO()], Nearest(8), gls.Multi(32)),
    "or_opt(max_length=1)/best": SEARCH([OR(1)], pivoting=gls.Best()),
    "or_opt/best/nearest(7)": SEARCH([OR()], Nearest(7), gls.Best()),
    "two_opt/all/best": SEARCH([TWO()], All(), gls.Best()),
    "two_opt/quadrant(8)|nearest(5)": SEARCH([TWO()], Quadrant(8) | Nearest(5)),
    "lin_kernighan": SEARCH([LK()], Alpha(5)),
    "LinKernighan(4, breadth=(5, 3, 1))/nearest": SEARCH([LK(4, (5, 3, 1))], Nearest()),
    "lin_kernighan+or_opt/first": SEARCH([LK(), OR()], Alpha(5)),
    "three_opt/random_k": SEARCH([gls.ThreeOpt()], All(), gls.RandomK()),
    "LocalSearch([TwoOpt()], candidates=All(), pivoting=Best(), moves_per_pass=8)": SEARCH(
        [TWO()], All(), gls.Best(), moves_per_pass=8
    ),
    "LocalSearch(['two_opt', OrOpt(2)], Quadrant(8) | nearest, 'best')": SEARCH(
        [TWO(), OR(2)], Quadrant(8) | Nearest(), gls.Best()
    ),
    "LocalSearch((TwoOpt,), layout='warp')": SEARCH([TWO()], layout="warp"),
    "iterated_local_search": ITERATED(),
    "IteratedLocalSearch(LocalSearch([LinKernighan(3)], Alpha(5)), DoubleBridge(segment=50), "
    "Better())": ITERATED(SEARCH([LK(3)], Alpha(5)), gls.DoubleBridge(50), gls.Better()),
    "iterated_local_search(lin_kernighan(3)/alpha(4)|nearest(3), double_bridge(9), better)": (
        ITERATED(SEARCH([LK(3)], Alpha(4) | Nearest(3)), gls.DoubleBridge(9), gls.Better())
    ),
    "IteratedLocalSearch(or_opt, accept=annealing(0.5), kicks_per_city=2)": ITERATED(
        SEARCH([OR()]), accept=gls.Annealing(0.5), kicks_per_city=2
    ),
    "IteratedLocalSearch(local_search, perturbation=Restart, restart_after=7)": ITERATED(
        SEARCH(), gls.Restart(), restart_after=7
    ),
    "IteratedLocalSearch(LocalSearch([two_opt], layout='block'), cooperation=Migration(0.5))": (
        ITERATED(SEARCH([TWO()], layout="block"), cooperation=gls.Migration(0.5))
    ),
    "IteratedLocalSearch(two_opt/best, DoubleBridge(walk=3), Threshold(), cooperation=migration)": (
        ITERATED(
            SEARCH([TWO()], pivoting=gls.Best()),
            gls.DoubleBridge(walk=3),
            gls.Threshold(),
            cooperation=gls.Migration(),
        )
    ),
    "LocalSearch([two_opt], Union(nearest, all) | alpha(3), layout='warp')": (
        SEARCH([TWO()], Union(Nearest(), All()) | Alpha(3), layout="warp")
    ),
    "filtered_neighbourhood": SEARCH([FILTERED()], All(), gls.Best()),
    "filtered_neighbourhood/nearest(7)/first": SEARCH([FILTERED()], Nearest(7), gls.First()),
    "LocalSearch([filtered_neighbourhood])": SEARCH([FILTERED()], All(), gls.First()),
    "filtered_neighbourhood(three_opt, gain_bound & ~dont_look | radius(100))/best": SEARCH(
        [FILTERED(gls.ThreeOpt(), (BOUND & ~AWAKE) | NEAR)], pivoting=gls.Best()
    ),
    "filtered_neighbourhood(filter=~(radius(100) | dont_look) & gain_bound & random_keep(0.5))": (
        SEARCH([FILTERED(TWO(), ~(NEAR | AWAKE) & BOUND & gls.RandomKeep(0.5))], All(), gls.Best())
    ),
    "FilteredNeighbourhood(ThreeOpt(), GainBound() & InCandidates(Nearest(8)), mode='fused')": (
        SEARCH(
            [FILTERED(gls.ThreeOpt(), BOUND & gls.InCandidates(Nearest(8)), "fused")],
            pivoting=gls.Best(),
        )
    ),
    "filtered_neighbourhood(filter=in_candidates(quadrant(8) | nearest(5)))/first": SEARCH(
        [FILTERED(filter=gls.InCandidates(Quadrant(8) | Nearest(5)))]
    ),
    "IteratedLocalSearch(filtered_neighbourhood(filter='dont_look'), kicks_per_city=1)": ITERATED(
        SEARCH([FILTERED(filter=AWAKE)], pivoting=gls.Best()), kicks_per_city=1
    ),
}


@pytest.mark.parametrize("text", READ)
def test_texts_are_read(text: str) -> None:
    assert parse_search(text) == READ[text]


@pytest.mark.parametrize("search", READ.values(), ids=str)
def test_the_text_of_a_search_is_read_as_the_same_search(search: object) -> None:
    assert parse_search(text_of(search)) == search


def test_texts_are_short_and_name_every_part() -> None:
    assert text_of(SEARCH()) == "TwoOpt()+OrOpt(max_length=3)/Nearest(k=10)/First(best_of='city')"
    both = SEARCH([TWO()], Union(Union(Nearest(3), Quadrant(4)), Alpha(5)))
    assert (
        text_of(both)
        == "TwoOpt()/Nearest(k=3)|Quadrant(m=4)|Alpha(k=5, steps=30)/First(best_of='city')"
    )
    assert text_of(print) == str(print)
    filtered = FILTERED(gls.ThreeOpt(), (BOUND & ~AWAKE) | NEAR)
    assert text_of(SEARCH([filtered])) == (
        "FilteredNeighbourhood(neighbourhood=ThreeOpt(), filter=((GainBound() & ~DontLook()) | "
        "Radius(r=100.0)), mode='auto', mapping='roots')/All()/First(best_of='city')"
    )
    bridge = gls.DoubleBridge(50)
    iterated = ITERATED(SEARCH(), bridge, gls.Better(), cooperation=gls.Migration())
    assert text_of(iterated) == (
        f"IteratedLocalSearch({text_of(SEARCH())}, {bridge}, Better(), "
        "cooperation=Migration(every=1.0, share=0.5))"
    )


REFUSED = {
    "two_op": (UnknownPartError, "did you mean 'two_opt'"),
    "local_serch": (UnknownPartError, "did you mean 'local_search'"),
    "two_opt/nearst": (UnknownPartError, "did you mean 'nearest'"),
    "two_opt/frist": (UnknownPartError, "did you mean 'first'"),
    "two_opt+quadrant": (UnknownPartError, "no neighbourhood is called 'quadrant'"),
    "LocalSearch([TwoOp()])": (UnknownPartError, "did you mean 'two_opt'"),
    "random_restarts": (InvalidParameterError, "does not improve given tours"),
    "IteratedLocalSearch(random_restarts)": (InvalidParameterError, "'random_restarts' does not"),
    "IteratedLocalSearch(two_op/best)": (UnknownPartError, "did you mean 'two_opt'"),
    "IteratedLocalSearch(accept=beter)": (UnknownPartError, "did you mean 'better'"),
    "IteratedLocalSearch(cooperation=migrate)": (
        UnknownPartError,
        "did you mean 'migration'.* known: .*edge_assembly, .*merging, migration",
    ),
    "IteratedLocalSearch(cooperation=Migration(0))": (InvalidParameterError, "every: 0"),
    "IteratedLocalSearch(iterated_local_search)": (InvalidTypeError, "is not a LocalSearch"),
    "IteratedLocalSearch(two_opt, nearest)": (UnknownPartError, "no perturbation is called"),
    "two_opt(3)": (InvalidParameterError, "two_opt takes nothing"),
    "or_opt(lenght=3)": (InvalidParameterError, "'lenght'; or_opt takes max_length"),
    "or_opt(17)": (InvalidParameterError, "max_length: 17"),
    "or_opt('a')": (InvalidTypeError, "max_length: 'a'"),
    "or_opt(1+1)": (InvalidParameterError, "neither a literal nor a part"),
    "or_opt(1|2)": (InvalidParameterError, "neither a literal nor a part"),
    "or_opt({[]})": (InvalidParameterError, "neither a literal nor a part"),
    "LocalSearch([two_opt], nearest & all)": (
        InvalidParameterError,
        r"join candidate sets with \|",
    ),
    "LocalSearch([two_opt], nearest | 'all')": (InvalidParameterError, "\"'all'\" is not a part"),
    "filtered_neighbourhood(or_opt)": (InvalidTypeError, "OrOpt.* cannot be filtered"),
    "filtered_neighbourhood(two_opt, two_opt)": (UnknownPartError, "no filter is called 'two_opt'"),
    "filtered_neighbourhood(filter=gain_bond)": (UnknownPartError, "did you mean 'gain_bound'"),
    "filtered_neighbourhood(filter=gain_bound + dont_look)": (
        InvalidParameterError,
        "join filters with &, | and ~",
    ),
    "filtered_neighbourhood(filter=gain_bound and dont_look)": (
        InvalidParameterError,
        "join filters with &, | and ~",
    ),
    "filtered_neighbourhood(filter=gain_bound & 3)": (InvalidParameterError, "'3' is not a part"),
    "filtered_neighbourhood(filter=radius(-1))": (InvalidParameterError, "r: -1"),
    "filtered_neighbourhood(mode='mask')": (InvalidParameterError, "mode: 'mask'"),
    "filtered_neighbourhood(three_opt, mapping='no')": (InvalidParameterError, "mapping: 'no'"),
    "filtered_neighbourhood+or_opt": (InvalidParameterError, "is searched alone"),
    "filtered_neighbourhood/random_k": (InvalidParameterError, "is searched alone"),
    "or_opt(a)": (UnknownPartError, "^search: 'a' is neither a literal nor a part: "),
    "gain_bound": (UnknownPartError, "no neighbourhood is called 'gain_bound'"),
    "~two_opt": (InvalidParameterError, "is not a part"),
    "two_opt|or_opt": (InvalidParameterError, r"\+ between neighbourhoods"),
    "two_opt/nearest+all": (InvalidParameterError, r"\| between candidate sets"),
    "two_opt-or_opt": (InvalidParameterError, "a sign other than"),
    "two_opt/union(nearest(5), 5)": (InvalidTypeError, "second: 5 is not a candidate set"),
    "two_opt/union('nearest')": (InvalidTypeError, "first: 'nearest' is not a candidate set"),
    "two_opt/best/first": (InvalidParameterError, "pivoting is given more than once"),
    "two_opt/best|first": (InvalidParameterError, "pivoting is given more than once"),
    "two_opt/all/all": (InvalidParameterError, "candidates is given more than once"),
    "two_opt/": (InvalidParameterError, "cannot be read"),
    "(two_opt": (InvalidParameterError, "cannot be read"),
    "": (InvalidParameterError, "cannot be read"),
    "\0": (InvalidParameterError, "cannot be read"),
    "1": (InvalidParameterError, "'1' is not a part"),
    "two_opt.name": (InvalidParameterError, "is not a part"),
    "[two_opt]": (InvalidParameterError, "is not a part"),
    "(" * 400: (InvalidParameterError, "cannot be read"),
    "nearest(" * 90 + ")" * 90: (UnknownPartError, "neighbourhood"),
    "a+" * 501: (InvalidParameterError, "more than 1,000 characters"),
    "-" * 900 + "1": (InvalidParameterError, "nested too deeply"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_texts_are_refused(text: str) -> None:
    error, words = REFUSED[text]
    with pytest.raises(error, match=words):
        parse_search(text)


# A text with a placeholder for a part of each kind.
PLACES = {
    "candidates": "two_opt/{}",
    "neighbourhood": "{}",
    "filter": "filtered_neighbourhood(filter={})",
    "pivoting": "two_opt/{}",
    "perturbation": "iterated_local_search(two_opt, {})",
    "acceptance": "iterated_local_search(accept={})",
    "recombination": "iterated_local_search(cooperation={})",
    "cooperation": "iterated_local_search(cooperation={})",
    "search": "{}",
}
ODD = (
    *("None", "True", "-1", "0.5", "1e400", "10000000000000000000000", "'x'", "[]", "()", "b'1'"),
    *("[[1], 'a']", "{1: 2}", "...", "1j", "two_opt", "nearest", "[or_opt]", "nearest|all", "~all"),
)


@pytest.mark.parametrize("kind", PLACES)
def test_odd_arguments_raise_errors_of_the_library(kind: str) -> None:
    for part in registry.parts(kind):
        signature = inspect.signature(part.factory)
        for name, value in itertools.product(["", *signature.parameters], ODD):
            argument = f"{name}={value}" if name else value
            text = PLACES[kind].format(f"{part.name}({argument})")
            try:
                search = parse_search(text)
            except GpuLsError:
                continue
            assert text_of(search)


def test_the_longest_chain_of_parts_is_read() -> None:
    text = "+".join(["or_opt"] * 143)
    assert len(text) == 1000
    assert parse_search(text) == SEARCH([OR()] * 143)


def test_other_types_than_text_are_refused() -> None:
    with pytest.raises(InvalidTypeError, match="search: 5 is not a string"):
        parse_search(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('echo')",
        "or_opt(__import__('os').getpid())",
        "or_opt((lambda: 3)())",
        "or_opt([3 for _ in '1'][0])",
        "two_opt/nearest(k=open('/etc/passwd'))",
        "LocalSearch(**{'moves_per_pass': 1})",
        "LocalSearch(*[1])",
        "f'{print(1)}'",
    ],
)
def test_nothing_is_evaluated(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises((InvalidParameterError, InvalidTypeError, UnknownPartError)):
        parse_search(text)
    assert capsys.readouterr().out == ""


@dataclasses.dataclass(frozen=True)
class Swaps(gls.TwoOpt):
    """A registered foreign neighbourhood."""

    name = "swaps"


def test_registered_foreign_parts_are_read() -> None:
    registry.register(Part("neighbourhood", "Swaps", Swaps, "a test"))
    try:
        assert parse_search("Swaps()+or_opt") == SEARCH([Swaps(), OR()])
        with pytest.raises(UnknownPartError, match="did you mean 'Swaps'"):
            parse_search("Swapz")
    finally:
        registry.remove_owner("a test")
