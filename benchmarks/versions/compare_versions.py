"""Two versions of the library side by side: do they return the same, and how fast?

Each version is a checkout. Both run the same cases (version_cases.py) in processes of their own, by
turns. Hashes of tours, costs and reasons for stopping are compared for every engine, chain and
metric, and for each stage of whole solves; different numbers of kicks are reported as well. Times
are the ratio of the fastest call of each version, beside the spread of the old one. On the GPU, the
time of the kernels is compared, too: the fastest run of each launch of a call. Kernels are compiled
before, with a process for each core.

    git worktree add /tmp/before HEAD~1
    python benchmarks/versions/compare_versions.py /tmp/before --backend cpu

Names of cases begin with a kind: solve, many, states, chains, searches, memetic, islands. The kind
clock has limits in seconds of a virtual clock, on CPUs alone; all other names are engines. With
--known, the hashes of the old version are kept in a file; if the file exists, the old version does
not run:

    python benchmarks/versions/compare_versions.py /tmp/before --what hashes --known before.json
    python benchmarks/versions/compare_versions.py --known before.json --only "^(solve|clock):"

On a machine without the repository's history, the old version is a folder of this checkout:

    mkdir before && git archive d423a18 gpu_ls_plugin | tar -x -C before
    python benchmarks/versions/compare_versions.py before --backend cuda --what times
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.versions.kernel_times import fastest

ROUNDS = 3


def main() -> int:
    """Compare both versions; return 1 if a case returns different results."""
    options = common.arguments(
        __doc__,
        ("before", {"type": Path, "nargs": "?", "help": "checkout of the version to compare with"}),
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu", "help": "backend"}),
        ("--what", {"default": "hashes,times", "help": "comma-separated selection"}),
        ("--rounds", {"type": int, "default": ROUNDS, "help": "turns of each version"}),
        ("--only", {"default": "", "help": "cases whose name matches this expression"}),
        ("--known", {"type": Path, "help": "file of the old version's hashes, written if missing"}),
    )
    known: Path | None = options.known
    if known is not None and known.exists():
        options.what = "hashes"
    elif options.before is None:
        sys.exit("before: name the checkout of the version to compare with")
    versions = {"before": options.before, "after": common.REPOSITORY}
    found: dict[str, Any] = {}
    if "hashes" in options.what:
        before = hashes_before(known, options)
        found["hashes"] = compare_hashes(before, run_shared(versions["after"], options, "hashes"))
    if "times" in options.what:
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in versions}
        for tree in versions.values():
            run_shared(tree, options, "compiled")
        for _ in range(options.rounds):
            for name, tree in versions.items():
                runs[name].append(run(tree, "times", options))
        found["times"] = compare_times(**runs)
    common.write_json(options.out, f"versions_{options.backend}", __doc__ or "", found)
    return 1 if found.get("hashes", {}).get("different") else 0


def hashes_before(known: Path | None, options: Any) -> dict[str, str]:
    """Return the old version's hashes, from a file if it exists; otherwise that file is written."""
    if known is not None and known.exists():
        hashes: dict[str, str] = json.loads(known.read_text())
        return {name: made for name, made in hashes.items() if re.search(options.only, name)}
    hashes = run_shared(options.before, options, "hashes")
    if known is not None:
        known.write_text(json.dumps(hashes, indent=1, sort_keys=True) + "\n")
    return hashes


def run_shared(tree: Path, options: Any, what: str) -> dict[str, Any]:
    """Return the output of one version, by a process for each core; most of it is compiling."""
    cores = len(os.sched_getaffinity(0))
    shares = [f"{i}/{cores}" for i in range(cores)]
    with ThreadPoolExecutor(cores) as pool:
        answers = list(pool.map(lambda share: run(tree, what, options, share), shares))
    return {case: found for answer in answers for case, found in answer.items()}


def run(tree: Path, what: str, options: Any, share: str = "0/1") -> dict[str, Any]:
    """Return the output of one version in its own process, with its own cases if it has any."""
    here = Path(__file__).with_name("version_cases.py")
    own = tree / here.relative_to(common.REPOSITORY)
    script = own if own.exists() else here
    command = [sys.executable, str(script), what, "--backend", options.backend]
    command += ["--only", options.only, "--share", share]
    folders = [str(tree), str(tree / "adapters"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders).rstrip(os.pathsep)}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    record = json.loads(done.stdout.splitlines()[-1])
    assert Path(record["library"]).parent == tree.resolve(), record["library"]
    found: dict[str, Any] = record["found"]
    return found


def compare_hashes(before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
    """Return how many cases are equal, which differ, and which differ only in their kicks."""
    cases = before | after
    unequal = [name for name in cases if before.get(name) != after.get(name)]
    different = [name for name in unequal if _rows(before, name) != _rows(after, name)]
    counted = [name for name in unequal if name not in different]
    print(f"{len(cases)} cases, {len(different)} different", *different, sep="\n  ")
    print(f"{len(counted)} more differ in kicks alone", *counted, sep="\n  ")
    return {"cases": len(cases), "different": different, "other_kicks": counted}


def _rows(hashes: dict[str, str], name: str) -> str:
    """Return the part of a case's hash for rows and costs, without its kicks."""
    return hashes.get(name, "").partition("/")[0]


def compare_times(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the fastest times of each version by case, their ratio and the old one's spread."""
    rows: dict[str, dict[str, float]] = {}
    for case in before[0]:
        rows[case] = {}
        for what, least in (("wall", min), ("kernels", fastest)):
            old, new = ([run[case][what] for run in runs] for runs in (before, after))
            if not old[0]:  # there is no device
                continue
            turns = [least(turn) for turn in old]
            # The fastest of all turns counts for each launch.
            best, now = (least([call for turn in runs for call in turn]) for runs in (old, new))
            rows[case] |= {
                f"{what}_before_ms": 1e3 * best,
                f"{what}_after_ms": 1e3 * now,
                f"{what}_change_percent": 100 * (now / best - 1),
                f"{what}_spread_percent": 100 * (max(turns) / min(turns) - 1),
            }
    header = ("case", *next(iter(rows.values())))
    common.show("fastest calls", header, [(case, *row.values()) for case, row in rows.items()])
    return rows


if __name__ == "__main__":
    sys.exit(main())
