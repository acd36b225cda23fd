"""What the readers of all agents' transcripts share."""
