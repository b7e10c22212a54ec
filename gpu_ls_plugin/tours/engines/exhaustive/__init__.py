"""Complete neighbourhoods, evaluated whole or sampled."""
