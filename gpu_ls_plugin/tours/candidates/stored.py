"""Candidate sets that are read from files."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import lists_of, read_lists

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.candidates.lists import CandidateLists
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Stored(Candidates):
    """Saved candidate lists of one instance.

    Two sets are equal if they have the same rule, instance and lists, even if their files differ.

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
        content = read_lists(path)
        cities = content["cities"]
        cities.setflags(write=False)
        return cls(
            path=os.fspath(path),
            rule=str(content["rule"]),
            fingerprint=str(content["fingerprint"]),
            digest=hashlib.sha256(cities.tobytes()).hexdigest(),
            cities=cities,
        )

    def build(self, problem: TSP) -> CandidateLists:
        """Return the lists; raise InvalidParameterError if the problem is another instance."""
        if problem.fingerprint != self.fingerprint:
            raise InvalidParameterError(
                f"candidates: {self.path} holds {self.rule} for an instance other than "
                f"{problem!r}: the metric, coordinates or matrix differ; make and save lists for "
                "this one"
            )
        return lists_of(problem, self.cities)
