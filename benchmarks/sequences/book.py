"""The iterated greedy by the book (`book_iterated_greedy.cpp`), a program on one core."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("book_iterated_greedy.cpp")
FLAGS = ("-O3", "-march=native", "-std=c++20")
# Jobs that are removed, temperature, and whether the partial sequence descends: Ruiz and Stuetzle
# (2007), and Dubois-Lacoste, Pagnozzi and Stuetzle (2017).
SETTINGS = {"2007": ("4", "0.4", "0"), "2017": ("2", "0.7", "1")}


class Book:
    """The compiled program.

    Parameters
    ----------
    folder : Path
        Receives the program.
    """

    def __init__(self, folder: Path) -> None:
        self._program = folder / SOURCE.stem
        compiler = os.environ.get("CXX", "c++")
        command = [compiler, *FLAGS, str(SOURCE), "-o", str(self._program)]
        subprocess.run(command, check=True)

    def insertions_per_second(self, jobs: int, machines: int, seconds: float) -> float:
        """Return the number of best insertions a second of a random instance."""
        found = self._start("insertions", jobs, machines, seconds, 1)
        return float(answer(found)["insertions_per_second"])

    def start(self, path: Path, seconds: float, seed: int, setting: str) -> subprocess.Popen[str]:
        """Start to minimise the makespan of an instance; `answer` returns what it finds."""
        return self._start("solve", path, seconds, seed, *SETTINGS[setting])

    def _start(self, *arguments: Any) -> subprocess.Popen[str]:
        command = [str(self._program), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for the end; return makespan, insertions, insertions_per_second and sequence."""
    text = process.communicate()[0]
    if process.returncode:
        raise RuntimeError(f"{SOURCE.stem} ended with status {process.returncode}")
    return dict(json.loads(text))
