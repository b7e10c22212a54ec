"""Local search of JAX arrays."""
