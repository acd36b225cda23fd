"""Draw trainings as one page: one with its edits, skills and cost, or several over one another."""

from skillopt_sleep.trainer.plot.page import NAME, page
from skillopt_sleep.trainer.plot.several import NAME_OF_SEVERAL, page_of_several, place_of_several

__all__ = ["NAME", "NAME_OF_SEVERAL", "page", "page_of_several", "place_of_several"]
