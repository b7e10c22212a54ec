"""The public searches of routes."""
