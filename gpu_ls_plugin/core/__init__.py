"""What all rooms share: problems, results, limits, checks, files and errors."""
