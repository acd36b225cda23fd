"""Write the report of a night, each reporter in one form."""

from skillopt_sleep.protocols import Reporter
from skillopt_sleep.reporters.data import DataReporter
from skillopt_sleep.reporters.diagnostics import DiagnosticsReporter
from skillopt_sleep.reporters.morning import MorningReporter
from skillopt_sleep.reporters.page import PageReporter
from skillopt_sleep.reporters.side_by_side import SideBySideReporter

REPORTERS: tuple[Reporter, ...] = (
    MorningReporter(),
    DataReporter(),
    DiagnosticsReporter(),
    SideBySideReporter(),
    PageReporter(),
)
