"""Candidate lists in files."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.candidates.base import CandidateLists, Candidates
from gpu_ls_plugin.candidates.rows import lists_of, wrong_row
from gpu_ls_plugin.exceptions import FileFormatError, InvalidParameterError
from gpu_ls_plugin.files import atomically

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.tsp import TSP

VERSION = 1


@dataclass(frozen=True)
class Stored(Candidates):
    """Lists that were saved, for the one instance they belong to.

    Two are equal if they hold the same lists for the same instance, wherever they were read from.

    Attributes
    ----------
    path : str
        The file.
    rule : str
        The candidate set that was saved, such as "Alpha(k=5, steps=30)".
    fingerprint : str
        `TSP.fingerprint` of the instance.
    digest : str
        SHA-256 (hexadecimal) of the lists.
    cities : ndarray, shape (n, k), int32, read-only
        Candidates of each city.
    """

    path: str = field(compare=False)
    rule: str
    fingerprint: str = field(repr=False)
    digest: str = field(repr=False)
    cities: NDArray[np.int32] = field(compare=False, repr=False)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `Candidates.save` wrote; see `Candidates.load`."""
        content = _read(path)
        cities = _checked(path, content["cities"])
        cities.setflags(write=False)
        return cls(
            path=os.fspath(path),
            rule=str(content["rule"]),
            fingerprint=str(content["fingerprint"]),
            digest=hashlib.sha256(cities.tobytes()).hexdigest(),
            cities=cities,
        )

    def build(self, problem: TSP) -> CandidateLists:
        """Return the lists; another instance than that they were saved for raises."""
        if problem.fingerprint != self.fingerprint:
            raise InvalidParameterError(
                f"candidates: {self.path} holds {self.rule} of another instance than {problem!r}: "
                "metric, coordinates or matrix differ; make the lists of this one and save them"
            )
        return lists_of(problem, self.cities)


def write_lists(
    path: str | os.PathLike[str], rule: str, problem: TSP, lists: CandidateLists
) -> None:
    """Write lists to an NPZ file, which appears complete or not at all."""
    with atomically(Path(path)) as file, open(file, "wb") as stream:
        np.savez(
            stream,
            version=np.array(VERSION),
            rule=np.array(rule),
            fingerprint=np.array(problem.fingerprint),
            cities=lists.cities,
        )


def _read(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return what a file holds under the names that this format has."""
    with open(path, "rb") as stream:
        try:
            with np.load(stream, allow_pickle=False) as file:
                version = file["version"]
                content = {name: file[name] for name in ("rule", "fingerprint", "cities")}
        except OSError:
            raise
        except Exception as error:  # of zipfile, what decompresses, and what reads arrays
            raise FileFormatError(f"{path}: no file of candidate lists: {error!r}") from error
    if not np.array_equal(version, VERSION):
        raise FileFormatError(
            f"{path}: candidate lists of format {version}, but this library reads {VERSION}; "
            "make them anew"
        )
    for name in ("rule", "fingerprint"):
        if content[name].dtype.kind != "U" or content[name].ndim:
            raise FileFormatError(f"{path}: {name}: {content[name]!r:.80} is no text")
    return content


def _checked(path: str | os.PathLike[str], cities: NDArray[Any]) -> NDArray[np.int32]:
    """Return lists in our layout; rows that do not hold other cities, each once, raise."""
    wanted = cities.dtype.kind in "iu" and cities.ndim == 2
    if not wanted or not len(cities) or (len(cities) > 1 and not cities.shape[1]):
        raise FileFormatError(f"{path}: cities: {cities.dtype} of shape {cities.shape}")
    if (row := wrong_row(cities)) is not None:
        raise FileFormatError(f"{path}: cities: row {row} is no list of candidates")
    return np.ascontiguousarray(cities, np.int32)
