"""The HTML page of an experiment."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import pytest

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments import Results
from gpu_ls_plugin.experiments.page import page
from tests.experiments.samples import record, results

pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[plot]"')

EVIL = "<script>alert('$x_{')</script>\"&"
FRONT = [[0.0, 10.0], [10.0, 0.0]]


class Elements(HTMLParser):
    """The tags of a page, their references, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.references: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def runs() -> Results:
    return Results(
        [
            record(
                name, problem, seed, points=[(1.0, [[9.0 + seed + len(problem)]])],
                description={"algorithm": "long", "summary": f"GA({EVIL})"},
                machine={"processor": EVIL},
            )
            for name in (EVIL, "other")
            for problem in ("p", EVIL)
            for seed in (1, 2)
        ]
        + [
            record("other", "two", points=[(1.0, FRONT)], objectives=2),
            record("other", "p", 3, error=f"ValueError: {EVIL}"),
        ],
        [("other", "p", 4)],
    )  # fmt: skip


@pytest.mark.slow
def test_the_page_is_complete_and_self_contained(tmp_path):
    runs().report(tmp_path / "a.html", title=f"Title {EVIL}")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    shown = Elements(text)
    assert text.count("long") == 0 and shown.tags.count("details") == 1
    assert {"script", "link", "iframe", "object"}.isdisjoint(shown.tags)
    assert shown.tags.count("img") == 4 and "url(" not in text and "@import" not in text
    assert all(source.startswith("data:image/svg+xml;base64,") for source in shown.references)
    for words in (
        f"Title {EVIL}", f"GA({EVIL})", f"ValueError: {EVIL}", "Final gaps in %",
        "Time to target", "Average ranks", "Comparison on each problem", "Hardware and versions",
        "10 runs: 2 algorithms, 3 problems, 3 seeds; missing or failed: 1.",
    ):  # fmt: skip
        assert words in shown.text
    for data in re.findall(r"base64,([^\"]+)", text):
        assert b"<script" not in base64.b64decode(data)


def test_runs_of_former_versions_have_no_short_text_about_settings():
    def page_of(*descriptions: dict[str, str]) -> str:
        runs = [
            record(seed=seed, points=[(1.0, [[5.0]])], description=description)
            for seed, description in enumerate(descriptions)
        ]
        return page(Results(runs), [1.0])

    former, now = {"algorithm": "long"}, {"algorithm": "long", "summary": "GA()"}
    assert "<pre>long</pre>" in page_of(former)
    for descriptions in ((former, now), (now, former)):
        text = page_of(*descriptions)
        assert text.count("<pre>") == 1 and "<pre>GA()</pre>" in text


def test_a_page_has_one_p_value_for_a_comparison():
    costs = {(name, "p"): [100 + i + j for j in range(9)] for i, name in enumerate("abc")}
    runs = results(costs, description={"until": "after 2 s"})
    shown = Elements(page(runs, [1.0], control="b")).text
    for table in (runs.paper_table("b"), runs.tests("b"), runs.effort(), runs.instances()):
        assert table.title in shown and table.note in shown
    assert "seed; Holm's correction for 2" in shown and "seed; Holm's correction for 3" not in shown
    assert "missing or failed: 0. Each run ended after 2 s. " in shown
    assert "Medians of the runs, with bands" in shown
    with pytest.raises(InvalidParameterError, match="control: 'd' is none of"):
        page(runs, [1.0], control="d")


def test_settings_name_the_parts_that_defaults_chose():
    about = {"algorithm": "long", "summary": "GA()"}
    runs = Results([
        record(problem=problem, points=[(1.0, [[5.0]])], description=about | {"used": f"<{used}>"})
        for problem, used in (("p", "2-opt"), ("q", "2-opt"), ("r", "LK"))
    ])  # fmt: skip
    shown = Elements(page(runs, [1.0])).text
    assert "GA()" in shown and "On p, q: <2-opt>" in shown and "On r: <LK>" in shown


def test_a_page_without_figures(tmp_path):
    Results([record(points=[(1.0, [])])]).report(tmp_path / "a.html")
    shown = Elements((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert "Final gaps in %" in shown.text and shown.tags.count("table") >= 3
    assert "Experiment on p" in shown.text
