"""Operators on batches of rows: search, kick, crossover, start population, and duplicates."""
