"""How `solve` and adapters handle assignment problems."""
