"""Cities that a search may link a city to."""
