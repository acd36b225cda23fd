"""The browser and what it is told to look for, also for the page of a night."""

from tests.web.browser import axe, chromium

__all__ = ["axe", "chromium"]
