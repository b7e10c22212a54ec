"""Decomposition of routing problems into parts that are searched side by side."""
