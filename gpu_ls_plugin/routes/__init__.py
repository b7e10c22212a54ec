"""Vehicle routing: its data, its searches and its plans."""
