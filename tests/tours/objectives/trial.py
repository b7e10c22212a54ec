"""Objectives as a third party writes them: tolls on some edges, and edges that are forbidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu_ls_plugin.extend import Objective, UnsupportedProblemError

TOLLS = """
// Tolls of edges, an n x n matrix that is symmetric if lengths are.
struct Tolls {
  const gls::int64* tolls;
  gls::int64 n;

  GLS_DEVICE Tolls(const gls::uint64* words, int n)
      : tolls(gls::address<const gls::int64>(words[0])), n(n) {}

  GLS_DEVICE gls::int64 toll(gls::Edge edge) const { return tolls[edge.from * n + edge.to]; }

  // Tolls of the removed edges minus those of the added ones.
  template <class Change>
  GLS_DEVICE gls::int64 refund(const Change& change) const {
    gls::int64 sum = 0;
    for (int edge = 0; edge < change.edges(); ++edge) {
      sum += toll(change.leaving(edge)) - toll(change.coming(edge));
    }
    return sum;
  }
  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    return shorter + Gain(refund(change));
  }
  template <class Team, class City>
  GLS_DEVICE bool feasible(const Team& team, int n, City city) const {
    return team.template sum<gls::int64>(n, [&](int place) {
      return toll({city(place), city(place + 1 < n ? place + 1 : 0)});
    }) == 0;
  }
};
"""

FORBIDDEN = """
// Tolls cost nothing, but no move may increase their sum.
struct NoTolls : Tolls {
  using Tolls::Tolls;

  template <class Change, class Gain>
  GLS_DEVICE Gain gain(const Change& change, Gain shorter) const {
    return refund(change) < 0 ? gls::forbidden<Gain>() : shorter;
  }
};
"""


@dataclass(frozen=True, eq=False)
class Tolls(Objective):
    """Some edges cost more than their length; tours with such edges are not results."""

    matrix: Any

    name = "tolls"
    functor = "Tolls"
    by_edges = True

    def source(self) -> str:
        return TOLLS

    def check(self, problem: Any) -> None:
        if self.matrix.shape != (problem.n, problem.n):
            raise UnsupportedProblemError("problem: the tolls are for another number of cities")

    def words(self, backend: Any, problem: Any) -> list[Any]:
        return [backend.xp.asarray(self.matrix.astype("int64"))]

    def paid(self, rows: Any) -> Any:
        return self.matrix[rows, np.roll(rows, -1, axis=1)].sum(axis=1)

    def costs(self, problem: Any, rows: Any) -> Any:
        return self.paid(rows).astype(problem.cost_dtype)

    def feasible(self, problem: Any, rows: Any) -> Any:
        return self.paid(rows) == 0


@dataclass(frozen=True, eq=False)
class Forbidden(Tolls):
    """Moves must not add some edges; they may remove them."""

    name = "forbidden"
    functor = "NoTolls"

    def source(self) -> str:
        return TOLLS + FORBIDDEN

    def costs(self, problem: Any, rows: Any) -> Any:
        return np.zeros(len(rows), problem.cost_dtype)


@dataclass(frozen=True, eq=False)
class WholeTolls(Tolls):
    """The same tolls, but declared as not being a sum over edges."""

    name = "whole_tolls"
    by_edges = False


def some_tolls(n: int, seed: int = 0, share: float = 0.3, most: int = 100) -> Any:
    """Return a symmetric matrix (n, n) of tolls on a share of the edges."""
    random = np.random.default_rng(seed)
    tolls = random.integers(1, most + 1, (n, n)) * (random.random((n, n)) < share)
    upper = np.triu(tolls, 1)
    return (upper + upper.T).astype("int64")
