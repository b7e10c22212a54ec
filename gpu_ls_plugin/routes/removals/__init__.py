"""Perturbations of routes: they remove customers and insert them again."""
