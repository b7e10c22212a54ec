"""The one loop that drives every search: populations that advance, stretches and plans of a run."""
