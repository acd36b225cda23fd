"""Define the seams: the protocols a night needs from the world, and the Crew that fills them."""

from skillopt_sleep.protocols.crew import Crew, Plan, SessionRules
from skillopt_sleep.protocols.models import Backend, Calls, Held, Ledger, Meter, Model, Preflight, Reservation, Tally
from skillopt_sleep.protocols.stores import Bank, History, Index, Page, Store
from skillopt_sleep.protocols.work import (
    Clock,
    Exclusion,
    Executor,
    Judge,
    Pool,
    Portable,
    Reporter,
    Routing,
    Source,
    Spool,
    Stager,
    Targets,
    Unlisted,
)

__all__ = [
    "Backend",
    "Bank",
    "Calls",
    "Clock",
    "Crew",
    "Exclusion",
    "Executor",
    "Held",
    "History",
    "Index",
    "Judge",
    "Ledger",
    "Meter",
    "Model",
    "Page",
    "Plan",
    "Pool",
    "Portable",
    "Preflight",
    "Reporter",
    "Reservation",
    "Routing",
    "SessionRules",
    "Source",
    "Spool",
    "Stager",
    "Store",
    "Tally",
    "Targets",
    "Unlisted",
]
