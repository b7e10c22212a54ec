"""The run of a loop of one's own, which DEAP has no object for."""

from gpu_ls_plugin.evolution.timed_run import TimedRun

__all__ = ["TimedRun"]
