"""Share code among the readers of all agents' transcripts."""
