"""Backend: a model that answers one prompt, and wrappers with one job each."""
