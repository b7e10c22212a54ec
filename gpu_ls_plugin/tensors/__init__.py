"""Rows as tensors of NumPy, CuPy, torch or JAX, improved where they are."""
