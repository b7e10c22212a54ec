"""Batches of tours as frameworks hold them, and their way through a search."""
