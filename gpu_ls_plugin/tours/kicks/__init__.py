"""Perturbations: the kicks of an iterated search."""
