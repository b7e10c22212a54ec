"""Random-k-best improvement (Delevacq, Delisle and Krajecki 2012)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.engines.pivoting.base import Pivoting

MOST_SAMPLES = 10**9


@dataclass(frozen=True)
class RandomK(Pivoting):
    """Take the best move of k random triples of edges per pass (Delevacq et al. 2012, 4.2).

    All reconnections of each triple are evaluated: seven with `ThreeOpt()`, those that change two
    edges with `TwoOpt()`. A tour is finished after one pass without gain: a local optimum as far as
    k samples can tell. Large k come closer to `Best()`, small k are faster.

    Parameters
    ----------
    k : int
        Triples of distinct edges that a pass draws, uniformly, from 1 to 10**9.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `k` is not an integer in this range.
    """

    k: int = 1000

    name = "random_k"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "k", least=1, most=MOST_SAMPLES)
