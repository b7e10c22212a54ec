"""Populations that stay on the device that searches them, and their generations."""
