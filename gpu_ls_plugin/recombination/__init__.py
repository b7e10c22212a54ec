"""Recombination of tours: what one of a population takes over from another."""
