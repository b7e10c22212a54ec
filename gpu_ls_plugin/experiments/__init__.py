"""Experiments: which algorithm is better on which problem, and how surely that is known.

Nothing here knows a framework. An adapter performs runs (`runner.run_all`) and writes records, of
which all tables, tests, figures and pages are made.
"""

from gpu_ls_plugin.experiments.results import Results

__all__ = ["Results"]
