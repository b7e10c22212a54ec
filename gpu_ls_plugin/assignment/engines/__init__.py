"""The search on states of assignment problems, and its steps."""
