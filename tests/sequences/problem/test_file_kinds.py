"""Kinds of files: recognised by their content, and not taken from other domains."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.problem import file_kinds as assignment_kinds
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE, Content, domain_of
from gpu_ls_plugin.sequences.problem.file_kinds import (
    KINDS,
    fits_flow_shop,
    fits_linear_ordering,
)
from gpu_ls_plugin.solver.reading import read_problem

FLOW_SHOP = "3 2\n 3 1 2\n\n2 4 2\n"
LOLIB = "3\n7 1 2\n3 7 4\n5 6 7\n"
# A quadratic, a generalised assignment problem, several of these, a graph and a tour.
OTHERS = {
    "qap": "2\n0 1\n1 0\n\n0 3\n3 0\n",
    "gap": "2 3\n1 2 3\n4 5 6\n1 1 2\n2 2 1\n3 4\n",
    "gaps": "1\n2 3\n1 2 3\n4 5 6\n1 1 2\n2 2 1\n3 4\n",
    "square gap": "2 2\n1 2\n4 5\n1 1\n2 2\n3 4\n",
    "graph": "c 3\np edge 4 3\ne 1 2\n",
    "tour": "TYPE : TSP\nDIMENSION : 1\nNODE_COORD_SECTION\n1 0 0\nEOF\n",
    "text": "some words\n\nand more\n",
    "nothing": "",
    "blank": "\n\n",
}


def content(text):
    return Content(Path("a"), text.encode())


@pytest.mark.parametrize(
    ("text", "flow_shop", "linear_ordering"),
    [
        (FLOW_SHOP, SURE, NO),
        (FLOW_SHOP.replace("\n", "\r\n"), SURE, NO),
        ("3 2\n3 1 2\n2 4", SURE, NO),  # cut off: the reader says so
        ("3 2\n3 1", MAYBE, NO),
        ("3 2", MAYBE, NO),
        ("0 2\n1\n", NO, NO),
        ("3 2 1\n3 1 2\n", NO, NO),
        (LOLIB, NO, SURE),
        (f"Three sectors, 1975\n{LOLIB}", NO, SURE),
        (LOLIB.replace("\n", " "), NO, SURE),
        (LOLIB.replace("7", "-7"), NO, SURE),
        (LOLIB[:-2], NO, MAYBE),
        (LOLIB.replace("6", "x"), NO, MAYBE),
        (LOLIB.replace("\n", " ")[:-2], NO, NO),
        ("title\n", NO, NO),
    ],
)
def test_contents(text, flow_shop, linear_ordering):
    assert fits_flow_shop(content(text)) == flow_shop
    assert fits_linear_ordering(content(text)) == linear_ordering


@pytest.mark.parametrize("name", OTHERS)
def test_files_of_other_domains_are_left_to_them(name):
    given = content(OTHERS[name])
    fits = max(fits_flow_shop(given), fits_linear_ordering(given))
    others = [kind.fits(given) for kind in assignment_kinds.KINDS]
    assert fits < SURE
    assert max(others) == SURE or name in ("text", "nothing", "blank", "tour")


@pytest.mark.parametrize("text", [FLOW_SHOP, LOLIB, f"Sectors\n{LOLIB}"])
def test_other_domains_do_not_take_these_files(text):
    assert max(kind.fits(content(text)) for kind in assignment_kinds.KINDS) < SURE


def test_readers(tmp_path):
    path = tmp_path / "a.txt"
    flow_shop, linear_ordering = KINDS
    path.write_text(FLOW_SHOP)
    read = flow_shop.read(path, optimum=9, objective="total_flowtime")
    assert isinstance(read, gls.FlowShop) and read.optimum == 9
    assert read.objective.name == "total_flowtime"
    assert flow_shop.read(path, optimum=None).objective.name == "makespan"
    path.write_text(LOLIB)
    read = linear_ordering.read(path, optimum=14)
    assert isinstance(read, gls.LinearOrdering) and read.optimum == -14
    assert linear_ordering.read(path, optimum=None).optimum is None


def test_the_command_reads_and_draws(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(FLOW_SHOP)
    read = read_problem(path, objective="total_flowtime")
    assert repr(read) == "<FlowShop 'small': 3 jobs, 2 machines, total_flowtime>"
    domain = domain_of(read)
    with pytest.raises(SystemExit):
        parser = ArgumentParser()
        domain.arguments(parser)
        parser.parse_args(["--objective", "weighted_tardiness"])  # which needs due dates
    plot = domain.outputs()["plot"]
    result = gls.solve(read, seconds=0.1, backend="cpu")
    for target in (tmp_path / "a.png", tmp_path / "b.svg"):
        plot.check(read, target)
        plot.save(read, result, target)
        assert target.stat().st_size > 1000
    path.write_text(LOLIB)
    with pytest.raises(UnsupportedProblemError, match=r"plot: .* has no schedule"):
        plot.check(read_problem(path), target)
    with pytest.raises(InvalidParameterError, match="is a linear ordering problem"):
        read_problem(path, objective="makespan")
