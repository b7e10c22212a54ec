"""Assignment problems, their functors and files."""
