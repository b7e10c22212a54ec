"""Small C++ programs on the CPU backend, for tests of device functors one by one."""

from __future__ import annotations

from typing import Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters


def run(
    text: str,
    items: int,
    parameters: str,
    arguments: dict[str, Any],
    header: str = "tours/problem/metric.cuh",
) -> None:
    """Run `Probe::run(team, item, parameters...)`, which `text` defines, on items 0, 1, ....

    `text` sees metric.cuh and `header`; arrays among the arguments are read and written in place.
    """
    kernel = Kernel(
        name="probe",
        header="tours/problem/metric.cuh",
        body="Probe",
        parameters=parse_parameters(parameters),
        team="gls::Host",
        functors=(text,),
        headers=("tours/problem/metric.cuh", header),
    )
    get_backend("cpu").launch(kernel, items, arguments)
