"""Small C++ programs, by default on the CPU, for tests of single device functors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(
    text: str,
    items: int,
    parameters: str,
    arguments: dict[str, Any],
    header: str = "tours/problem/metric.cuh",
    backend: str = "cpu",
) -> None:
    """Run `Probe::run(team, item, parameters...)` from `text` on items 0, 1, ....

    metric.cuh and `header` are included before `text`; arrays are read and written in place.
    """
    kernel = Kernel(
        name="probe",
        header="tours/problem/metric.cuh",
        body="Probe",
        parameters=parse_parameters(parameters),
        team="gls::Host" if backend == "cpu" else "gls::Thread<32>",
        functors=(text,),
        headers=("tours/problem/metric.cuh", header),
    )
    chosen = get_backend(backend)
    given = {
        name: chosen.xp.asarray(value) if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }
    chosen.launch(kernel, items, given)
    for name, value in arguments.items():
        if given[name] is not value:  # a copy on a GPU
            value[...] = chosen.to_numpy(given[name])


def memory_of(function: str, header: str, text: str = "", *, counts: Sequence[int]) -> list[int]:
    """Return the results of a C++ function, or of a call of it, for some numbers `n` of cities."""
    call = function if function.endswith(")") else f"{function}(n)"
    text += f"""
    struct Probe {{
      static void run(const gls::Host&, int item, const int* cities, gls::int64* bytes) {{
        using namespace gls;
        const int n = cities[item];
        bytes[item] = {call};
      }}
    }};
    """
    found = np.zeros(len(counts), np.int64)
    given = {"cities": np.array(counts, np.int32), "bytes": found}
    run(text, len(counts), "const int* cities, gls::int64* bytes", given, header)
    return found.tolist()
