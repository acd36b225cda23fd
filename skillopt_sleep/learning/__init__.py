"""The learning engine: from attempts to edits that a gate has accepted."""
