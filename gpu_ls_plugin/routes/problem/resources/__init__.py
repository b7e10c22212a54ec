"""What routes use up on their way."""
