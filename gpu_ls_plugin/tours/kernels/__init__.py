"""How a tour lies in a kernel, and what it costs there."""
