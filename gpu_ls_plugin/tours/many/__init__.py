"""Solving many instances in one call."""
