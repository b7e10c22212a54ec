"""Construction of first tours."""
