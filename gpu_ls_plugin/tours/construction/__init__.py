"""Construction of initial tours."""
