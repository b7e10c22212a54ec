"""Heuristics, which decide how likely each value of a variable is to be chosen."""
