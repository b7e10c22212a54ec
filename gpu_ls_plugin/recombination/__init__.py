"""Recombination of tours: the parts of a crossover, in C++."""
