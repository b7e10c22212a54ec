"""Neighbourhoods: the moves of a local search."""
