"""Descents on candidate lists: city by city, several cities together, or the best of all."""
