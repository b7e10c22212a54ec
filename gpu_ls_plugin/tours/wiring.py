"""Gives the base class of candidates access to two subclasses, which it cannot import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.tours.candidates import base

if TYPE_CHECKING:
    import os

    from gpu_ls_plugin.tours.candidates.base import Candidates


def _union(one: Candidates, other: Candidates) -> Candidates:
    from gpu_ls_plugin.tours.candidates.union import Union

    return Union(one, other)


def _stored(path: str | os.PathLike[str]) -> Candidates:
    from gpu_ls_plugin.tours.candidates.stored import Stored

    return Stored.read(path)


base.union, base.stored = _union, _stored
