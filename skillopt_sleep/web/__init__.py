"""The dashboard: the store as pages on the person's own machine, for their own browser."""
