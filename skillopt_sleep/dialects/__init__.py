"""What is known of one agent program each: what to say to it, and what it says. Nothing here starts a process."""
