"""Tables as text, CSV and HTML."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from gpu_ls_plugin.core.exceptions import InvalidParameterError, MissingExtraError
from gpu_ls_plugin.experiments.tables import Table

CELLS = (('a|b, [red]<i>"', 1, 1 / 3, None), ("b", 20, math.inf, math.nan))
TABLE = Table("Title & <b>", ("name", "count", "gap %", "p"), CELLS, "A note <i>.")


def test_text_is_aligned_and_rounded():
    title, head, first, second, note = str(TABLE).splitlines()
    assert title == "Title & <b>" and note == "A note <i>."
    assert head.split() == ["name", "count", "gap", "%", "p"]
    assert first.split() == ["a|b,", '[red]<i>"', "1", "0.3333", "-"]
    assert second.split() == ["b", "20", "inf", "-"]
    assert second.index("20") + 1 == first.index(" 1 ") + 1  # numbers are right-aligned


def test_csv_has_numbers_in_full():
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows == [
        ["name", "count", "gap %", "p"],
        ['a|b, [red]<i>"', "1", str(1 / 3), ""],
        ["b", "20", "inf", "nan"],
    ]


def test_representations_in_a_notebook_and_a_console():
    assert TABLE._repr_html_() == TABLE.html()
    assert repr(TABLE) == "Table('Title & <b>', 2 rows of name, count, gap %, p)"


def test_latex_is_escaped():
    cells = (("a_b & 5% of #1 {x} $y$ \\ ~^<>\n", 0.12345), ("plain", None))
    table = Table("Title\nand more", ("name_", "gap %"), cells, "A note on %.")
    text = table.latex()
    assert text.splitlines() == [
        "% Title and more",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"name\_ & gap \% \\",
        r"\midrule",
        r"a\_b \& 5\% of \#1 \{x\} \$y\$ \textbackslash{} \textasciitilde{}\textasciicircum{}"
        r"\textless{}\textgreater{}  & 0.1235 \\",
        r"plain & - \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip",
        r"{\footnotesize A note on \%.\par}",
    ]
    assert text.endswith("}\n") and "note" not in table.latex(note=False)


def test_means_have_the_decimals_of_their_deviations():
    cells = (
        (14701.456, 39.523, 1.0), (14715.716, 10.82, 12345.6), (74778.61, 5803.6, 9999.96),
        (10641.10771, 0.0, 1e-5), (0.2877, 0.07371, 0.0), (math.inf, None, 2.0),
        (10641.10771, 1e-12, 1.0), (None, None, 1.0),
    )  # fmt: skip
    table = Table("T", ("mean", "std", "other"), cells, deviations=(("mean", "std"),))
    expected = [
        ["14701", "40", "1"], ["14716", "11", "12346"], ["74779", "5804", "10000"],
        ["10641.1", "0", "1e-05"], ["0.288", "0.074", "0"], ["inf", "-", "2"],
        ["10641.1", "0", "1"], ["-", "-", "1"],
    ]  # fmt: skip
    assert [line.split() for line in str(table).splitlines()[2:]] == expected
    body = table.latex().splitlines()[5:-2]
    assert [line.removesuffix(r" \\").split(" & ") for line in body] == expected
    assert "14701.5 & 39.5" in table.latex(digits=3) and ">14716</td>" in table.html()
    assert "14701.456,39.523" in table.csv()


def test_conversion_to_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda **given: given))
    assert TABLE.to_pandas() == {"data": list(CELLS), "columns": list(TABLE.columns)}
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="pip install pandas"):
        TABLE.to_pandas()


def test_html_is_escaped():
    tree = ElementTree.fromstring(f"<div>{TABLE.html()}</div>")
    assert "".join(tree.find("table/caption").itertext()) == "Title & <b>"
    cells = [[cell.text for cell in row] for row in tree.iter("tr")]
    assert cells == [
        ["name", "count", "gap %", "p"],
        ['a|b, [red]<i>"', "1", "0.3333", "-"],
        ["b", "20", "inf", "-"],
    ]
    assert tree.find("p").text == "A note <i>."
    numeric = [cell.get("class") for cell in tree.find("table/thead/tr")]
    assert numeric == [None, "number", "number", "number"]


def test_conversion_to_json():
    content = json.dumps(TABLE.as_dicts(), allow_nan=False)
    assert json.loads(content)[1] == {"name": "b", "count": 20, "gap %": None, "p": None}
    assert TABLE.column("count") == [1, 20]
    with pytest.raises(InvalidParameterError, match="'mean' is none of 'name', 'count', 'gap %'"):
        TABLE.column("mean")
