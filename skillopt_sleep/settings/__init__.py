"""The configuration schema and its strict loader.

Order: defaults < config.toml < SKILLOPT_SLEEP_<SECTION>_<KEY> < flags. An unknown key is an error that names the
nearest known one. A project's .skillopt-sleep/project.toml may only narrow.
"""

from skillopt_sleep.settings.load import (
    checked,
    load,
    load_project,
    read_preferences,
    read_toml,
    seconds,
    sections,
)
from skillopt_sleep.settings.paths import PREFIX, Paths, find_paths
from skillopt_sleep.settings.projects import KnownProjects
from skillopt_sleep.settings.sections import (
    Amount,
    BackendName,
    BackendSettings,
    BankSettings,
    BudgetSettings,
    Count,
    DaemonSettings,
    Dollars,
    Duration,
    GateSettings,
    HarvestSettings,
    MineSettings,
    NightSettings,
    NotifySettings,
    ProjectBudget,
    ProjectSettings,
    ProjectsSettings,
    RoleSettings,
    Section,
    Settings,
    StepSettings,
    TimeOfDay,
    Timeout,
)

__all__ = [
    "PREFIX",
    "Amount",
    "BackendName",
    "BackendSettings",
    "BankSettings",
    "BudgetSettings",
    "Count",
    "DaemonSettings",
    "Dollars",
    "Duration",
    "GateSettings",
    "HarvestSettings",
    "KnownProjects",
    "MineSettings",
    "NightSettings",
    "NotifySettings",
    "Paths",
    "ProjectBudget",
    "ProjectSettings",
    "ProjectsSettings",
    "RoleSettings",
    "Section",
    "Settings",
    "StepSettings",
    "TimeOfDay",
    "Timeout",
    "checked",
    "find_paths",
    "load",
    "load_project",
    "read_preferences",
    "read_toml",
    "seconds",
    "sections",
]
