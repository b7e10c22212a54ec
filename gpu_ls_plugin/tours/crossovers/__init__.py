"""Crossovers of pairs of tours and of populations."""
