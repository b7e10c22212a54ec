"""Masks: values that a constraint forbids."""
