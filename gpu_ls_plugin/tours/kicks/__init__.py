"""Perturbations of tours."""
