"""Pools: run independent calls at the same time, on threads or on Ray."""
