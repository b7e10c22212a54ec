"""The search of states and its steps."""
