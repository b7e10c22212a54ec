"""Heuristics: how likely each value of a variable is chosen."""
