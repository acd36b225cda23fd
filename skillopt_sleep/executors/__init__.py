"""Executor: lets the target attempt one task."""
