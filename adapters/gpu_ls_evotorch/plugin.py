"""The adapter as a plugin, which recognises the problem of a `DomainProblem`."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem

if importlib.util.find_spec("evotorch") is None:
    raise MissingExtraError('evotorch is not installed: pip install "gpu-ls-plugin[evotorch]"')


@hookimpl
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Return the problem of a `DomainProblem`; EvoTorch itself has no problems of this kind."""
    problem = sys.modules.get("gpu_ls_evotorch.problem")
    if problem is None or not isinstance(obj, problem.DomainProblem):
        return None
    found: Problem = obj.known_problem()
    return found
