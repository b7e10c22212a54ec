"""How many examples are tried: fewer, other ones in each run, unless all are asked for."""

from __future__ import annotations

import os

from hypothesis import settings

ALL = os.environ.get("GPU_LS_EXAMPLES") == "all"  # as .ci/run sets it
USUAL = 100 if ALL else 40  # of tests that do not say


def examples(most: int) -> settings:
    """A third of the examples, for tests that compile kernels or search at length in each."""
    return settings(max_examples=most if ALL else most // 3, deadline=None)
