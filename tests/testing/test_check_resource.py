"""The check of resources passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import Any

import pytest

from gpu_ls_plugin.routes.problem.resources.duration import Duration
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.testing import check_resource
from tests.helpers.marks import slow_after
from tests.helpers.routing import random_cvrp
from tests.routes.time_windows import TIME_WINDOWS, TimeWindows, some_windows
from tests.testing.faults import ON_BOTH, found_out

PROBLEM = random_cvrp("capacity", 24, 1, capacity=40)
WINDOWS = some_windows(PROBLEM).windows
TURNED = "{segment.back, segment.there}"


class Changed(TimeWindows):
    """Time windows with another C++ text or another `excess` in Python."""

    def __init__(self, old: str = "", new: str = "", excess: Any = None) -> None:
        super().__init__(WINDOWS)
        assert old in TIME_WINDOWS
        vars(self).update(text=TIME_WINDOWS.replace(old, new), says=excess)

    def source(self) -> str:
        return str(vars(self)["text"])

    def excess(self, problem: Any, rows: Any) -> Any:
        right, says = super().excess(problem, rows), vars(self)["says"]
        return says(right, rows) if says else right


class OneWay(TimeWindows):
    """Claims that the direction does not matter."""

    segments = 1


FAULTS: dict[str, tuple[Any, str]] = {
    "another shape": (Changed(excess=lambda e, _: e[:, None]), r"excess\(\) returned"),
    "negative": (Changed(excess=lambda e, _: -e), r"excess\(\) returned .*0 or more"),
    "first node": (Changed(excess=lambda e, rows: e + rows[:, 0]), "begin at another place"),
    "of the batch": (Changed(excess=lambda e, _: e + len(e)), "rows 1 and 2 without"),
    "one way": (OneWay(WINDOWS), "in the other direction, although segments is 1"),
    "refuses all": (TimeWindows(WINDOWS[1:]), r"refuses every problem; pass problems="),
    "no scarcity": (Changed(excess=lambda e, _: 0 * e), r"excess\(\) is 0 for all random tours"),
    "no C++": (
        Changed("return route.warp", "return undefined"),
        "chains raised",
    ),
    "not turned": (
        Changed("kTurns = true", "kTurns = false"),
        "chains have costs",
    ),
    "no warp": (Changed("a.warp + b.warp + warp", "a.warp + b.warp"), "chains have costs"),
}


@pytest.mark.parametrize("fault", slow_after(7, list(FAULTS)))
def test_faults_are_found(fault: str) -> None:
    resource, said = FAULTS[fault]
    found_out(check_resource, resource, said, problems=[PROBLEM])


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
