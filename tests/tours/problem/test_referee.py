"""The referee: checks of tours, messages about invalid ones, and costs from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.exceptions import InvalidTourError, InvalidTypeError
from gpu_ls_plugin.core.rows import check_permutations, check_tours
from gpu_ls_plugin.tours.problem.referee import tour_costs
from gpu_ls_plugin.tours.problem.tsp import TSP


def line(n: int) -> TSP:
    """Cities at 0, 1, ..., n-1 on a line."""
    return TSP([(x, 0) for x in range(n)], "EUC_2D")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int64, np.uint64])
def test_every_integer_type_comes_out_as_int32(dtype):
    tours = np.array([[2, 0, 1], [0, 1, 2]], dtype=dtype)
    batch = check_tours(line(3), tours)
    assert batch.dtype == np.int32
    assert batch.tolist() == tours.tolist()


def test_lists_and_single_tours_are_taken():
    assert check_tours(line(3), [[2, 0, 1]]).tolist() == [[2, 0, 1]]
    assert check_tours(line(3), (1, 0, 2)).tolist() == [[1, 0, 2]]
    assert check_tours(line(1), [0]).tolist() == [[0]]


def test_batches_that_need_no_change_are_not_copied():
    tours = np.array([[2, 0, 1]], dtype=np.int32)
    tours.setflags(write=False)
    assert np.shares_memory(check_tours(line(3), tours), tours)
    strided = np.asfortranarray(np.array([[0, 1, 2], [2, 1, 0]], dtype=np.int32))
    assert check_tours(line(3), strided).flags.c_contiguous


# Further cases are in tests/test_bad_input.py.
@pytest.mark.parametrize(
    ("tours", "error", "words"),
    [
        ([[0, 1, 2, 2]], InvalidTourError, "row 0 .* city 2 appears 2 times, city 3 is missing"),
        ([[3, 2, 1, 0], [0, 0, 0, 1]], InvalidTourError, "row 1 .* city 0 appears 3 times, city 2"),
        (
            [[0, 1, 2, 3], [0, 1, 2, 4]],
            InvalidTourError,
            r"row 1 holds city 4 at position 3.*0\.\.3",
        ),
        (np.array([[0, 1, 2, 2**63]], "u8"), InvalidTourError, "city 9223372036854775808"),
        ([0, 1, 2, 3, 4], InvalidTourError, r"shape \(5,\)"),
        ([], InvalidTourError, r"shape \(0,\)"),
        ([[0.0, 1.0, 2.5, 3.0]], InvalidTypeError, "must be integers, but row 0 holds 2.5"),
        ([[None, 1, 2, 3]], InvalidTypeError, "object"),
        ([[0j, 1, 2, 3]], InvalidTypeError, "complex"),
    ],
)
@pytest.mark.parametrize("check", [check_tours, tour_costs])
def test_bad_tours(check, tours, error, words):
    with pytest.raises(error, match=f"^tours: .*{words}") as caught:
        check(line(4), tours)
    assert type(caught.value) is error


def test_the_row_is_named_beyond_the_first_block():
    tours = np.tile(np.arange(1000, dtype=np.int32), (900, 1))
    tours[777, :2] = 5
    with pytest.raises(InvalidTourError, match=r"row 777 .*: city 5 appears 3 times, city 0 is"):
        check_tours(line(1000), tours)


@given(hnp.arrays(np.int64, (3, 5), elements=st.integers(0, 4)))
def test_rows_are_valid_if_sorting_gives_all_cities(tours):
    valid = all(sorted(row) == [0, 1, 2, 3, 4] for row in tours.tolist())
    try:
        check_permutations(tours, 5)
    except InvalidTourError:
        assert not valid
    else:
        assert valid


class DeviceTours:
    """Tours that pretend to be on a GPU."""

    __cuda_array_interface__: dict = {}  # noqa: RUF012


def test_costs_of_device_arrays_come_from_the_backends(monkeypatch):
    problem, tours = line(4), DeviceTours()
    monkeypatch.setattr(upper_layers, "device_costs", lambda *arguments: arguments)
    assert problem.cost(tours) == (problem, tours)
    assert problem.cost([0, 1, 2, 3]).tolist() == [6]
