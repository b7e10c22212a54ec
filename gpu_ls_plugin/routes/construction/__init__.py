"""Constructions of first routes."""
