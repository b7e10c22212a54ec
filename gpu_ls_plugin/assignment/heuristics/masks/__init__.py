"""Masks, which forbid values that would break a constraint."""
