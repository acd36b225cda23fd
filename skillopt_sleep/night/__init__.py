"""One night, from sessions to staged proposals."""
