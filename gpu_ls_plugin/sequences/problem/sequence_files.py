"""Files of sequence problems: flow shops, and matrices of linear ordering problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.core.integer_files import Integers
from gpu_ls_plugin.sequences.problem.sequence import MOST_ITEMS

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray


def read_flow_shop(path: str | os.PathLike[str]) -> tuple[NDArray[np.int64]]:
    """Return the times (jobs, machines): a line of sizes, then a line for each machine."""
    numbers = Integers(path)
    jobs, machines = numbers.line("the numbers of jobs and machines", 2).tolist()
    for size, what in ((jobs, "jobs"), (machines, "machines")):
        if size < 1:
            raise numbers.error(f"{size} {what}, but there is at least one")
    rows = [
        numbers.line(f"the times of all {jobs} jobs on machine {machine}", jobs)
        for machine in range(1, machines + 1)
    ]
    numbers.end()
    return (np.array(rows).T,)


def read_linear_ordering(path: str | os.PathLike[str]) -> tuple[NDArray[np.int64]]:
    """Return the matrix (n, n): a title or none, n, then the entries, row by row."""
    numbers = Integers(path)
    numbers.skip_title()
    n = numbers.count("items", MOST_ITEMS)
    matrix = numbers.take(f"matrix of {n} x {n} entries", n, n)
    numbers.end()
    return (matrix,)
