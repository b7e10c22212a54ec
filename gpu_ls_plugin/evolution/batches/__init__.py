"""Operators on batches of rows: search, kicks, crossovers, start populations, duplicates."""
