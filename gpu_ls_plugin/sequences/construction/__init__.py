"""Constructions of sequences."""
