"""Run a night every day: the process that waits for it, and the system service that keeps the process running."""
