"""Wrong values in each field of each kind of file: an error of the library, or a valid meaning."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError
from gpu_ls_plugin.core.history import Point, load_history, save_history
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.distributed.checkpoint import Checkpoint
from gpu_ls_plugin.experiments import Results
from gpu_ls_plugin.experiments.plan import Plan, stored_keys
from gpu_ls_plugin.experiments.records import CurvePoint, Record
from gpu_ls_plugin.runs.elites import Elites
from gpu_ls_plugin.tours.candidates.base import Candidates
from tests.helpers.examples import ALL as EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROBLEM = gls.TSP([[0, 0], [3, 4], [5, 0], [9, 9], [1, 7]])
ROWS = np.array([[0, 1, 2, 3, 4], [4, 2, 3, 1, 0]], np.int32)
COSTS = PROBLEM.cost(ROWS)
BEST = COSTS.min().item()
POINTS = [Point(0.5, 1, BEST, 2.0 * BEST), Point(1.5, 2, BEST, 1.5 * BEST)]
STATISTICS = gls.Statistics(history=POINTS, moves_by={"two_opt": 1}, phases={"kicks": 1.0})
RECORD = Record(
    "a", "p", 1, {"algorithm": "x"}, {"algorithm": "y"}, optimum=3.0, machine={"cores": "2"},
    curve=[CurvePoint(0.5, 3, 1, [[4.0]]), CurvePoint(1.5, 6, 2, [[3.5]])], solutions=[[1, 2]],
    error="", begun="2026",
)  # fmt: skip

MISSING = object()
VALUES = (
    *(MISSING, None, True, "text", "", "\ud800\0", [], {}, [[[]]], {"a": {"b": []}}),
    *(math.nan, math.inf, -math.inf, -1, -0.5, 0, 10**400, -(10**400), 1e308, 2**63, 0.5),
)
SIGNED = {"best_cost", "mean_cost", "costs", "optimum"}  # fields whose numbers may be negative


@dataclass
class Kind:
    """A kind of file: its name, writer and reader, and conversions from and to fields."""

    name: str
    write: Callable[[Path], object]
    read: Callable[[Path], object]
    fields: Callable[[bytes], Any]
    bytes: Callable[[Any], bytes]
    reals: bool = False  # whether numbers may be negative and infinite


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()


def _table(data: bytes) -> Any:
    return list(csv.reader(io.StringIO(data.decode())))


def _csv(content: Any) -> bytes:
    return "".join(",".join(map(str, row)) + "\n" for row in content).encode("utf-8", "replace")


def _arrays(data: bytes) -> Any:
    with np.load(io.BytesIO(data)) as found:
        arrays = {name: array.tolist() for name, array in found.items()}
    return arrays | {"head": json.loads(arrays["head"])} if "head" in arrays else arrays


def _npz(content: Any) -> bytes:
    stream = io.BytesIO()
    arrays = {k: json.dumps(v) if k == "head" else v for k, v in content.items()}
    np.savez(stream, **{name: np.array(array) for name, array in arrays.items()})
    return stream.getvalue()


def write_checkpoint(path: Path) -> None:
    elites = Elites.of(PROBLEM, ROWS, COSTS)
    Checkpoint({0: elites, 1: elites.take([1])}, 1, 2, 0.5, 3, POINTS).save(path, PROBLEM, 1)


def read_record(path: Path) -> list[Any]:
    runs = Results([Record.load(path)])
    tables = runs.table(), runs.times(), runs.tests(), runs.ranks(), runs.failures()
    runs.save_csv(path.with_suffix(".csv"))
    return [str(table) + table.csv() + table.html() for table in (*tables, runs.machines())]


def write_plan(path: Path) -> None:
    Plan({"a": ""}, {"p": ""}, (1, 2), "t").save(path.parent)


RESULT = Result(ROWS, COSTS, STATISTICS)
JSON = (json.loads, _json)
PACKED = (
    lambda data: json.loads(gzip.decompress(data)),
    lambda content: gzip.compress(_json(content)),
)
CSV, NPZ = (_table, _csv), (_arrays, _npz)


def of_problem(path: Path) -> Result:
    return Result.load(path, PROBLEM)


def read_checkpoint(path: Path) -> Checkpoint:
    return Checkpoint.load(path, PROBLEM, 1)


KINDS = {
    "result": Kind("a.json", RESULT.save, Result.load, *JSON, True),
    "result of a problem": Kind("a.json", RESULT.save, of_problem, *JSON, True),
    "packed result": Kind("a.json.gz", RESULT.save, Result.load, *PACKED, True),
    "record": Kind("a.json", RECORD.save, read_record, *JSON),
    "plan": Kind("plan.json", write_plan, lambda path: stored_keys(path.parent), *JSON),
    "history": Kind("a.csv", partial(save_history, POINTS), load_history, *CSV, True),
    "checkpoint": Kind("a.ckpt", write_checkpoint, read_checkpoint, *NPZ),
    "lists": Kind("a.npz", lambda path: gls.Nearest(2).save(path, PROBLEM), Candidates.load, *NPZ),
}


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values within a value, outer ones first."""
    yield path
    if not isinstance(content, (dict, list)):
        return
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, item in items:
        yield from places(item, (*path, key))


