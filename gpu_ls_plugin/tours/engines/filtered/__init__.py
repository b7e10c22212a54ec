"""Complete neighbourhoods with a filter, which keeps some of the moves."""
