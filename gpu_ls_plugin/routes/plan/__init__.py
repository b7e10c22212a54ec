"""What `solve` does with routes."""
