"""The one loop that drives every search: populations that advance, and stretches of a run."""