def changed(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy with another value at a path, or without that value."""
    if not path:
        return value
    made = deepcopy(content)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    if value is MISSING:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return made


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_fields_of_wrong_values(kind: Kind, tmp_path: Path) -> None:
    path = tmp_path / kind.name
    kind.write(path)
    kind.read(path)
    whole = kind.fields(path.read_bytes())
    wrong = []
    for number, place in enumerate(places(whole)):
        # Each value is tried in every third place at least, all of them in the outer ones.
        values = VALUES if len(place) < 2 or EVERYTHING else VALUES[number % 3 :: 3]
        for value in values:
            if not place and kind.bytes in (_npz, _csv):
                continue  # the outermost value is always a set of arrays or of lines
            content = changed(whole, place, value) if place or value is not MISSING else None
            try:
                data = kind.bytes(content)
            except (ValueError, OverflowError, TypeError):  # such an array cannot be written
                continue
            path.write_bytes(data)
            try:
                kind.read(path)
            except (FileFormatError, InvalidParameterError) as error:
                assert len(str(error)) < 1000
            except Exception as error:
                wrong.append((place, repr(value)[:20], repr(error)[:100]))
            else:
                if must_be_refused(place, value, kind.reals):
                    wrong.append((place, repr(value)[:20], "accepted"))
    assert not wrong


def must_be_refused(place: tuple[Any, ...], value: Any, reals: bool) -> bool:
    """Return whether a value is meaningless, unless it is in a free text or a solution."""
    names = {part for part in place if isinstance(part, str)}
    if not isinstance(value, (int, float)) or isinstance(value, bool) or "solutions" in names:
        return False
    if reals:
        return (isinstance(value, float) and math.isnan(value)) or abs(value) == 10**400
    if value == 10**400 and names & {"seed", "seeds"}:
        return False
    signed = names & SIGNED
    if value == math.inf:
        return not names & {"best_cost", "mean_cost"} and not signed
    return not -1e300 <= value <= 1e300 or (value < 0 and not signed)


CLAIMS = {
    "result": (RESULT.save, of_problem, ("costs", 0), *JSON),
    "elite": (write_checkpoint, read_checkpoint, ("costs_0", 0), *NPZ),
    "flag": (write_checkpoint, read_checkpoint, ("feasible_1", 0), *NPZ),
    "history": (write_checkpoint, read_checkpoint, ("head", "history", 1, "best_cost"), *NPZ),
}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_claims_that_contradict_the_rows_are_refused(claim: Any, tmp_path: Path) -> None:
    write, read, place, fields, data = claim
    path = tmp_path / "a.json"
    write(path)
    read(path)
    content = fields(path.read_bytes())
    for value in (BEST - 1, -(10**9)) if place[0] != "feasible_1" else (False,):
        path.write_bytes(data(changed(content, place, value)))
        with pytest.raises(FileFormatError, match=r"a\.json.*(costs|feasible|history)"):
            read(path)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_extreme_records_make_a_page(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    names = "a\0b", "$x_{", "\ud800", "=1", "<i>", "\n"
    points = [(0, -1e300), (1e300, 1e300), (1e-300, 0), (0.5, 2**70)]
    for place, name in enumerate(names):
        seconds, cost = points[place % len(points)]
        curve = [CurvePoint(seconds, 0, 2**63 - 1, [[cost]])]
        record = Record(name, "p" if place % 2 else name, 10**100, curve=curve, error="\n" * place)
        record.save(tmp_path / "runs" / f"{place}.json")
    results = Results.load(tmp_path)
    results.report(tmp_path / "page.html")
    results.save_csv(tmp_path / "curves.csv")


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([RECORD, RECORD], "there twice"),
        ([RECORD, Record("b", "p", 1, objectives=2)], "have 1 and 2 objectives"),
    ],
)
def test_records_that_contradict_each_other(records: list[Record], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        Results(records)
