"""What `solve` does with tours."""
