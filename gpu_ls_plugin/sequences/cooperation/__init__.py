"""How the chains of a population of sequences help each other."""
