"""The pages of the dashboard, in the order of its navigation; one file each."""

from skillopt_sleep.web.pages import inbox, nights
from skillopt_sleep.web.site import Page

GROUPS: tuple[tuple[Page, ...], ...] = ((inbox.PAGE,), (nights.PAGE,))
