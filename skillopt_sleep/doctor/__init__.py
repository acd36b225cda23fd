"""Find out what is wrong with the set-up, and say how to fix it."""
