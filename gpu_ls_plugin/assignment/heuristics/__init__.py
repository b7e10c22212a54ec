"""Heuristics, which decide how likely a variable gets each of its values."""
