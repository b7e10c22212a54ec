"""Files of all formats: the content decides how a file is read, before its suffix."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.core.exceptions import GpuLsError, InvalidParameterError
from gpu_ls_plugin.solver.reading import file_kinds, kind_of, read_problem
from tests.helpers.instances import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

TRIANGLE = (
    "NAME : t\nTYPE : TSP\nVEHICLES : 1\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\n"
    "NODE_COORD_SECTION\n1 0 0\n2 0 30\n3 40 30\n4 40 0\nEOF\n"
)
ROUTES = (
    "NAME : r\nTYPE : CVRP\nDIMENSION : 4\nCAPACITY : 4\nEDGE_WEIGHT_TYPE : EUC_2D\n"
    "NODE_COORD_SECTION\n1 0 0\n2 0 3\n3 0 5\n4 4 0\nDEMAND_SECTION\n1 0\n2 2\n3 2\n4 3\n"
    "DEPOT_SECTION\n1\n-1\nEOF\n"
)
GRAPH = "c a triangle\np edge 3 3\ne 1 2\ne 1 3\ne 2 3\n"
GAP = "2 3\n9 4 7\n3 8 2\n1 2 3\n3 2 1\n5 5\n"  # agents, jobs, costs, resources, capacities
GAPS = f"2\n{GAP}{GAP}"
QAP = "3\n\n0 1 2\n1 0 3\n2 3 0\n\n0 2 1\n2 0 1\n1 1 0\n"
FLOW_SHOP = "3 2\n3 1 2\n2 4 2\n"  # jobs, machines, times on each machine
LOLIB = "3\n7 1 2\n3 7 4\n5 6 7\n"

FILES = {  # content, kind, class
    "tsp": (TRIANGLE, "tsp", gls.TSP),
    "tsp without TYPE": (TRIANGLE.replace("TYPE : TSP\n", "", 1), "tsp", gls.TSP),
    "cvrp": (ROUTES, "cvrp", gls.CVRP),
    "cvrp without TYPE": (ROUTES.replace("TYPE : CVRP\n", ""), "cvrp", gls.CVRP),
    "graph": (GRAPH, "col", gls.GraphColouring),
    "gap": (GAP, "gap", gls.GeneralisedAssignment),
    "gaps": (GAPS, "gap", gls.GeneralisedAssignment),
    "qap": (QAP, "qap", gls.QuadraticAssignment),
    "qap of three matrices": (QAP + "0 0 0\n" * 3, "qap", gls.QuadraticAssignment),
    "flow shop": (FLOW_SHOP, "fsp", gls.FlowShop),
    "lolib": (LOLIB, "lop", gls.LinearOrdering),
    "lolib with a title": (f"3 sectors\n{LOLIB}", "lop", gls.LinearOrdering),
}
SUFFIX = ["", ".txt", *(suffix for kind in file_kinds().values() for suffix in kind.suffixes)]


@pytest.mark.parametrize("suffix", SUFFIX)
@pytest.mark.parametrize("name", FILES)
def test_the_content_outranks_the_suffix(name: str, suffix: str, tmp_path: Path) -> None:
    content, kind, made = FILES[name]
    if suffix in (".vrp", ".cvrp") and name == "tsp without TYPE":
        pytest.skip("it may be a CVRP without demands")
    path = tmp_path / f"file{suffix}"
    path.write_bytes(b"\xef\xbb\xbf" + content.encode())
    assert kind_of(path) == kind
    assert type(read_problem(path)) is made


@pytest.mark.parametrize("content", ["", "\0", "1 x", "7 7 7 7", "c only comments\n", "TYPE : ?"])
def test_the_suffix_decides_the_kind_of_a_damaged_file(content: str, tmp_path: Path) -> None:
    for suffix in SUFFIX:
        path = tmp_path / f"file{suffix}"
        path.write_text(content)
        with pytest.raises(GpuLsError, match=r"file\b"):
            read_problem(path)


def test_the_suffix_decides_between_two_kinds_that_fit(tmp_path: Path) -> None:
    # Two problems of 1 x 1 and 1 x 2 agents and jobs, or three matrices of two facilities.
    for suffix, kind in ((".dat", "qap"), (".txt", "gap"), (".gap", "gap")):
        path = tmp_path / f"file{suffix}"
        path.write_text("2\n1 1 5 5 5\n1 2 5 5 5 5 5\n")
        assert kind_of(path) == kind


@pytest.mark.parametrize("name", ["tsp", "cvrp", "graph", "gap", "qap", "flow shop", "lolib"])
def test_options_are_those_of_the_kind(name: str, tmp_path: Path) -> None:
    given = {"vehicles": 2, "rounding": "none", "colours": 3, "which": 1, "sense": "max"}
    given |= {"objective": "makespan"}
    own = {"cvrp": {"vehicles", "rounding"}, "graph": {"colours"}, "gap": {"which", "sense"}}
    own |= {"flow shop": {"objective"}}
    path = tmp_path / "file"
    path.write_text(FILES[name][0])
    for option, value in given.items():
        if option in own.get(name, ()):
            read_problem(path, **{option: value})
        else:
            with pytest.raises(InvalidParameterError, match=rf"^{option}: .*leave it out"):
                read_problem(path, **{option: value})
        read_problem(path, **{option: None})
    with pytest.raises(InvalidParameterError, match="kind: 'sat' is not one of tsp, "):
        read_problem(path, kind="sat")


def test_the_command_line_reads_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.vrp"
    path.write_text(TRIANGLE)
    assert main(["solve", str(path), "--seconds", "0.2", "--backend", "cpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["best_cost"] == 140


FOREIGN = ("routing/[!v]*/*.vrp", "routing/vrpb/*.vrp")


@pytest.mark.parametrize("pattern", FOREIGN)
def test_files_of_other_problems_are_refused(pattern: str) -> None:
    paths = sorted(FOLDER.glob(pattern))
    if not paths:
        pytest.skip(f"no instances in {FOLDER}")
    for path in paths:
        with pytest.raises(GpuLsError, match=path.name):
            read_problem(path)


LIBRARY = {"tsp": "tsp/*.tsp", "cvrp": "cvrp/*/*.vrp", "gap": "gap/*.txt", "qap": "qap/*.dat"}
LIBRARY |= {"fsp": "flowshop/*/*.txt", "lop": "lop/*", "vrptw": "routing/solomon/*.txt"}


@pytest.mark.parametrize("kind", LIBRARY)
def test_files_of_the_libraries_are_recognised(kind: str, tmp_path: Path) -> None:
    paths = sorted(FOLDER.glob(LIBRARY[kind]))
    if not paths:
        pytest.skip(f"no instances in {FOLDER}")
    found: dict[str, Any] = {path.name: kind_of(path) for path in paths}
    assert found == dict.fromkeys(found, kind)
    bare = tmp_path / "bare"
    bare.write_bytes(paths[0].read_bytes())
    assert kind_of(bare) == kind
