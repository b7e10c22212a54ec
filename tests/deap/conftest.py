"""Collects these tests if DEAP is installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("deap") else ["test_*.py"]
