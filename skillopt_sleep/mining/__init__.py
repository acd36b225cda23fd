"""Sessions to tasks: which words are the person's own, what they did, and what they wanted."""
