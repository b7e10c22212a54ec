"""The loop that drives all searches, with populations, stretches and plans of a run."""
