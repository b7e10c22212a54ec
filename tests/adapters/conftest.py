"""The adapters that the suite runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.adapters.faces import FACES

if TYPE_CHECKING:
    from tests.adapters.face import Face


@pytest.fixture(params=FACES, ids=lambda face: face.framework)
def face(request: pytest.FixtureRequest) -> Face:
    """An adapter, if its framework is installed."""
    needed = request.param.framework
    pytest.importorskip(needed, reason=f'needs pip install "gpu-ls-plugin[{needed}]"')
    return request.param
