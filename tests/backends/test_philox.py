"""The random number generator against the published vectors of Philox4x32-10."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers import host_program

NUMBERS = """
struct Probe {
  static void run(const gls::Host&, int item, const int* counters, const int* keys, int wanted,
                  int bound, int* numbers) {
    gls::Philox random(0, gls::Purpose::kRandomTours, 0);
    for (int w = 0; w < 4; ++w) random.counter[w] = gls::uint32(counters[4 * item + w]);
    for (int w = 0; w < 2; ++w) random.key[w] = gls::uint32(keys[2 * item + w]);
    for (int i = 0; i < wanted; ++i) {
      numbers[item * wanted + i] = int(bound > 0 ? random.below(bound) : random.next());
    }
  }
};
"""

STATE = """
struct Probe {
  static void run(const gls::Host&, int item, gls::uint64 seed, gls::int64 first, int step,
                  int* states) {
    gls::Philox random(seed, gls::Purpose::kDoubleBridge, first + item);
    random.seek(gls::uint32(step));
    for (int w = 0; w < 4; ++w) states[6 * item + w] = int(random.counter[w]);
    for (int w = 0; w < 2; ++w) states[6 * item + 4 + w] = int(random.key[w]);
  }
};
"""


def stream(counter: list[int], key: list[int], count: int = 4, bound: int = 0) -> list[int]:
    """Return `count` numbers from a counter on."""
    numbers = np.zeros(count, np.uint32)
    host_program.run(
        NUMBERS,
        1,
        "const int* counters, const int* keys, int wanted, int bound, int* numbers",
        {
            "counters": np.array(counter, np.uint32),
            "keys": np.array(key, np.uint32),
            "wanted": count,
            "bound": bound,
            "numbers": numbers,
        },
        header="backends/include/philox.cuh",
    )
    return numbers.tolist()


# Test vectors of Random123: counter, key, numbers.
PI = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]
VECTORS = [
    ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([2**32 - 1] * 4, [2**32 - 1] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (PI, [0xA4093822, 0x299F31D0], [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]


@pytest.mark.parametrize(("counter", "key", "numbers"), VECTORS)
def test_known_answers(counter, key, numbers):
    assert stream(counter, key) == numbers


def test_the_stream_goes_on_with_the_next_counter():
    numbers = stream([7, 1, 2, 3], [4, 5], count=12)
    blocks = [stream([block, 1, 2, 3], [4, 5]) for block in (7, 8, 9)]
    assert numbers == [number for block in blocks for number in block]


def test_bounded_numbers_are_the_high_part_of_the_product():
    numbers, bounded = stream([0] * 4, [9, 9], 1000), stream([0] * 4, [9, 9], 1000, bound=7)
    assert bounded == [(number * 7) >> 32 for number in numbers]
    assert np.bincount(bounded, minlength=7).min() > 100


def test_seed_purpose_tour_and_step_are_the_key_and_the_counter():
    states = np.zeros((3, 6), np.uint32)
    host_program.run(
        STATE,
        3,
        "gls::uint64 seed, gls::int64 first, int step, int* states",
        {"seed": 2**63 + 5, "first": 2**32 - 1, "step": 77, "states": states},
        header="backends/include/philox.cuh",
    )
    key = [5, 2**31]
    assert states.tolist() == [
        [77, 4, 2**32 - 1, 0, *key],
        [77, 4, 0, 1, *key],
        [77, 4, 1, 1, *key],
    ]
