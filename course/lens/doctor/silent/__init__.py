"""Silent faults: how each is recognised while a program runs, and what is said about it."""
