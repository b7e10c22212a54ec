"""Perturbations of routes: customers are taken out and put back."""
