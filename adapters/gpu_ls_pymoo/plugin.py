"""The adapter as a plugin, which converts problems of pymoo."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem

if importlib.util.find_spec("pymoo") is None:
    raise MissingExtraError('pymoo is not installed: pip install "gpu-ls-plugin[pymoo]"')


@hookimpl(trylast=True)  # other plugins know their own problems better
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Return the problem of a wrapper of this package, or of a problem of pymoo that it knows."""
    if "pymoo.core.problem" not in sys.modules:  # then `obj` cannot be a problem of pymoo
        return None
    from gpu_ls_pymoo.problems import view_of, wrapper_of

    return None if wrapper_of(obj) else view_of(obj).known_problem()
