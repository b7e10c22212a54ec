"""First tours."""
