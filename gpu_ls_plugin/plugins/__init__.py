"""Plugins: hooks, their loader, the built-in parts, and searches as text."""
