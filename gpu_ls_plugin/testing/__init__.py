"""Checks of parts, for the tests of plugin authors.

Each function runs one part through every situation that searches create, on small problems of
several metrics and on degenerate ones, and compares the outcome with brute force in NumPy. It
returns None, or raises `PartCheckError`, an AssertionError that says what is wrong, where, with
which seed, and what to do::

    from gpu_ls_plugin.testing import check_neighbourhood

    def test_my_moves():
        check_neighbourhood(MyMoves())

The checks need no packages besides those of the library itself. The check of each kind of part has
its own module; the checks share `subject`, `small_problems` and `search_checks`.
"""

from gpu_ls_plugin.core.exceptions import PartCheckError as PartCheckError
from gpu_ls_plugin.testing.acceptance import check_acceptance as check_acceptance
from gpu_ls_plugin.testing.assignment import check_assignment as check_assignment
from gpu_ls_plugin.testing.candidates import check_candidates as check_candidates
from gpu_ls_plugin.testing.construction import check_construction as check_construction
from gpu_ls_plugin.testing.cooperation import check_cooperation as check_cooperation
from gpu_ls_plugin.testing.domain import check_domain as check_domain
from gpu_ls_plugin.testing.filter import check_filter as check_filter
from gpu_ls_plugin.testing.heuristic import check_heuristic as check_heuristic
from gpu_ls_plugin.testing.metric import check_metric as check_metric
from gpu_ls_plugin.testing.neighbourhood import check_neighbourhood as check_neighbourhood
from gpu_ls_plugin.testing.objective import check_objective as check_objective
from gpu_ls_plugin.testing.perturbation import check_perturbation as check_perturbation
from gpu_ls_plugin.testing.recombination import check_recombination as check_recombination
from gpu_ls_plugin.testing.resource import check_resource as check_resource
from gpu_ls_plugin.testing.sequence_objective import (
    check_sequence_objective as check_sequence_objective,
)

__all__ = ["PartCheckError", *sorted(name for name in globals() if name.startswith("check_"))]
