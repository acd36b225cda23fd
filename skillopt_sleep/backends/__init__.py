"""Backends: models that answer one prompt, and wrappers with one job each."""
