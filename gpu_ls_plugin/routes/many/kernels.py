"""Kernels on many vehicle routing problems, other than those of their searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.composition import parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.routes.kernels.linked_rows import (
    INSTANCE,
    INSTANCES_OF_ROWS,
    LINKED_PROBLEM,
    NEAR,
)
from gpu_ls_plugin.tours.kernels.sites import metric_type
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.routes.construction.batch import VehiclesType
    from gpu_ls_plugin.tours.problem.metrics import Metric

FOLDER = "routes/many"
MADE, LISTS, FIRST, ACTIONS = (
    f"{FOLDER}/{name}.cuh" for name in ("instances", "near_lists", "first_routes", "actions")
)
OWN = (INSTANCE, LINKED_PROBLEM, INSTANCES_OF_ROWS)  # parameters of kernels on rows


def make_kernel(metric: Metric, grid: str, team: str) -> Kernel:
    """Compose the kernel that makes the data of instances; `grid` is as in `Sites`."""
    body = f"gls::MakeInstances<{{team}}, {metric_type(metric, grid)}>"
    parameters = tuple(struct_of(MADE, name) for name in ("GivenInstances", "MadeInstances"))
    return metric_kernel("make_instances", metric, MADE, body, parameters, team)


def lists_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that lists the near nodes of each node."""
    body = f"gls::NearLists<{{team}}, {{metric}}, {NEAR}>"
    parameters = (*OWN, *parse_parameters("int* lists"))
    return metric_kernel("near_lists", metric, LISTS, body, parameters, team)


def costs_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that computes the costs of giant tours."""
    parameters = (*OWN, struct_of(MADE, "CostedRows"))
    return metric_kernel(
        "row_costs", metric, MADE, "gls::RowCosts<{team}, {metric}>", parameters, team
    )


def first_kernel(vehicles: VehiclesType, team: str) -> Kernel:
    """Compose the kernel that makes the first routes of each row."""
    body = f"gls::FirstRoutes<{{team}}, {vehicles.functor}>"
    parameters = (*OWN, struct_of(FIRST, "FirstRows"))
    return metric_kernel("first_routes", vehicles.metric, FIRST, body, parameters, team)


def read_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that checks action sequences and writes them as giant tours."""
    body, parameters = "gls::ReadActions<{team}, {metric}>", (*OWN, struct_of(ACTIONS, "ReadRows"))
    return metric_kernel("read_actions", metric, ACTIONS, body, parameters, team)


def write_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that writes giant tours as action sequences."""
    body = "gls::WriteActions<{team}, {metric}>"
    parameters = (*OWN, struct_of(ACTIONS, "WrittenRows"))
    return metric_kernel("write_actions", metric, ACTIONS, body, parameters, team)


def kernels(vehicles: VehiclesType, grid: str, warp: str, thread: str) -> Iterator[Kernel]:
    """Compose all these kernels, for the compile check."""
    metric = vehicles.metric
    yield make_kernel(metric, grid, warp)
    yield lists_kernel(metric, thread)
    yield costs_kernel(metric, warp)
    yield first_kernel(vehicles, warp)
    if not metric.integer:
        yield read_kernel(metric, thread)
        yield write_kernel(metric, thread)
