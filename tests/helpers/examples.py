"""How many examples are tried where each may compile a kernel of its own."""

from __future__ import annotations

import os

from hypothesis import settings

ALL = os.environ.get("GPU_LS_EXAMPLES") == "all"  # as .ci/run sets it


def examples(most: int) -> settings:
    """A third of the examples, other ones in each run; all of them where they are asked for."""
    return settings(max_examples=most if ALL else most // 3, deadline=None)
