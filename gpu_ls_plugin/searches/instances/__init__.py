"""Many instances side by side: candidates, first tours and chains of all at once."""
