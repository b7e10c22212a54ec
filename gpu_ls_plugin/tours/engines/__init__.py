"""Engines of local searches and of chains, and the table of which engine serves which search."""
