"""Moves of sequences."""
