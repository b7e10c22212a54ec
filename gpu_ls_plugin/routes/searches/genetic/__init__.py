"""Hybrid genetic search of routes, whose generations are computed in batches."""
