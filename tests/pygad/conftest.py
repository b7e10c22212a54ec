"""Collects these tests if PyGAD is installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pygad") else ["test_*.py"]
