"""Neighbourhoods: moves of edges, and how they are composed."""
