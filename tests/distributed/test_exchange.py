"""The sources of each island's guests, and the stretches of a run."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.distributed import Exchange
from gpu_ls_plugin.distributed.exchange import sources
from gpu_ls_plugin.distributed.run import Schedule
from gpu_ls_plugin.runs.seeds import derived


def test_a_ring_hears_of_the_one_before() -> None:
    assert [sources("ring", 3, island, 5, 1) for island in range(3)] == [[2], [0], [1]]


def test_a_complete_topology_hears_of_all_others() -> None:
    assert sources("complete", 3, 1, 5, 1) == [0, 2]


def test_a_random_one_hears_of_others_by_seed_and_round() -> None:
    drawn = [sources("random", 5, 2, number, 1)[0] for number in range(60)]
    assert set(drawn) == {0, 1, 3, 4}
    assert drawn == [sources("random", 5, 2, number, 1)[0] for number in range(60)]
    assert drawn != [sources("random", 5, 2, number, 2)[0] for number in range(60)]


@pytest.mark.parametrize("topology", ["ring", "complete", "random"])
def test_one_island_hears_of_nobody(topology: str) -> None:
    assert sources(topology, 1, 0, 0, 1) == []


@pytest.mark.parametrize(("kicks", "step"), [(100, None), (7, None), (95, 30), (1, None)])
def test_stretches_add_up_to_the_kicks(kicks: int, step: int | None) -> None:
    schedule = Schedule.of(Exchange(kicks=step), Budget(kicks=kicks), None)
    done, shares = 0, []
    while (stretch := schedule.stretch(done, 0.0)) is not None:
        assert stretch.seconds == math.inf and stretch.kicks is not None
        done += stretch.kicks
        shares.append((stretch.begin, stretch.end))
    assert schedule.together and done == kicks
    assert shares[0][0] == 0.0 and shares[-1][1] == 1.0
    assert all(one[1] == other[0] for one, other in pairwise(shares))


def test_stretches_add_up_to_the_seconds() -> None:
    schedule = Schedule.of(Exchange(every=0.4), Budget(seconds=1.0), None)
    elapsed, lengths = 0.0, []
    while (stretch := schedule.stretch(0, elapsed)) is not None:
        assert stretch.kicks is None
        lengths.append(stretch.seconds)
        elapsed += stretch.seconds
    assert not schedule.together and lengths == pytest.approx([0.4, 0.4, 0.2])


def test_first_stretches_may_be_parts_of_the_usual_ones() -> None:
    schedule = Schedule.of(Exchange(every=0.4), Budget(seconds=1.0), None)
    lengths = [schedule.stretch(0, 0.0, part) for part in (0.25, 0.5, 1.0)]
    assert [s.seconds for s in lengths if s is not None] == pytest.approx([0.1, 0.2, 0.4])
    counted = Schedule.of(Exchange(kicks=5), Budget(kicks=10), None).stretch(0, 0.0, 0.25)
    assert counted is not None and (counted.kicks, counted.seconds) == (5, math.inf)


def test_a_search_without_limits_makes_its_own_kicks() -> None:
    assert Schedule.of(Exchange(), Budget(), 600).kicks == 600
    assert Schedule.of(Exchange(), Budget(), None).stretch(0, 0.0) is not None


def test_seeds_depend_on_every_word() -> None:
    seeds = {derived(a, b) for a in range(8) for b in range(8)}
    assert len(seeds) == 64 and max(seeds) > 2**60


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"every": 0}, InvalidParameterError),
        ({"kicks": 0}, InvalidParameterError),
        ({"best": 0}, InvalidParameterError),
        ({"distant": -1}, InvalidParameterError),
        ({"every": "1"}, InvalidTypeError),
        ({"best": 1.5}, InvalidTypeError),
    ],
)
def test_wrong_parameters(given: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(given))):
        Exchange(**given)  # type: ignore[arg-type]
