"""Kernels of searches on sequences."""
