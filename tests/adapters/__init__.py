"""One suite over the operators of all adapters."""
