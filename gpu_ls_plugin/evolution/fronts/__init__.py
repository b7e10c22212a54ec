"""Several objectives: fronts, weights for each tour, and their search."""
