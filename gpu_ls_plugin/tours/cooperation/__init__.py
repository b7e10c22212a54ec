"""Cooperations: exchanges of tours between the chains of a population."""
