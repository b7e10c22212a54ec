"""How kicks that rebuild tours enter the kernel of chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Parameter


@dataclass(frozen=True)
class Rebuilding:
    """A kick in C++, for one problem and batch.

    Its functor's ``kick(team, item, n, tour, data..., random, kicked)`` writes the kicked copy of a
    row, or returns false where there is none; all lanes call it.
    """

    functor: str  # C++ type, ``{team}`` in it the team
    header: str  # which defines it
    parameters: tuple[Parameter, ...]  # types and names of the data
    arguments: dict[str, Any]  # the data by name
    kept: object = None  # what has to stay as long as the data are used
    parts: tuple[str, ...] = ()  # names of the registered parts that it is made of
