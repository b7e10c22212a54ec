"""The generator of random numbers against the published vectors of Philox4x32-10."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters

PROBE = """
template <class Team>
struct Probe {
  // Item i: `count` numbers of the stream of counters[4 i ...] and keys[2 i ...].
  static void run(const Team&, int item, const int* counters, const int* keys, int count,
                  int bound, int* numbers) {
    gls::Philox random(0, gls::Purpose::kRandomTours, 0);
    for (int w = 0; w < 4; ++w) random.counter[w] = gls::uint32(counters[4 * item + w]);
    for (int w = 0; w < 2; ++w) random.key[w] = gls::uint32(keys[2 * item + w]);
    for (int i = 0; i < count; ++i) {
      numbers[item * count + i] = int(bound > 0 ? random.below(bound) : random.next());
    }
  }
};
template <class Team>
struct Named {
  static void run(const Team&, int item, gls::uint64 seed, gls::int64 first, int step,
                  int* numbers) {
    gls::Philox random(seed, gls::Purpose::kDoubleBridge, first + item);
    random.seek(step);
    for (int w = 0; w < 4; ++w) numbers[8 * item + w] = int(random.counter[w]);
    for (int w = 0; w < 2; ++w) numbers[8 * item + 4 + w] = int(random.key[w]);
  }
};
"""


def kernel(name: str, parameters: str) -> Kernel:
    return Kernel(
        name=name.lower(),
        header="philox.cuh",
        body=f"{name}<gls::Host>",
        parameters=parse_parameters(parameters),
        team="gls::Host",
        functors=('#include "philox.cuh"' and "", PROBE),
    )
