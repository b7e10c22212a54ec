"""Assignment problems: a value for every variable."""
