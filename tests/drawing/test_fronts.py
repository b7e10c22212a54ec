"""Pictures of fronts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[plot]"')

FLAT = [(1.0, 4.0), (2.0, 3.0)]


def test_fronts_of_two_objectives(tmp_path: Path) -> None:
    fronts = {"_a $x$": FLAT, "none": np.empty((0, 2)), "b": [(0, 1)]}
    (axes,) = gls.plot_fronts(fronts, tmp_path / "a.svg", title="both").axes
    first, second = axes.collections
    assert first.get_offsets().tolist() == [[1, 4], [2, 3]]
    assert second.get_offsets().tolist() == [[0, 1]]
    assert (first.get_facecolor() != second.get_facecolor()).any()
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == [r" _a \$x\$", "b"]
    assert axes.get_title() == "both" and axes.get_ylabel() == "second objective"
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")


def test_fronts_of_three_objectives() -> None:
    (axes,) = gls.plot_fronts({"a": [(1, 2, 3)], "b": [(3, 2, 1)]}).axes
    assert axes.name == "3d" and axes.get_zlabel() == "third objective"


@pytest.mark.parametrize(
    ("fronts", "error", "words"),
    [
        ({}, InvalidParameterError, "fronts: pass one or more"),
        ({"a": FLAT, "b": [(1, 2, 3)]}, InvalidParameterError, "fronts: pass"),
        ({"a": [1, 2]}, InvalidParameterError, "fronts: pass"),
        (FLAT, InvalidTypeError, "fronts: "),
    ],
)
def test_what_are_no_fronts(fronts, error, words: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=words):
        gls.plot_fronts(fronts, tmp_path / "a.png")
    with pytest.raises(InvalidParameterError, match="must end in one of"):
        gls.plot_fronts({"a": FLAT}, tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())
