"""Draw a training as one page: its curves, edits and cost."""

from skillopt_sleep.trainer.plot.page import NAME, page

__all__ = ["NAME", "page"]
