"""Experiments: compare algorithms on problems, with statistical tests.

This package does not depend on a framework. An adapter performs the runs (`runner.run_all`) and
writes records; tables, tests, figures and pages are made from the records.
"""

from gpu_ls_plugin.experiments.results import Results

__all__ = ["Results"]
