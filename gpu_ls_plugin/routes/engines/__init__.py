"""Engines of searches on routes."""
