"""Kicks of sequences."""
