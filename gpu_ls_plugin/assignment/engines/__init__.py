"""The search on states and its steps."""
