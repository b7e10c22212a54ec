"""Plugins: names of parts, the loader, and the built-in parts as a plugin."""
