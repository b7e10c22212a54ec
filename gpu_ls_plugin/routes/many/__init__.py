"""Many small vehicle routing problems, searched in single launches."""
