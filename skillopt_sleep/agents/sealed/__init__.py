"""Sealed: what the agents share for attempts with tools in a sealed copy of a repository."""
