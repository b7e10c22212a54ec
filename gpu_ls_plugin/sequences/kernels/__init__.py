"""Layout of a sequence in kernels."""
