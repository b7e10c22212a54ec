"""Complete neighbourhoods with a filter that keeps some of the moves."""
