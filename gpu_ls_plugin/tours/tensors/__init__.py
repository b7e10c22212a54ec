"""Improving rows of many instances that are arrays on a device."""
