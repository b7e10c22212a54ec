"""Crossovers, which combine the routes of two solutions."""
