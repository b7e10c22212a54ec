"""Engines of local search and of chains, and which one serves what."""
