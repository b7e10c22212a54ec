"""Sections with rows that are stored one by one: a benchmark can be measured in several calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common, summary
from benchmarks.helpers.limit import Limit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    Section = Callable[[argparse.Namespace], Iterator[tuple[str, Any]]]
    Shown = Callable[[dict[str, dict[str, Any]]], None]


def measure(
    options: argparse.Namespace,
    name: str,
    protocol: str,
    sections: Mapping[str, Section],
    shown: Mapping[str, Shown],
    record: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Measure the requested sections; rows of earlier calls stay in the file.

    `options` has the names of `sections` and the seconds of the whole call as `limit`, which
    becomes a `Limit`. The rows that a record has so far are in `options.known`, by section.
    """
    if unknown := set(options.sections) - set(sections):
        raise SystemExit(f"--sections: {', '.join(sorted(unknown))}: none of {', '.join(sections)}")
    record = stored(options.out, name, sections) if record is None else record
    machine, options.limit = common.machine(), Limit(options.limit)
    options.known = {section: found["rows"] for section, found in record.items()}
    for section in options.sections:
        if options.limit.over(f"section {section}"):
            continue
        for row_name, row in sections[section](options):
            join(record, section, {"machine": machine, "rows": {row_name: row}})
            common.write_json(options.out, name, protocol, record)  # also if cut off
            if options.limit.over(f"what follows {row_name} in section {section}"):
                break
        if section in shown and record.get(section):
            shown[section](record[section]["rows"])
    return record


def stored(out: Path, name: str, sections: Mapping[str, Any]) -> dict[str, Any]:
    """Return all rows in `out`: whole ones, or rows without curves if there is only a summary."""
    path = out / f"{name}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    record = {section: kept[section] for section in sections if section in kept}
    for section, found in common.stored(out, name, sections).items():
        join(record, section, found)
    return record


def join_folders(
    record: dict[str, Any], name: str, sections: Mapping[str, Any], paths: list[Path]
) -> None:
    """Add the rows of the same benchmark in other folders to a record."""
    for path in paths:
        for section, found in summary.read_raw(path, name).items():
            if section in sections:
                join(record, section, found)


def join(record: dict[str, Any], name: str, section: dict[str, Any]) -> None:
    """Add the rows of a section to a record."""
    rows = record.get(name, {}).get("rows", {})
    record[name] = section | {"rows": rows | section["rows"]}


def words(text: str) -> list[str]:
    """Return the words of a comma-separated list."""
    return [word.strip() for word in text.split(",") if word.strip()]
