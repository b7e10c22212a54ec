"""Plugins: hooks, their loader, the built-in parts, and strings that describe searches."""
