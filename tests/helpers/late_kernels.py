"""The kernels that a search launches for the first time after everything should be compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import builds, get_backend
from gpu_ls_plugin.backends.beside import beside_a_search

if TYPE_CHECKING:
    import pytest


class LateKernels:
    """Watches launches: `late` has kernels for which a search waits once `prepared` is true.

    `known` has all kernels; `launched` has the names of kernels launched since then.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.prepared, self.late, self.launched = False, [], set()
        known, backend = set(), type(get_backend("cpu"))
        launch = backend.launch

        def note(backend: Any, kernel: Any, *given: Any, **options: Any) -> bool:
            if self.prepared and builds.waits() and not beside_a_search():
                self.launched.add(kernel.name)
                if kernel not in known:
                    self.late.append(kernel.name)
            known.add(kernel)
            return bool(launch(backend, kernel, *given, **options))

        self.known = known
        monkeypatch.setattr(backend, "launch", note)
