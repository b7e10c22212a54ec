"""How the chains of a population help each other."""
