"""Let a coding agent learn overnight from the day's sessions: start at night/night.py, then records/."""

__version__ = "0.1.0"
