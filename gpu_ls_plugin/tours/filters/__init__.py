"""Filters: which moves of a complete neighbourhood are evaluated."""
