"""Decide on rules and tasks: one way for the terminal and the browser.

Nothing here asks or prints: a surface opens the store, calls a verb, and shows what it returns.
"""
