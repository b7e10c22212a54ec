"""Which improving move is taken."""
