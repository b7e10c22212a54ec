"""An array that stands for one on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np


class OnGPU(np.ndarray[Any, Any]):
    """Stands for a CuPy array, which only `get` copies to the host."""

    def get(self) -> np.ndarray[Any, Any]:
        return np.array(self)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array.view(OnGPU)
