"""Tell whether nights run automatically."""

from skillopt_sleep.daemon.installed import installed
from skillopt_sleep.daemon.shown import installed_says
from skillopt_sleep.doctor.findings import Finding, Topic, fine, of_error, problem
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.settings import Paths


def automatic_nights(paths: Paths) -> Finding:
    """Return whether nights run automatically; not wanting them is a choice, not a problem."""
    try:
        status = installed(paths)
        text, remedy = installed_says(paths, now=utc_now())
    except (SleepError, OSError) as error:
        return of_error(Topic.DAEMON, error)
    is_wanted = bool(status.service or status.missing)
    if is_wanted and remedy:
        return problem(Topic.DAEMON, text, remedy)
    return fine(Topic.DAEMON, text, remedy)
