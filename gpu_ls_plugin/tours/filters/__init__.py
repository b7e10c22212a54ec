"""Filters of complete neighbourhoods."""
