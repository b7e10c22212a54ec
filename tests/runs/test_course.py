"""The way of a run through its stages, which may change those after them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.runs.plan import Found, Plan, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.runs.plan import After, Course

ROW = Found(np.arange(3), (0.0, 5.0))


def stage(
    name: str, after: After | None = None, prepare: Callable[..., object] | None = None
) -> Stage:
    return Stage(name, "", None, None, None, after=after, prepare=prepare)


def course(*stages: Stage) -> Course:
    return Plan(None, stages, 9.0, "cpu").course()


def names(way: Course) -> list[tuple[str, bool]]:
    """Return the names of the stages of a run, and whether each seemed to be the last."""
    seen = [(way.stage.name, way.last)]
    while way.go_on(ROW, 1.0):
        seen.append((way.stage.name, way.last))
    return seen


def test_stages_follow_each_other() -> None:
    way = course(stage("one"), stage("two"), stage("three"))
    assert names(way) == [("one", False), ("two", False), ("three", True)]
    assert not way.go_on(ROW, 1.0) and way.stage.name == "three"


def test_a_stage_replaces_those_after_it() -> None:
    """Its function gets them, the best row and the time left."""
    told: list[tuple[Stage, Found, float, tuple[Stage, ...]]] = []

    def twice(own: Stage, found: Found, left: float, rest: tuple[Stage, ...]) -> tuple[Stage, ...]:
        told.append((own, found, left, rest))
        return (replace(own, name="again", after=None), *rest)

    one, two = stage("one", twice), stage("two")
    assert names(course(one, two)) == [("one", False), ("again", False), ("two", True)]
    assert told == [(one, ROW, 1.0, (two,))]


def test_a_stage_may_end_a_run_or_make_it_longer() -> None:
    assert names(course(stage("one", lambda *_: ()), stage("two"))) == [("one", False)]
    longer = stage("one", lambda *_: (stage("more"),))
    assert names(course(longer)) == [("one", False), ("more", True)]


def test_a_course_does_not_change_its_plan() -> None:
    plan = Plan(None, (stage("one", lambda *_: (stage("other"),)), stage("two")), 9.0, "cpu")
    assert names(plan.course()) == names(plan.course()) == [("one", False), ("other", True)]
    assert [each.name for each in plan.stages] == ["one", "two"] and plan.main.name == "two"


def test_a_plan_prepares_all_stages() -> None:
    prepared: list[Stage] = []
    plan = Plan(None, (stage("one", prepare=prepared.append), stage("two")), 9.0, "cpu")
    plan.prepare()
    assert prepared == [plan.stages[0]]
