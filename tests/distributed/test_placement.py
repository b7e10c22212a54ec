"""The worker that each island is placed on."""

from __future__ import annotations

from gpu_ls_plugin.distributed.workers import Placement


def placed(*workers: str) -> Placement:
    placement = Placement(patience=5.0)
    placement.update(list(workers))
    return placement


def test_each_island_has_a_worker_of_its_own_and_keeps_it() -> None:
    placement = placed("a", "b")
    assert [placement.place(island, 0.0) for island in (0, 1, 0, 1)] == ["a", "b", "a", "b"]


def test_an_island_that_has_lost_its_worker_waits_for_a_free_one() -> None:
    placement = placed("a", "b")
    for island in (0, 1):
        placement.place(island, 0.0)
    assert placement.update(["b"]) == [0]
    assert placement.place(0, 4.9) is None
    placement.update(["b", "c"])
    assert placement.place(0, 4.9) == "c"


def test_one_that_has_waited_shares_a_worker_until_one_is_free() -> None:
    placement = placed("a", "b")
    for island in (0, 1):
        placement.place(island, 0.0)
    placement.update(["b"])
    assert placement.place(0, 5.0) == "b"
    placement.update(["b", "c"])
    assert [placement.place(1, 0.0), placement.place(0, 0.0)] == ["c", "b"]


def test_without_workers_all_wait() -> None:
    placement = placed()
    assert placement.place(0, 100.0) is None


def test_a_worker_that_is_dropped_has_no_islands() -> None:
    placement = placed("a", "b")
    placement.place(0, 0.0)
    assert placement.drop("a") == [0]
    assert placement.place(0, 0.0) == "b"
