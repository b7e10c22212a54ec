"""Runs one case in this process and prints its record as a line of JSON.

Only scripts of this folder import this file, as `one_call`, since their processes may have nothing
of the repository on their path.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from programs import recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass
class Setting:
    """The settings of a case, and the moment from which its seconds count."""

    backend: str
    seconds: float
    seed: int
    begin: float = field(default=0.0, init=False)

    @property
    def place(self) -> dict[str, Any]:
        """The arguments of `solve`."""
        return {"seconds": self.seconds, "seed": self.seed, "backend": self.backend}

    def start(self) -> None:
        """Start the clock, again if a case wants it later."""
        self.begin = time.monotonic()


def run_case(
    description: str | None, cases: Mapping[str, Callable[[Setting], Callable[[], float]]]
) -> None:
    """Parse the command line, prepare its case, and time the call."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("case", choices=list(cases))
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--started", type=float, help="monotonic time of the process' start")
    parser.add_argument("--trace", action="store_true", help="record what is compiled")
    options = parser.parse_args()

    setting = Setting(options.backend, options.seconds, options.seed)
    try:
        call = cases[options.case](setting)
    except ModuleNotFoundError as error:
        print(json.dumps({"missing": error.name}))
        return
    programs = recorded(options.backend) if options.trace else []
    setting.start()
    cost = call()
    end = time.monotonic()
    seconds = {"seconds": end - setting.begin, "of_process": end - (options.started or end)}
    traced = [(name, begin - setting.begin, taken) for name, begin, taken in programs]
    print(json.dumps({**seconds, "cost": float(cost), "programs": traced}))
