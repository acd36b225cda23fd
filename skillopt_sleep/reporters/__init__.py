"""Write the report of a night, each reporter in one form."""

from skillopt_sleep.protocols.work import Reporter
from skillopt_sleep.reporters.data import DataReporter
from skillopt_sleep.reporters.diagnostics import DiagnosticsReporter
from skillopt_sleep.reporters.morning import MorningReporter, PageReporter

REPORTERS: tuple[Reporter, ...] = (
    MorningReporter(),
    DataReporter(),
    DiagnosticsReporter(),
    PageReporter(),
)
