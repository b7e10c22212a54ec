"""Searches: the templates in C++ and their Python faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_plugin.searches.best_moves import BestMoves
    from gpu_ls_plugin.searches.decomposition.decomposed import Decomposed
    from gpu_ls_plugin.searches.genetic.hybrid_genetic import HybridGeneticSearch
    from gpu_ls_plugin.searches.iterated import IteratedLocalSearch
    from gpu_ls_plugin.searches.local_search import LocalSearch
    from gpu_ls_plugin.searches.random_restarts import RandomRestarts
    from gpu_ls_plugin.searches.symmetrised import Symmetrised

__all__ = [
    "BestMoves",
    "Decomposed",
    "HybridGeneticSearch",
    "IteratedLocalSearch",
    "LocalSearch",
    "RandomRestarts",
    "Symmetrised",
]

_HOMES = {
    "BestMoves": "best_moves",
    "Decomposed": "decomposition.decomposed",
    "HybridGeneticSearch": "genetic.hybrid_genetic",
    "IteratedLocalSearch": "iterated",
    "LocalSearch": "local_search",
    "RandomRestarts": "random_restarts",
    "Symmetrised": "symmetrised",
}

if not TYPE_CHECKING:  # so that type checkers still report names that do not exist
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
