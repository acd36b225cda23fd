"""The pages of the dashboard, in the order of its navigation; one file each."""

from skillopt_sleep.web.pages import documents, inbox, nights, sessions
from skillopt_sleep.web.site import Page

GROUPS: tuple[tuple[Page, ...], ...] = ((inbox.PAGE, documents.PAGE), (nights.PAGE, sessions.PAGE))
