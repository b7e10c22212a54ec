"""Searches of sequences."""
