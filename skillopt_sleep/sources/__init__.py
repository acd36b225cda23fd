"""Source: where sessions and reviewed tasks come from, one file per agent."""
