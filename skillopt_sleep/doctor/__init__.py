"""Doctor: what is wrong with the set-up, and its remedies."""
