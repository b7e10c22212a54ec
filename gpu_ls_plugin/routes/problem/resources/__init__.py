"""Resources of routes: load and duration."""
