"""Candidate lists: for each city, the cities to which a search may link it."""
