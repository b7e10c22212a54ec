"""The public searches of tours."""
