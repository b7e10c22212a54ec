"""``gpu-ls generate``: vehicle routing instances by published rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.cvrp_instances import DEMANDS, DEPOTS, POSITIONING
from gpu_ls_plugin.runs.domain import Command

if TYPE_CHECKING:
    import argparse

RULES = ("depot", "positioning", "demands", "route_size")


def add_options(command: argparse.ArgumentParser) -> None:
    """Add what `CVRP.generated` can be told."""
    add = command.add_argument
    add("file", type=Path, metavar="FILE", help="write the instance here (.vrp)")
    add("--customers", type=int, metavar="N", required=True)
    add("--depot", choices=DEPOTS, default="random", help="where it is (default: random)")
    add(
        "--positioning",
        choices=POSITIONING,
        default="random_clustered",
        help="where customers are (default: half of them anywhere, half in clusters)",
    )
    add("--demands", choices=DEMANDS, default="1-100", help="of customers (default: 1-100)")
    add(
        "--route-size",
        type=float,
        metavar="R",
        help="customers that fill a vehicle on average (default: drawn, 3 to 25)",
    )
    add("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")


def generate(options: argparse.Namespace) -> tuple[dict[str, object], str]:
    """Make an instance and write it; return what there is to say of it."""
    rules = {name: getattr(options, name) for name in RULES}
    problem = CVRP.generated(options.customers, seed=options.seed, **rules)
    problem.write(options.file)
    names = ("name", "comment", "customers", "capacity", "vehicles")
    facts = {"file": str(options.file)} | {name: getattr(problem, name) for name in names}
    return facts, f"{options.file}: {problem!r}, {problem.comment}"


GENERATE = Command(
    "Write a vehicle routing instance that is made by the rules of the X set.",
    add_options,
    generate,
)
