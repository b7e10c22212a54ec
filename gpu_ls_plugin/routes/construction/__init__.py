"""Constructions, which make the first routes of a search."""
