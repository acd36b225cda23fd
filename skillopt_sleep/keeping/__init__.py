"""Say what is kept of a person's sessions, forget what is old, and purge what they ask for."""
