"""Write report.html: the morning's report as a page that needs no script and loads nothing."""

from skillopt_sleep.reporters.page.page import PageReporter, render, values

__all__ = ["PageReporter", "render", "values"]
