"""The loop that drives all searches, and the populations, stretches and plans of runs."""
