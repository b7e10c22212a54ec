"""How good it is to assign a value to a variable."""
