"""Sequence problems: permutations with an objective of their own."""
