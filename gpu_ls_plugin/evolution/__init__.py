"""Code that the adapters of evolutionary frameworks share."""
