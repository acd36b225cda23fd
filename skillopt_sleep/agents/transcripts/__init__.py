"""What the readers of transcripts share."""
