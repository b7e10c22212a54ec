"""Chains of kicks and repairs, on whole tours or on parts of tours."""
