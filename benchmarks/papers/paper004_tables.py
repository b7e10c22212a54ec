"""The figures of paper 004 (FANG: Köster, Groß and Krüger 2019), and ours beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Rows = dict[str, Any]

KINDS = {"stored": "`stored`", "rescan": "`rescan`", "structure": "paper's structure"}
PROCESSORS = ("GTX 1080 Ti", "Titan X", "i9 7940X", "Ryzen 7 2700X")
# Milliseconds and their deviations, by states, variables and values.
TABLE_1 = {
    (1024, 8, 1224): ((2.20, 0.09), (3.04, 0.12), (3.26, 0.72), (4.61, 0.20)),
    (1024, 8, 4488): ((3.34, 0.14), (4.73, 0.10), (10.42, 1.16), (14.95, 1.21)),
    (1024, 8, 9800): ((5.05, 0.33), (7.66, 0.10), (22.28, 1.43), (31.06, 1.12)),
    (1024, 32, 1224): ((6.97, 0.63), (10.85, 0.44), (11.06, 1.40), (16.03, 0.91)),
    (1024, 32, 4488): ((9.85, 0.89), (17.13, 0.13), (40.02, 1.29), (56.18, 1.82)),
    (1024, 32, 9800): ((16.90, 1.22), (28.49, 0.22), (87.31, 1.81), (121.75, 2.64)),
    (4096, 8, 1224): ((6.48, 0.57), (11.54, 0.11), (12.08, 1.44), (16.73, 0.49)),
    (4096, 8, 4488): ((9.84, 0.71), (17.75, 0.12), (40.18, 1.54), (55.50, 1.40)),
    (4096, 8, 9800): ((16.94, 0.98), (30.13, 0.10), (85.09, 1.79), (118.61, 2.25)),
    (4096, 32, 1224): ((23.27, 1.47), (44.33, 0.44), (42.21, 1.79), (60.32, 1.31)),
    (4096, 32, 4488): ((37.78, 2.19), (70.08, 0.69), (154.70, 1.96), (217.85, 3.86)),
    (4096, 32, 9800): ((66.30, 1.75), (118.56, 0.53), (336.196, 3.96), (471.87, 6.80)),
}
# The same by states, values and load, with eight variables: GTX 1080 Ti and i9 7940X.
TABLE_2 = {
    (1024, 1224, 1): ((2.20, 0.09), (3.26, 0.72)),
    (1024, 1224, 8): ((1.88, 0.05), (7.81, 0.11)),
    (1024, 1224, 16): ((1.82, 0.02), (14.05, 0.15)),
    (1024, 4488, 1): ((3.34, 0.14), (10.42, 1.16)),
    (1024, 4488, 8): ((3.40, 0.13), (27.39, 0.47)),
    (1024, 4488, 16): ((2.75, 0.02), (50.11, 0.55)),
    (4096, 1224, 1): ((6.48, 0.57), (12.08, 1.44)),
    (4096, 1224, 8): ((6.26, 0.03), (29.42, 0.28)),
    (4096, 1224, 16): ((6.26, 0.02), (53.70, 0.44)),
    (4096, 4488, 1): ((9.84, 0.71), (40.18, 1.54)),
    (4096, 4488, 8): ((10.00, 0.89), (104.61, 0.86)),
    (4096, 4488, 16): ((9.91, 0.70), (193.39, 0.98)),
}


def markdown(record: dict[str, Any]) -> str:
    """Return the tables of the sections that have been measured."""
    makers = {"states": states, "loads": loads, "host": host}
    texts = [make(record[name]["rows"]) for name, make in makers.items() if name in record]
    return "\n\n".join(texts)


def states(rows: Rows) -> str:
    """Return table 1: medians and deviations in milliseconds."""
    head = ("states", "variables", "values", *KINDS.values(), "times `stored`", *PROCESSORS[:2])
    body = []
    for size, paper in TABLE_1.items():
        row = rows.get(name_of(*size))
        if row is not None:
            own = [_time(row, kind) for kind in KINDS]
            body.append([*map(str, size), *own, _ratio(row), *map(_pair, paper[:2])])
    return _table(head, body)


def loads(rows: Rows) -> str:
    """Return table 2."""
    head = ("states", "values", "load", *KINDS.values(), "times `stored`", PROCESSORS[0])
    body = []
    for (count, values, load), paper in TABLE_2.items():
        row = rows.get(name_of(count, 8, values, load))
        if row is not None:
            own = [_time(row, kind) for kind in KINDS]
            body.append([str(count), str(values), str(load), *own, _ratio(row), _pair(paper[0])])
    return _table(head, body)


def host(rows: Rows) -> str:
    """Return table 1 on CPU cores."""
    head = ("states", "variables", "values", "all cores", "one core", *PROCESSORS[2:])
    body = []
    for size, paper in TABLE_1.items():
        row = rows.get(name_of(*size))
        if row is not None:
            own = _time(row, "all_cores"), f"{row['one_core_ms']:.3g}"
            body.append([*map(str, size), *own, *map(_pair, paper[2:])])
    return _table(head, body)


def name_of(states: int, variables: int, values: int, load: int = 1) -> str:
    """Return the name of a row."""
    return f"{states} x {variables} x {values}" + f", load {load}" * (load > 1)


def _time(row: dict[str, Any], kind: str) -> str:
    """Return median and deviation of a kind; old figures have no deviation."""
    found = row.get(kind)
    if found is None:
        return "-"
    return _pair((found["median_ms"], found.get("sigma_ms")))


def _pair(of: tuple[float, float | None]) -> str:
    median, sigma = of
    return f"{median:.3g}" + ("" if sigma is None else f" ± {sigma:.2g}")


def _ratio(row: dict[str, Any]) -> str:
    """Return how many times as long as `stored` the paper's structure takes."""
    if "structure" not in row:
        return "-"
    return f"{row['structure']['median_ms'] / row['stored']['median_ms']:.1f}"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    every = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in every)
