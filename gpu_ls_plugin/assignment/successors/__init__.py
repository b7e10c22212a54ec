"""Successors of states, generated with a heuristic."""
