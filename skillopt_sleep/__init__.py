"""Makes a coding agent sleep on what it was taught by day: start at night.py, then records/."""

__version__ = "0.1.0"
