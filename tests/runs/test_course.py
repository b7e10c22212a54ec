"""Stages as a run goes through them, each of which may lead to others."""

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
    """Return the stages that a run comes to, and whether each was taken to be the last."""
    seen = [(way.stage.name, way.last)]
    while way.go_on(ROW, 1.0):
        seen.append((way.stage.name, way.last))
    return seen


def test_stages_follow_each_other() -> None:
    way = course(stage("one"), stage("two"), stage("three"))
    assert names(way) == [("one", False), ("two", False), ("three", True)]
    assert not way.go_on(ROW, 1.0) and way.stage.name == "three"


def test_a_stage_leads_to_others() -> None:
    """In place of those that were planned, of which it is told, as of the row and the time."""
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


def test_a_course_leaves_its_plan_as_it_is() -> None:
    plan = Plan(None, (stage("one", lambda *_: (stage("other"),)), stage("two")), 9.0, "cpu")
    assert names(plan.course()) == names(plan.course()) == [("one", False), ("other", True)]
    assert [each.name for each in plan.stages] == ["one", "two"] and plan.main.name == "two"


def test_a_plan_prepares_all_stages() -> None:
    prepared: list[Stage] = []
    plan = Plan(None, (stage("one", prepare=prepared.append), stage("two")), 9.0, "cpu")
    plan.prepare()
    assert prepared == [plan.stages[0]]
