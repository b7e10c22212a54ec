"""A plugin's metric of the plane without points for a k-d tree."""

from __future__ import annotations

from gpu_ls_plugin.tours.problem.metrics import Euc2D


class Treeless(Euc2D):
    """EUC_2D, but neighbours must be searched among all cities."""

    name = "TREELESS"

    def tree_points(self, values):
        return None
