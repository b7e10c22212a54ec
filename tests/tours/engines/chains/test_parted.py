"""Tours are cut into parts, searched, and joined again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.tours.engines.chains.parted import PATH_DTYPE, SEGMENT_DTYPE, joined_pieces
from tests.helpers.marks import slow_but_usual
from tests.helpers.random_problems import METRICS, random_problem

PART = 32


def search(**parameters):
    usual = gls.LocalSearch([gls.LinKernighan(3)], gls.Nearest(6))
    return gls.IteratedLocalSearch(usual, gls.DoubleBridge(12), part=PART, **parameters)


def is_tour(tour, n):
    return sorted(tour.tolist()) == list(range(n))


@st.composite
def joints(draw):
    """Segments of a tour, some in pairs, and a path for each part, with what each part gains."""
    count = draw(st.integers(2, 9))
    lengths = draw(st.lists(st.integers(2, 5), min_size=count, max_size=count))
    begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    order = draw(st.permutations(range(count)))
    pairs = draw(st.integers(0, count // 2))
    parts = [sorted(order[2 * k : 2 * k + 2]) for k in range(pairs)]
    parts += [[alone] for alone in order[2 * pairs :]]
    segments = np.zeros(len(parts), SEGMENT_DTYPE)
    paths = np.zeros(len(parts), PATH_DTYPE)
    paths["step"] = 1
    sequences = []
    for k, part in enumerate(parts):
        own = [list(range(begins[s], begins[s] + lengths[s])) for s in part]
        segments[k] = (0, begins[part[0]], lengths[part[0]], 0, 0)
        if len(part) == 1:
            inner = draw(st.permutations(own[0][1:-1]))
            sequences.append([own[0][0], *inner, own[0][-1]])
            paths[k]["split"] = len(own[0])
            continue
        segments[k]["begin2"], segments[k]["length2"] = begins[part[1]], lengths[part[1]]
        turned = draw(st.booleans())
        ends = [own[0][-1], own[1][0]]
        if turned:
            ends.reverse()
        inner = draw(st.permutations(own[0][1:-1] + own[1][1:-1]))
        cut = draw(st.integers(0, len(inner)))
        first = [own[0][0], *inner[:cut], ends[0]]
        sequences.append([*first, ends[1], *inner[cut:], own[1][-1]])
        paths[k]["split"], paths[k]["turned"] = len(first), turned
    gained = np.array(draw(st.lists(st.integers(-9, 0), min_size=len(parts), max_size=len(parts))))
    return segments, paths, sequences, gained, begins, lengths


@given(joints())
def test_joined_parts_are_a_tour_that_keeps_all_edges_between_segments(case):
    segments, paths, sequences, gained, begins, lengths = case
    n = sum(lengths)
    pieces = joined_pieces(segments, paths, gained)
    tour = np.full(n, -1)
    for part, first, count, turned, to in pieces.tolist():
        if paths["step"][part] == 0:  # the part keeps its old path
            places = [int(segments[part][k]) for k in ("begin1", "length1", "begin2", "length2")]
            sequence = [*range(places[0], places[0] + places[1])]
            sequence += range(places[2], places[2] + places[3])
        else:
            sequence = sequences[part]
        stretch = sequence[first : first + count]
        tour[to : to + count] = stretch[::-1] if turned else stretch
    assert is_tour(tour, n)
    place = np.argsort(tour)
    for begin, length in zip(begins, lengths, strict=True):
        apart = abs(place[begin + length - 1] - place[(begin + length) % n])
        assert apart in (1, n - 1)


@given(st.lists(joints(), min_size=2, max_size=4))
def test_the_parts_of_several_tours_are_joined_as_those_of_each_alone(cases):
    segments, paths = (np.concatenate([case[k] for case in cases]) for k in (0, 1))
    sizes = [len(case[0]) for case in cases]
    segments["tour"] = np.arange(len(cases)).repeat(sizes)
    pieces = joined_pieces(segments, paths, np.concatenate([case[3] for case in cases]))
    alone = [joined_pieces(*case[:2], case[3]) for case in cases]
    for own, first in zip(alone, np.cumsum([0, *sizes]), strict=False):
        own["part"] += first
    assert (pieces == np.concatenate(alone)).all()
    assert (paths == np.concatenate([case[1] for case in cases])).all()


@pytest.mark.parametrize("metric", slow_but_usual(*METRICS))
def test_tours_are_never_worse_and_costs_are_exact(metric):
    problem = random_problem(metric, 150, seed=3)
    starts = gls.random_tours(problem, 2, seed=1, backend="cpu")
    result = search()(problem, starts, seed=1, budget=gls.Budget(kicks=6000), backend="cpu")
    assert all(is_tour(tour, problem.n) for tour in result.tours)
    assert (result.costs == problem.cost(result.tours)).all()
    local = search().search(problem, starts, backend="cpu")
    assert (result.costs <= local.costs).all()
    assert result.costs.sum() < local.costs.sum()
    assert result.statistics.kicks >= 12_000


def test_the_same_seed_gives_the_same_tours():
    problem = random_problem("EUC_2D", 200, seed=5)
    starts = gls.greedy(problem, 1, backend="cpu")

    def run(seed):
        budget = gls.Budget(kicks=3000)
        return search()(problem, starts, seed=seed, budget=budget, backend="cpu").tours

    assert (run(1) == run(1)).all()
    assert (run(1) != run(2)).any()


def test_short_tours_are_searched_as_a_whole():
    problem = random_problem("EUC_2D", 40, seed=1)  # less than two parts
    starts = gls.random_tours(problem, 1, backend="cpu")
    whole = gls.IteratedLocalSearch(search().search, gls.DoubleBridge(12), part=None)
    budget = gls.Budget(kicks=50)
    as_parts = search()(problem, starts, seed=1, budget=budget, backend="cpu")
    assert (
        as_parts.tours == whole(problem, starts, seed=1, budget=budget, backend="cpu").tours
    ).all()


def test_of_two_crossing_turned_pairs_the_better_one_counts():
    segments = np.zeros(2, SEGMENT_DTYPE)
    segments[0] = (0, 0, 3, 6, 3)
    segments[1] = (0, 3, 3, 9, 3)
    paths = np.zeros(2, PATH_DTYPE)
    paths["step"], paths["split"], paths["turned"] = 1, 3, 1
    pieces = joined_pieces(segments, paths, np.array([-5, -7]))
    assert paths["step"].tolist() == [0, 1]
    # The second pair reverses the cities between its segments: 6 7 8, which the first pair holds.
    assert pieces["part"].tolist() == [0, 1, 0, 1]
    assert pieces["turned"].tolist() == [0, 0, 1, 0]


def test_a_round_ends_at_an_exchange(monkeypatch):
    problem, reached = random_problem("EUC_2D", 150), []

    def exchange(self, chains, level, seconds, kicks):
        reached.append(int(chains.kicks.max()))
        return 0

    monkeypatch.setattr(gls.EdgeAssembly, "exchange", exchange)
    tours = gls.random_tours(problem, 4, seed=1, backend="cpu")
    crossed = search(cooperation=gls.EdgeAssembly(1.0))
    crossed(problem, tours, seed=1, budget=gls.Budget(kicks=600), backend="cpu")
    made = np.diff([0, *reached])
    assert len(made) >= 3 and (made >= 150).all() and (made < 150 + 2 * (150 // PART)).all()
