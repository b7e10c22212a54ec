"""How routes lie in a kernel: linked lists, and giant tours that are rebuilt."""
