"""The pages of the dashboard, in the order of its navigation."""

from skillopt_sleep.web.pages import documents, inbox, lessons, nights, sessions, setup, spend, tonight, trainings
from skillopt_sleep.web.site import Page

GROUPS: tuple[tuple[Page, ...], ...] = (
    (inbox.PAGE, tonight.PAGE, lessons.PAGE, documents.PAGE),
    (nights.PAGE, sessions.PAGE, spend.PAGE),
    (setup.DOCTOR, setup.SETTINGS),
    (trainings.PAGE,),
)
