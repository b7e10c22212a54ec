"""What `solve` does with assignment problems."""
