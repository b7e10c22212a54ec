"""How kicks that rebuild tours enter the kernel of chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Parameter


@dataclass(frozen=True)
class Rebuilding:
    """A kick in C++, for one problem and batch.

    Attributes
    ----------
    functor : str
        C++ type, ``{team}`` in it the team. Its ``kick(team, item, n, tour, data..., random,
        kicked)`` writes the kicked copy of a row, or returns false where there is none; all lanes
        call it.
    header : str
        File that defines it.
    parameters : tuple of Parameter
        Types and names of `data`.
    arguments : dict
        The data by name.
    kept : object
        What has to stay as long as the data are used.
    parts : tuple of str
        Names of the registered parts that it is made of.
    """

    functor: str
    header: str
    parameters: tuple[Parameter, ...]
    arguments: dict[str, Any]
    kept: object = None
    parts: tuple[str, ...] = ()
