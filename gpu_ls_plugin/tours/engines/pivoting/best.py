"""Best improvement."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.tours.engines.pivoting.base import Pivoting


@dataclass(frozen=True)
class Best(Pivoting):
    """Take one best move of the whole neighbourhood per pass, as O'Neil and Burtscher 2015 do.

    On candidate lists that is the rule of Fosin et al. 2013.
    """

    name = "best"
