"""Stretches of giant tours that are computed ahead, and searches by them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTypeError,
)
from gpu_ls_plugin.routes.problem.resources.hierarchy import Hierarchy
from tests.helpers.host_program import run
from tests.helpers.marks import slow_after
from tests.helpers.routing import giant_tours, random_cvrp
from tests.helpers.stretches import kept_stretches, late, length, plain_stretch, types_of
from tests.routes.time_windows import some_windows

LEVELS = [(1, (4,)), (2, (2, 8)), (0, None)]
MOVES = [gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2), gls.TwoOptStar(), gls.SwapStar()]
EXACT = 0
ROUNDED = 1e-9


def windowed(kind: str, customers: int, seed: int) -> gls.CVRP:
    problem = random_cvrp(kind, customers, seed, capacity=40)
    return problem.with_resources(some_windows(problem, seed))


PROBLEMS = {
    "time windows": windowed("duration", 11, 1),
    "real duration": random_cvrp("real duration", 17, 2),
    "directed duration": random_cvrp("directed duration", 14, 3),
}


def check_load(problem, said, plain):
    demands = problem.demands
    for end in ("head", "tail"):
        assert said[end]["f0"] == demands[getattr(plain, end)].sum()
    over = [max(0, int(demands[route].sum()) - problem.capacity) for route in plain.routes]
    assert said["there"] == sum(over)


def check_duration(problem, said, plain):
    limit, rounded = problem.tolerated_limit, EXACT if problem.integer else ROUNDED
    ways = [("f0", 1)] if problem.symmetric else [("f0", 1), ("f1", -1)]
    for end in ("head", "tail"):
        for field, way in ways:
            own = length(problem, getattr(plain, end)[::way])
            assert said[end][field] == pytest.approx(own, rel=rounded, abs=rounded)
    for name, (_, way) in zip(("there", "back"), ways, strict=False):
        over = sum(max(0, length(problem, route[::way]) - limit) for route in plain.routes)
        assert said[name] == pytest.approx(over, rel=rounded, abs=rounded)


def check_windows(problem, said, plain):
    for end in ("head", "tail"):
        duration, early, latest, warp = (said[end][f"f{x}"].item() for x in range(4))
        back = [said[end][f"f{x}"].item() for x in range(4, 8)]
        nodes = getattr(plain, end)
        for way, its in ((nodes, (duration, early, latest, warp)), (nodes[::-1], back)):
            for start in (0, 40, 150, 260, 500):
                missed = its[3] + max(0, start - its[2])
                assert late(problem, way, start) == (
                    missed,
                    max(start, its[1]) + its[0] - missed,
                )
    for name, way in (("there", 1), ("back", -1)):
        assert said[name] == sum(late(problem, route[::way], 0)[0] for route in plain.routes)


CHECKS = {"load": check_load, "duration": check_duration, "time_windows": check_windows}


@pytest.mark.parametrize(("level", "parts"), slow_after(2, LEVELS))
@pytest.mark.parametrize("kind", slow_after(1, list(PROBLEMS)))
@given(data=st.data())
def test_stretches_are_those_of_a_walk(kind, level, parts, data):
    problem = PROBLEMS[kind].with_hierarchy(level, parts)
    n, seed = problem.n, data.draw(st.integers(0, 2**20))
    rows, random = giant_tours(problem, 2, seed), np.random.default_rng(seed)
    first = random.integers(0, n, (2, 8))
    ends = np.stack([first, first + random.integers(0, n, (2, 8))], axis=-1)
    found = kept_stretches(problem, rows, ends)
    for row, its_ends, its in zip(rows, ends, found, strict=True):
        for (begin, end), said in zip(its_ends, its, strict=True):
            plain = plain_stretch(problem, row, begin, end)
            for name in found.dtype.names:
                assert said[name]["routes"] == (len(plain.routes) if plain.has_depot else -1)
                CHECKS[name](problem, said[name], plain)


def assert_same_tours(problem, search, starts, levels):
    budget = gls.Budget(moves=500)  # more than are made, unless gains are wrong
    scanned = search(problem, starts, seed=1, budget=budget, backend="cpu")
    assert scanned.statistics.moves > len(starts)
    for level, parts in levels:
        levelled = problem.with_hierarchy(level, parts)
        found = search(levelled, starts, seed=1, budget=budget, backend="cpu")
        assert (found.tours == scanned.tours).all()
        assert (found.costs == scanned.costs).all()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "soft"), [("fleet", False), ("duration", True)])
@pytest.mark.parametrize(("level", "parts"), LEVELS)
def test_complete_neighbourhoods_end_at_the_same_tours(kind, soft, level, parts):
    problem = random_cvrp(kind, 24, 5)
    problem = problem.penalised(load=3, duration=2, vehicles=50) if soft else problem
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
    assert_same_tours(problem, search, giant_tours(problem, 8, 6), [(level, parts)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "soft"), [("fleet", True), ("real duration", False), ("directed duration", False)]
)
def test_all_engines_end_at_the_same_tours(kind, soft):
    problem = random_cvrp(kind, 24, 7)
    problem = problem.penalised(load=3, duration=2, vehicles=50) if soft else problem
    moves = MOVES if problem.symmetric else MOVES[1:]
    first = gls.LocalSearch(moves, candidates=gls.Nearest(8))
    searches = [first, gls.LocalSearch(moves, gls.Nearest(8), gls.Best())]
    searches.append(gls.IteratedLocalSearch(first, gls.DoubleBridge()))
    if problem.symmetric:
        three = gls.LocalSearch([gls.ThreeOpt()], candidates=gls.All(), pivoting=gls.Best())
        searches += [three, gls.LocalSearch(moves, gls.Nearest(8), gls.Multi(30))]
    starts = giant_tours(problem, 6, 8)
    for search in searches:
        budgeted = isinstance(search, gls.IteratedLocalSearch)
        budget = gls.Budget(kicks=40) if budgeted else gls.Budget(moves=500)
        found = [
            search(each, starts, seed=1, budget=budget, backend="cpu")
            for each in (problem, problem.with_hierarchy(2))
        ]
        assert (found[0].tours == found[1].tours).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fleet", "directed"])
def test_time_windows_lead_to_the_same_tours(kind):
    problem = windowed(kind, 24, 9)
    moves = MOVES if problem.symmetric else MOVES[1:]
    search = gls.LocalSearch(moves, candidates=gls.Nearest(8))
    assert_same_tours(problem, search, giant_tours(problem, 8, 10), LEVELS)


def test_parts_are_about_as_long_as_takes_least():
    usual = [Hierarchy.of(n, level).parts for level in (1, 2) for n in (2, 399, 2401)]
    assert usual == [(2,), (8,), (16,), (2, 4), (2, 16), (4, 32)]


NUMBERED = """
template <int level>
void note(const gls::Levels<level>& levels, int* noted) {
  for (int a = 0; a < levels.units; ++a) {
    for (int b = a; b < levels.units; ++b) {
      if constexpr (level == 0) {
        ++noted[gls::pair_number(a, b, levels.units)];
      } else if (a >> levels.shift == b >> levels.shift) {
        ++noted[levels.number(a, b)];
      }
    }
  }
  if constexpr (level > 0) note(levels.above, noted + levels.own());
}
struct Probe {
  template <class Team>
  static void run(const Team&, int, int level, int n, const gls::uint64* shifts, int* held,
                  int* noted) {
    const auto use = [&](const auto& levels) { *held = levels.stretches(), note(levels, noted); };
    if (level == 0) use(gls::Levels<0>(n, shifts));
    if (level == 1) use(gls::Levels<1>(n, shifts));
    if (level == 2) use(gls::Levels<2>(n, shifts));
  }
};
"""


@pytest.mark.parametrize("n", [1, 18, 64, 65])
@pytest.mark.parametrize(("level", "parts"), [*LEVELS, (1, (64,)), (2, (2, 4))])
def test_every_stretch_has_a_number_of_its_own(level, parts, n):
    hierarchy = Hierarchy.of(n, level, parts)
    count, noted = np.zeros(1, "int32"), np.zeros(4 * n * n + 4096, "int32")
    arguments = {"level": level, "n": n, "shifts": np.array([*hierarchy.shifts(), 0], "uint64")}
    arguments |= {"held": count, "noted": noted}
    parameters = "int level, int n, const gls::uint64* shifts, int* held, int* noted"
    run(NUMBERED, 1, parameters, arguments, "routes/problem/resources/hierarchy.cuh")
    assert count[0] == hierarchy.stretches(n)
    assert noted.max() == 1 and not noted[count[0] :].any()


def test_a_stretch_takes_as_many_bytes_as_are_planned():
    for problem in PROBLEMS.values():
        giant = problem.with_hierarchy(2).tsp
        parts, types = giant.objective.resources, types_of(problem)
        assert [types[part.name].itemsize for part in parts] == [
            giant.objective.stretch_bytes(part) for part in parts
        ]


@pytest.mark.parametrize(
    ("level", "parts", "error", "said"),
    [
        (3, None, InvalidParameterError, "level: 3 is not between 0 and 2"),
        (1.0, None, InvalidTypeError, "level: 1.0 is not an integer"),
        (1, (12,), InvalidParameterError, "parts: 12 is not a power of two"),
        (1, (1,), InvalidParameterError, "parts: 1 is not between 2"),
        (1, (4, 8), InvalidParameterError, "parts: 2 of them, but a hierarchy of level 1 has 1"),
        (2, (8, 8), InvalidParameterError, r"parts: \(8, 8\) do not grow"),
        (0, (8,), InvalidParameterError, "parts: 1 of them, but a hierarchy of level 0 has 0"),
        (2, "48", InvalidTypeError, "parts: '48' is not a sequence such as"),
    ],
)
def test_bad_levels_are_refused(level, parts, error, said):
    with pytest.raises(error, match=said):
        random_cvrp("capacity", 12, 13).with_hierarchy(level, parts)


def test_a_hierarchy_that_does_not_fit_is_refused():
    problem = random_cvrp("capacity", 200, 15).with_hierarchy(0)
    search = gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best())
    needed = problem.tsp.objective.kept_bytes(problem.tsp)
    said = r"one tour needs [\d,]+ bytes on the cpu backend, but only 1,000,000 are available"
    with pytest.raises(InsufficientMemoryError, match=said):
        search(problem, giant_tours(problem, 1), backend="cpu", memory_limit=10**6)
    assert needed > 10**6


def test_other_constraints_keep_the_hierarchy():
    import pickle

    problem = random_cvrp("capacity", 12, 17).with_hierarchy(1, [8])
    changed = [problem.penalised(load=3), problem.with_resources(some_windows(problem))]
    for each in (*changed, pickle.loads(pickle.dumps(problem))):
        assert each.hierarchy == Hierarchy(1, (8,))
    assert problem.with_hierarchy(None).hierarchy is None
