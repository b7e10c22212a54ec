"""The guide to tensors runs, in as far as its libraries are installed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

import pytest

from tests.helpers import improving
from tests.test_docs import ROOT, blocks


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")  # of torch itself
def test_the_guide_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls, names, lines = improving.engine(monkeypatch), {}, 0
    for block in blocks(ROOT / "docs" / "tensors.md", "python"):
        needed = re.findall(r"^import (torch|jax)$", block, re.M)
        if all(map(find_spec, needed)):
            exec(block, names)
            lines += 1
    printed = capsys.readouterr().out
    assert lines == len(calls) >= 2 and printed.split()[1] == "True"
    routes: Any = names["routes"]
    assert routes.valid.all() and routes.rows.shape == names["actions"].shape
