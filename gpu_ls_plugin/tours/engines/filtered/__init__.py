"""Complete neighbourhoods of which a filter keeps some moves."""
