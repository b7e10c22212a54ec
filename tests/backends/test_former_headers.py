"""Headers that have moved since version 0.1 are found under their former paths."""

from __future__ import annotations

from importlib import resources

import pytest

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters, paste, present
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.former_rooms import FORMER_FOLDERS, RENAMED_HEADERS

PACKAGE = resources.files("gpu_ls_plugin")
# Headers that the documentation of version 0.1 named.
NAMED = {
    "acceptance/rules.cuh": "runs/acceptance.cuh",
    "candidates/near_cities.cuh": "tours/candidates/near_cities.cuh",
    "construction/greedy.cuh": "tours/construction/greedy.cuh",
    "construction/routes/vehicles.cuh": "routes/problem/vehicles.cuh",
    "filtering/filter.cuh": "tours/filters/filter.cuh",
    "heuristics/heuristic.cuh": "assignment/heuristics/heuristic.cuh",
    "heuristics/masks/value_set.cuh": "assignment/heuristics/masks/value_set.cuh",
    "include/instance.cuh": "tours/problem/instance.cuh",
    "include/philox.cuh": "backends/include/philox.cuh",
    "neighbourhoods/checked.cuh": "tours/moves/checked.cuh",
    "neighbourhoods/route_swap_star.cuh": "routes/moves/route_swap_star.cuh",
    "objectives/objective.cuh": "tours/problem/objective.cuh",
    "objectives/route_pieces.cuh": "routes/problem/route_pieces.cuh",
    "perturbations/bridge_cuts.cuh": "tours/kicks/bridge_cuts.cuh",
    "problems/assignment.cuh": "assignment/problem/assignment.cuh",
    "recombination/edge_assembly.cuh": "tours/crossovers/edge_assembly.cuh",
    "resources/resource.cuh": "routes/problem/resources/resource.cuh",
    "searches/chains/chain.cuh": "tours/engines/chains/chain.cuh",
    "searches/chains/linked_chain.cuh": "routes/engines/linked_chain.cuh",
    "searches/descent/scout.cuh": "tours/engines/descent/scout.cuh",
    "searches/exhaustive/random_k.cuh": "tours/engines/exhaustive/random_k.cuh",
    "searches/filtered/whole_mode.cuh": "tours/engines/filtered/whole_mode.cuh",
    "searches/instances/instances.cuh": "tours/many/instances.cuh",
    "searches/search_state.cuh": "tours/engines/search_state.cuh",
    "searches/successors/release.cuh": "assignment/engines/release.cuh",
    "successors/side_by_side.cuh": "assignment/successors/side_by_side.cuh",
    "tours/linked_routes.cuh": "routes/kernels/linked_routes.cuh",
    "tours/tour.cuh": "tours/kernels/tour.cuh",
}


@pytest.mark.parametrize("former", NAMED)
def test_former_paths_lead_to_present_headers(former: str) -> None:
    assert present(former) == NAMED[former]
    assert present(NAMED[former]) == NAMED[former]


def test_each_folder_and_each_name_of_the_tables_is_needed() -> None:
    folders = {former.rpartition("/")[0] for former in NAMED}
    assert folders == {*FORMER_FOLDERS, "acceptance"}
    assert all((PACKAGE / room).is_dir() for rooms in FORMER_FOLDERS.values() for room in rooms)
    assert all((PACKAGE / f"{path}.cuh").is_file() for path in RENAMED_HEADERS.values())


def test_a_header_is_pasted_once_under_all_its_names() -> None:
    pasted: set[str] = set()
    assert paste("include/metric.cuh", pasted) == paste("tours/problem/metric.cuh", set())
    assert paste("tours/problem/metric.cuh", pasted) == paste("include/team.cuh", pasted) == ""


def test_kernels_and_structs_accept_former_paths() -> None:
    kernels = [
        Kernel("k", header, "K", parse_parameters("int n"), "gls::Host", headers=(more,))
        for header, more in [
            ("neighbourhoods/move.cuh", "include/philox.cuh"),
            ("tours/moves/move.cuh", "backends/include/philox.cuh"),
        ]
    ]
    assert kernels[0].source == kernels[1].source
    former = struct_of("include/instance.cuh", "Instance")
    assert former == struct_of("tours/problem/instance.cuh", "Instance")


def test_unknown_headers_are_missing() -> None:
    with pytest.raises(FileNotFoundError):
        paste("include/no_such.cuh", set())
