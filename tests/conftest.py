"""Fixtures that many tests share."""

pytest_plugins = ["tests.genuine"]
