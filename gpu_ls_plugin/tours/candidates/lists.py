"""Candidate lists, and NPZ files that store them together with their rule and instance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.core.schema import read_arrays, reading

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

VERSION = 1  # version of the file format


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The candidates of each city.

    Attributes
    ----------
    cities : ndarray, shape (n, k), int32
        Candidates of each city, without the city itself.
    lengths : ndarray, shape (n, k), int64 or float64
        Exact lengths of the edges to the candidates.
    """

    cities: NDArray[Any]
    lengths: NDArray[Any]

    @classmethod
    def stacked(cls, lists: Sequence[CandidateLists]) -> CandidateLists:
        """Concatenate the rows of several lists, all truncated to the smallest degree."""
        degree = min(part.degree for part in lists)
        return cls(
            np.concatenate([part.cities[:, :degree] for part in lists]),
            np.concatenate([part.lengths[:, :degree] for part in lists]),
        )

    @property
    def degree(self) -> int:
        """Number of candidates per city."""
        return int(self.cities.shape[1])

    @cached_property
    def sorted(self) -> bool:
        """Whether each list is sorted by length."""
        return bool((self.lengths[:, 1:] >= self.lengths[:, :-1]).all())


def lists_of(problem: TSP, cities: NDArray[np.int32]) -> CandidateLists:
    """Return candidates (n, k), int32, with their exact lengths."""
    own = np.broadcast_to(np.arange(problem.n)[:, None], cities.shape)
    lengths = problem.lengths(own, cities)
    return CandidateLists(cities, lengths.astype(problem.cost_dtype, copy=False))


def wrong_row(cities: NDArray[Any]) -> int | None:
    """Return the index of the first row of `cities` (n, k) with an invalid list, or None."""
    n = len(cities)
    ordered = np.sort(cities, axis=1)
    wrong = ((cities < 0) | (cities >= n) | (cities == np.arange(n)[:, None])).any(axis=1)
    wrong |= (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    return int(wrong.argmax()) if wrong.any() else None


def places(rows: NDArray[Any], n: int) -> NDArray[Any]:
    """Return the place of each entry within its row; `rows` are the entries' sorted row numbers."""
    begins = np.searchsorted(rows, np.arange(n))
    found: NDArray[Any] = np.arange(len(rows)) - begins[rows]
    return found


def write_lists(
    path: str | os.PathLike[str], rule: str, fingerprint: str, cities: NDArray[Any]
) -> None:
    """Write lists to an NPZ file, completely or not at all."""
    with atomically(Path(path)) as file, open(file, "wb") as stream:
        np.savez(
            stream,
            version=np.array(VERSION),
            rule=np.array(rule),
            fingerprint=np.array(fingerprint),
            cities=cities,
        )


def read_lists(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return the "rule", "fingerprint" and "cities" that a file contains."""
    with reading(path, "not a file of candidate lists"):
        content = read_arrays(Path(path))
        version = content.pop("version")
        content = {name: content[name] for name in ("rule", "fingerprint", "cities")}
    with reading(path):
        if not np.array_equal(version, VERSION):
            raise ValueError(
                f"format {version}, but this library reads {VERSION}; build the lists again"
            )
        for name in ("rule", "fingerprint"):
            if content[name].dtype.kind != "U" or content[name].ndim:
                raise ValueError(f"{name}: {content[name]!r:.80} is not a string")
        return {**content, "cities": _checked(content["cities"])}


def _checked(cities: NDArray[Any]) -> NDArray[np.int32]:
    """Return lists as C-contiguous int32; raise ValueError if they are invalid."""
    wanted = cities.dtype.kind in "iu" and cities.ndim == 2
    if not wanted or not len(cities) or (len(cities) > 1 and not cities.shape[1]):
        raise ValueError(f"cities: {cities.dtype} {cities.shape}, not integers of shape (n, k)")
    if (row := wrong_row(cities)) is not None:
        raise ValueError(f"cities: row {row} is not a list of candidates")
    return np.ascontiguousarray(cities, np.int32)
