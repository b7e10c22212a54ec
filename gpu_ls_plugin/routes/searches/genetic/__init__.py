"""Populations of routes: parents, crossover, education, repair and survivors, batch by batch."""
