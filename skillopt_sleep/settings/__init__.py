"""The configuration schema and its strict loader.

Order: defaults < config.toml < SKILLOPT_SLEEP_<SECTION>_<KEY> < flags. An unknown key is an error that suggests the
nearest known one. A project's .skillopt-sleep/project.toml can only restrict.
"""

from skillopt_sleep.settings.faults import sections_of as sections_of, wrong_value as wrong_value
from skillopt_sleep.settings.load import (
    SETTINGS as SETTINGS,
    check_text as check_text,
    checked as checked,
    known_keys as known_keys,
    length as length,
    load as load,
    load_or_defaults as load_or_defaults,
    load_project as load_project,
    nearest_key as nearest_key,
    origins as origins,
    parse_project as parse_project,
    project_file as project_file,
    read_preferences as read_preferences,
    read_project_file as read_project_file,
    read_toml as read_toml,
    seconds as seconds,
)
from skillopt_sleep.settings.paths import PREFIX as PREFIX, Paths as Paths, find_paths as find_paths
from skillopt_sleep.settings.sections import (
    Amount as Amount,
    BackendName as BackendName,
    BackendSettings as BackendSettings,
    BankSettings as BankSettings,
    BudgetSettings as BudgetSettings,
    Count as Count,
    DaemonSettings as DaemonSettings,
    Dollars as Dollars,
    GateSettings as GateSettings,
    HarvestSettings as HarvestSettings,
    MineSettings as MineSettings,
    NightSettings as NightSettings,
    NotifySettings as NotifySettings,
    ProjectBudget as ProjectBudget,
    ProjectSettings as ProjectSettings,
    ProjectsSettings as ProjectsSettings,
    RoleSettings as RoleSettings,
    Section as Section,
    Settings as Settings,
    StepSettings as StepSettings,
)
