"""Numbers of hypothesis examples: fewer by default, and different ones in each run."""

from __future__ import annotations

import os

from hypothesis import settings

ALL = os.environ.get("GPU_LS_EXAMPLES") == "all"  # set by .ci/run
USUAL = 100 if ALL else 20  # examples of a test by default


def examples(most: int) -> settings:
    """Return settings with up to `most` examples, for tests with slow examples."""
    return settings(max_examples=most if ALL else most // 3, deadline=None)
