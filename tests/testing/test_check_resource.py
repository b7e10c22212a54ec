"""The check of resources passes those that are right and finds planted faults."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.routes.problem.resources.duration import Duration
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.testing import check_resource
from tests.helpers.routing import random_cvrp
from tests.routes.time_windows import TIME_WINDOWS, TimeWindows, some_windows
from tests.testing.faults import ON_BOTH, found_out

EXAMPLES = Path(__file__).parents[2] / "examples"
PROBLEM = random_cvrp("capacity", 24, 1, capacity=40)
BREAKS = runpy.run_path(str(EXAMPLES / "driver_breaks.py"))["Breaks"]
WINDOWS = some_windows(PROBLEM).windows
# Segments that are no sums, with the member that sums have.
ADDING = TIME_WINDOWS.replace("kAdds = false", "kAdds = true").replace(
    " private:",
    """  GLS_DEVICE Segment without(Segment whole, Segment first, Segment node) const {
    return {whole.duration - first.duration + node.duration, node.early, node.late,
            whole.warp - first.warp};
  }
 private:""",
)


class Changed(TimeWindows):
    """Time windows with another C++ text, another `excess` in Python, or other attributes."""

    def __init__(self, old: str = "", new: str = "", excess: Any = None, **others: Any) -> None:
        super().__init__(WINDOWS)
        assert old in TIME_WINDOWS
        vars(self).update(text=TIME_WINDOWS.replace(old, new), says=excess, **others)

    def source(self) -> str:
        return str(vars(self)["text"])

    def excess(self, problem: Any, rows: Any) -> Any:
        right, says = super().excess(problem, rows), vars(self)["says"]
        return says(right, rows) if says else right


class OneWay(TimeWindows):
    """Claims that the direction does not matter."""

    segments = 1


IN_PYTHON: dict[str, tuple[Any, str]] = {
    "another shape": (Changed(excess=lambda e, _: e[:, None]), r"excess\(\) returned"),
    "negative": (Changed(excess=lambda e, _: -e), r"excess\(\) returned .*0 or more"),
    "first node": (Changed(excess=lambda e, rows: e + rows[:, 0]), "begin at another place"),
    "of the batch": (Changed(excess=lambda e, _: e + len(e)), "rows 1 and 2 without"),
    "one way": (OneWay(WINDOWS), r"in the other direction, although turns\(\) is False"),
    "refuses all": (TimeWindows(WINDOWS[1:]), r"refuses every problem; pass problems="),
    "half a unit": (Changed(weight=lambda _: 0.5), r"weight\(\) returned 0\.5; .* an integer"),
    "no price": (Changed(weight=lambda _: 0), r"weight\(\) returned 0\.0"),
}
IN_CPP: dict[str, tuple[Any, str]] = {
    "too many words": (Changed("kWords = 4", "kWords = 5"), r"returned 4 words, but kWords is 5"),
    "small segments": (
        Changed(segment_bytes=lambda _: 24),
        r"segment_bytes\(\) returned 24, but a Segment has 32 bytes",
    ),
    "no warp": (
        Changed("a.warp + b.warp + warp", "a.warp + b.warp"),
        r"C\+\+ finds an excess of \d+, not \d+ as in Python, if it joins the first 1 nodes",
    ),
    "no C++": (Changed("return route.warp", "return undefined"), "its kernel raised"),
    "another excess": (
        Changed("return route.warp", "return route.warp / 2"),
        "not .* as in Python",
    ),
    "not turned": (Changed("kTurns = true", "kTurns = false"), "but kTurns is false"),
    "hidden sum": (Changed(TIME_WINDOWS, ADDING), "segments is 2, but kAdds is true"),
    "from one side": (Changed("- wait,\n", "- wait - 1,\n"), "if it joins the first"),
    "other copies": (
        Changed("gls::is_depot(node, customers) ? 0", "node > customers ? 1"),
        "not .* as in Python",
    ),
    "no sum": (Changed(TIME_WINDOWS, ADDING, segments=1, turns=lambda _: True), r"without\(\)"),
}


@pytest.mark.parametrize("fault", IN_PYTHON)
def test_faults_in_python_are_found(fault: str) -> None:
    resource, said = IN_PYTHON[fault]
    found_out(check_resource, resource, said, problems=[PROBLEM])


@pytest.mark.parametrize("fault", IN_CPP)
def test_faults_in_cpp_are_found(fault: str) -> None:
    resource, said = IN_CPP[fault]
    found_out(check_resource, resource, said, problems=[PROBLEM])


class Unturned(BREAKS):  # type: ignore[misc, valid-type]
    """Claims that segments have no direction, because the excess has none."""

    def turns(self, problem: Any) -> bool:
        return False

    def source(self) -> str:
        return super().source().replace("kTurns = true", "kTurns = false")


def test_segments_with_a_direction_are_found() -> None:
    rests = np.arange(len(WINDOWS)) % 4 == 0
    found_out(check_resource, Unturned(rests, 90), "if it goes back", problems=[PROBLEM])


def test_cheap_violations_do_not_pay() -> None:
    cheap = PROBLEM.with_resources(Changed(weight=lambda _: 1))
    starts = gls.one_route_each(cheap)
    assert cheap.feasible(starts).all()
    search = gls.LocalSearch([gls.RouteMoves(), gls.SwapStar()], gls.Nearest(7))
    found = search(cheap, starts, backend="cpu")
    assert found.feasible.all() and found.best_cost < cheap.cost(starts)


def test_windows_that_are_always_open_are_not_scarce() -> None:
    always = np.tile([0, 10**6], (len(WINDOWS), 1))
    said = r"excess\(\) is 0 for all random tours"
    found_out(check_resource, TimeWindows(always), said, problems=[PROBLEM])


@ON_BOTH
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["capacity", "directed"])
def test_time_windows_pass(kind: str, backend: str) -> None:
    problem = random_cvrp(kind, 24, 1, capacity=40)
    check_resource(some_windows(problem), [problem], backend=backend)


@ON_BOTH
@pytest.mark.slow
@pytest.mark.parametrize("resource", [Load(), Duration()], ids=["load", "duration"])
def test_built_in_resources_pass(resource: Any, backend: str) -> None:
    check_resource(resource, backend=backend)
