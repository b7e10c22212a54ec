"""Many instances in one call."""
