"""What adapters of evolutionary frameworks share: batches of tours through a search, and more."""
