"""Replay: ask a task again with a document, and grade the answer."""
