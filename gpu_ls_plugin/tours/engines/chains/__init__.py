"""Chains of kicks: whole tours, parts of tours, and from the host."""
