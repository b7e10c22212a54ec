"""Resources: what routes use up, and how much of it is too much."""

from gpu_ls_plugin.resources.base import Resource
from gpu_ls_plugin.resources.duration import Duration
from gpu_ls_plugin.resources.hierarchy import Hierarchy
from gpu_ls_plugin.resources.load import Load

__all__ = ["Duration", "Hierarchy", "Load", "Resource"]
