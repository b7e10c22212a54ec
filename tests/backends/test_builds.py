"""Kernels are built once, by whoever asks first, and searches with a time limit need not wait."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from gpu_ls_plugin.backends.beside import Aside, Stopped
from gpu_ls_plugin.backends.builds import (
    Builds,
    NotBuiltError,
    all_waiting,
    in_background,
    waits,
)
from gpu_ls_plugin.backends.composition import TEAM, Kernel
from gpu_ls_plugin.core.compilations import compilations
from tests.helpers.marks import slow_after
from tests.helpers.noting_compiler import noting_compiler
from tests.helpers.processes import run_python

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("as_users_wait")

KERNEL = Kernel("some", TEAM, "gls::Some", (), "gls::Host")
OTHER = Kernel("other", TEAM, "gls::Other", (), "gls::Host")


class Workshop:
    """Builds a kernel when `go` is set, and notes what it has begun to build."""

    def __init__(self, *errors: BaseException) -> None:
        self.begun: list[str] = []
        self.go = threading.Event()
        self._errors = list(errors)

    def __call__(self, kernel: Kernel) -> str:
        self.begun.append(kernel.name)
        assert self.go.wait(60)
        if self._errors:
            raise self._errors.pop(0)
        return f"built {kernel.name}"


def until(condition: Callable[[], Any]) -> None:
    """Wait for a condition, for at most a minute."""
    pause = threading.Event()
    for _ in range(6000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("the condition was never met")


def test_threads_that_ask_together_share_one_build() -> None:
    shop = Workshop()
    builds = Builds(shop)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(builds.get, KERNEL) for _ in range(4)]
        until(lambda: shop.begun)
        shop.go.set()
        assert {answer.result() for answer in answers} == {"built some"}
    assert shop.begun == ["some"]


def test_different_kernels_are_built_at_the_same_time() -> None:
    shop = Workshop()
    builds = Builds(shop)
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(builds.get, kernel) for kernel in (KERNEL, OTHER)]
        until(lambda: len(shop.begun) == 2)
        shop.go.set()
        assert [answer.result() for answer in answers] == ["built some", "built other"]


def test_a_search_that_does_not_wait_finds_the_kernel_later() -> None:
    shop = Workshop()
    builds = Builds(shop)
    with in_background():
        for _ in range(3):
            with pytest.raises(NotBuiltError, match="some"):
                builds.get(KERNEL)
        shop.go.set()
        until(lambda: KERNEL in builds._ready)
        assert builds.get(KERNEL) == "built some"
    assert shop.begun == ["some"]


def test_who_waits_takes_over_what_nobody_has_begun() -> None:
    shop = Workshop()
    builds = Builds(shop)
    builds.begin(KERNEL)  # is being built, so that OTHER has to wait for its turn
    until(lambda: shop.begun)
    builds.begin(OTHER)
    answer: list[str] = []
    waiting = threading.Thread(target=lambda: answer.append(builds.get(OTHER)))
    waiting.start()
    until(lambda: shop.begun == ["some", "other"])
    shop.go.set()
    waiting.join()
    assert answer == ["built other"] and builds.get(KERNEL) == "built some"
    assert shop.begun == ["some", "other"]


def test_an_error_reaches_the_next_launch_and_the_one_after_tries_again() -> None:
    shop = Workshop(ValueError("broken"))
    builds = Builds(shop)
    shop.go.set()
    builds.begin(KERNEL)
    until(lambda: builds._asked[KERNEL].done())
    with in_background(), pytest.raises(ValueError, match="broken"):
        builds.get(KERNEL)
    assert builds.get(KERNEL) == "built some"


def test_ctrl_c_in_one_thread_leaves_the_kernel_to_another() -> None:
    shop = Workshop(KeyboardInterrupt())
    builds = Builds(shop)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(builds.get, KERNEL)
        until(lambda: shop.begun)
        second = pool.submit(builds.get, KERNEL)
        shop.go.set()
        with pytest.raises(KeyboardInterrupt):
            first.result()
        assert second.result() == "built some"


def test_blocks_in_which_all_wait_may_overlap() -> None:
    first, second = all_waiting(), all_waiting()
    with in_background():
        for begin_or_end, waiting in (
            (first.__enter__, True),
            (second.__enter__, True),
            (partial(first.__exit__, None, None, None), True),
            (partial(second.__exit__, None, None, None), False),
        ):
            begin_or_end()
            assert waits() is waiting


def test_displays_know_the_name_of_a_kernel_being_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilations, "count", 0)

    def build(kernel: Kernel) -> str:
        with compilations.running("with cc"):
            return compilations.names

    builds = Builds(build)
    assert builds.get(KERNEL) == "some" and builds.get(OTHER) == "other (1 done)"


def test_work_beside_a_search_ends_with_the_kernel_that_it_is_building() -> None:
    shop = Workshop()
    builds = Builds(shop)
    ends: list[BaseException] = []

    def work() -> None:
        try:
            builds.get(KERNEL)
            builds.get(OTHER)
        except Stopped as end:
            ends.append(end)

    aside = Aside(work)
    until(lambda: shop.begun)
    aside.stop()
    shop.go.set()
    aside.join(60)
    assert shop.begun == ["some"] and len(ends) == 1


def test_processes_share_their_builds(tmp_path: Path) -> None:
    script = (
        "import numpy as np, gpu_ls_plugin as gls\n"
        "problem = gls.TSP(np.random.default_rng(0).integers(0, 99, (20, 2)))\n"
        "gls.random_tours(problem, 2, seed=1, backend='cpu')"
    )
    own = {
        "CXX": noting_compiler(tmp_path, "sleep 0.5"),
        "GPU_LS_CACHE_DIR": str(tmp_path / "cache"),
    }
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(run_python, "-c", script, **own) for _ in range(2)]:
            done.result()
    assert (tmp_path / "begun").read_text().split() == ["random_tours"]
    assert not list((tmp_path / "cache").glob("*.lock"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "never"),
    slow_after(
        1,
        [
            ("gls.solve(gls.TSP(points), 0.3, backend='cpu')", "edge_assembly|random_tours"),
            ("gls.solve_many(points[None].repeat(20, 0), 0.3, backend='cpu')", "instance_crossing"),
            (
                "minimize(TSPProblem(gls.TSP(points)), MemeticGA(pop_size=20, backend='cpu'), "
                "('time', 0.3), seed=1)",
                "edge_assembly",
            ),
        ],
    ),
)
def test_timed_runs_end_without_kernels_of_later_stages(
    tmp_path: Path, call: str, never: str
) -> None:
    script = (
        "import numpy as np, gpu_ls_plugin as gls\n"
        "from gpu_ls_pymoo import MemeticGA, TSPProblem\n"
        "from pymoo.optimize import minimize\n"
        "points = np.random.default_rng(0).random((60, 2))\n"
        f"{call}"
    )
    block = f'case "$name" in {never}) sleep 600 ;; esac'
    own = {
        "CXX": noting_compiler(tmp_path, block),
        "GPU_LS_CACHE_DIR": str(tmp_path / "cache"),
    }
    run_python("-c", script, **own)
    assert set((tmp_path / "begun").read_text().split()) & set(never.split("|"))


@pytest.mark.slow
def test_a_long_kernel_is_compiled_quickly_first_and_optimised_if_used(tmp_path: Path) -> None:
    """The process waits for the optimised one at its end, so that the next process finds it."""
    script = (
        "import numpy as np, gpu_ls_plugin as gls\n"
        "points = np.random.default_rng(0).integers(0, 99, (20, 2))\n"
        "problem = gls.TSP(points)\n"
        "rows = np.random.default_rng(1).permuted(np.arange(20)[None].repeat(4, 0), axis=1)\n"
        "for _ in range(CALLS):\n"
        "    print(gls.LocalSearch()(problem, rows, backend='cpu').costs.tolist())"
    )
    block = 'case "$*" in *-O3*-O1*) echo "quick $name" >> {folder}/quick ;; esac'
    own = {
        "CXX": noting_compiler(tmp_path, block.format(folder=tmp_path)),
        "GPU_LS_CACHE_DIR": str(tmp_path / "cache"),
    }
    printed = []
    for calls, builds in ((1, 1), (40, 2), (40, 2)):  # the second process optimises it
        code = script.replace("CALLS", str(calls))
        printed.append(run_python("-c", code, without=["GPU_LS_CXXFLAGS"], **own))
        begun = (tmp_path / "begun").read_text().split()
        assert begun.count("descent") == builds and begun.count("tour_cost") == 1
    assert (tmp_path / "quick").read_text() == "quick descent\n"
    assert set("".join(printed).splitlines()) == {printed[0].strip()}


def test_what_is_not_urgent_begins_once_no_search_waits() -> None:
    shop, done = Workshop(), []
    builds = Builds(shop)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(builds.get, KERNEL)
        until(lambda: shop.begun)
        later = Aside(lambda: done.append("later"), urgent=False)
        Aside(lambda: done.append("urgent")).join(60)
        assert done == ["urgent"]
        shop.go.set()
        waiting.result()
    later.join(60)
    assert done == ["urgent", "later"]
