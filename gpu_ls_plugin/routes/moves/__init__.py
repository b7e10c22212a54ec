"""Moves between routes."""
