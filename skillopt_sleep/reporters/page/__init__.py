"""Write report.html: the morning's report as a page that needs no script and loads nothing."""

from skillopt_sleep.reporters.page.page import NAME, PageReporter, render

__all__ = ["NAME", "PageReporter", "render"]
