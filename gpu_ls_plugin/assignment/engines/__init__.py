"""The search over states of assignment problems, and the steps that it makes."""
