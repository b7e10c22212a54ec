"""Descents on candidate lists: city by city, several cities together, or all cities together."""
