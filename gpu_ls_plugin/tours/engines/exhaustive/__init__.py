"""Complete neighbourhoods, evaluated as a whole or by random samples."""
