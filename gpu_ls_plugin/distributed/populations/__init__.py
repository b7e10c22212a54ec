"""Populations that islands alone have."""
