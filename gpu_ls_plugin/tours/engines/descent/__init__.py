"""Descents on candidate lists: one city after another, several together, or the best of all."""
