"""Filters, which decide which moves of a complete neighbourhood are evaluated."""
