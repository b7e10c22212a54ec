"""Values that a constraint rules out."""
