"""Tours under several objectives."""
