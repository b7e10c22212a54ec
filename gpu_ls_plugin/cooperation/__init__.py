"""Cooperation: how the chains of a population help each other."""

from gpu_ls_plugin.cooperation.base import Cooperation
from gpu_ls_plugin.cooperation.elite_edges import EliteEdges
from gpu_ls_plugin.cooperation.migration import Migration
from gpu_ls_plugin.cooperation.prices import PricedMigration

__all__ = ["Cooperation", "EliteEdges", "Migration", "PricedMigration"]
