"""Operators on batches of rows: search, kicks, crossover, initial rows and duplicates."""
