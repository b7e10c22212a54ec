"""Operators that know their problem, for frameworks that hand over rows alone."""
