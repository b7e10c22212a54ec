"""Crossovers of routes."""
