"""The pages of the dashboard, in the order of its navigation; one file each."""

from skillopt_sleep.web.pages import (
    doctor,
    documents,
    inbox,
    lessons,
    nights,
    sessions,
    settings,
    spend,
    tonight,
    trainings,
)
from skillopt_sleep.web.site import Page

GROUPS: tuple[tuple[Page, ...], ...] = (
    (inbox.PAGE, tonight.PAGE, lessons.PAGE, documents.PAGE),
    (nights.PAGE, sessions.PAGE, spend.PAGE),
    (doctor.PAGE, settings.PAGE),
    (trainings.PAGE,),
)
