"""Draw a training as one page: its curves, its edits and their fates, its skills, and what it cost."""

from skillopt_sleep.trainer.plot.page import NAME, page

__all__ = ["NAME", "page"]
