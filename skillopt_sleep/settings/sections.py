"""The configuration schema: every key with its default and what it means."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from skillopt_sleep.records import AllowedRefusal, Metric, ReflectMode, RuleName, UpdateMode

BackendName = Literal["", "auto", "claude", "codex", "openai", "azure", "anthropic", "handoff", "simulated"]

Count = Annotated[int, Meta(ge=1)]
Amount = Annotated[int, Meta(ge=0)]
Dollars = Annotated[float, Meta(ge=0)]
Duration = Annotated[str, Meta(pattern=r"^[0-9]{1,5}(s|m|h|d)$")]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Timeout = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,4}(s|m|h)$")]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all sections share: immutable, unknown keys refused."""


class BackendSettings(Section, frozen=True, kw_only=True):
    """Which model answers: `name` is auto, claude, codex, openai, azure, anthropic, handoff or simulated.

    `api_key_env` names the variable with the key, "" the provider's usual one; `api` is chat or responses (openai,
    azure); `program` is where claude or codex is, "" as PATH says; `confirmed` is the consent to send every night.
    `max_output_tokens` cuts an answer off, which then counts as failed; 0 is as long as the model likes (not codex).
    """

    name: BackendName = ""
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    api: Literal["chat", "responses"] = "chat"
    api_version: str = ""
    program: str = ""
    max_output_tokens: Amount = 0
    timeout: Timeout = "300s"
    confirmed: bool = False


class RoleSettings(Section, frozen=True, kw_only=True):
    """The model that attempts (target) or grades (judge), where it isn't `[backend]`'s; an empty key is as there."""

    name: BackendName = ""
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    api: Literal["", "chat", "responses"] = ""
    api_version: str = ""
    program: str = ""
    max_output_tokens: Amount = 0


class HarvestSettings(Section, frozen=True, kw_only=True):
    """Which sessions are read: `lookback` is for the first night, `quiet` how long a session must rest."""

    sources: tuple[Literal["claude_code", "codex", "tasks_file"], ...] = (
        "claude_code",
        "codex",
        "tasks_file",
    )
    tasks_files: tuple[str, ...] = ()
    lookback: Duration = "7d"
    quiet: Duration = "10m"
    include_headless: bool = False


class ProjectsSettings(Section, frozen=True, kw_only=True):
    """Projects that are never used or sent: paths, folder names or glob patterns, with all that is below them."""

    exclude: tuple[str, ...] = ()


class MineSettings(Section, frozen=True, kw_only=True):
    """How sessions become tasks."""

    miner: Literal["model", "heuristic"] = "model"
    sessions_per_call: Count = 5
    max_tasks: Count = 60


class StepSettings(Section, frozen=True, kw_only=True):
    """One optimization step: `edit_budget` is how many edits it may apply (the textual learning rate).

    `schedule` autonomous lets a model choose between `min_edit_budget` and `edit_budget`. `reflection` looks at
    failures a minibatch a call, each on its own (shallow) or for what causes them all (deep); `successes` reflects
    on what went well too. `samples` is how often a task is attempted: attempts that went apart are shown side by
    side. An edit that would make our part of a document longer than `max_chars` is refused; from 3/4 of it on, and
    every `slow_every` nights (0 is never), a rule is tried to be removed and a look back is taken. `mode` patch
    applies edits, rewrite works them into the text, full_rewrite writes the text anew. `candidates` go about it in
    different ways and race on train tasks; `augment` is how many more requests are made up for each lesson, to
    learn from and never to judge by.
    """

    edit_budget: Count = 3
    min_edit_budget: Count = 1
    schedule: Literal["constant", "linear", "cosine", "autonomous"] = "constant"
    schedule_nights: Count = 14
    minibatch: Count = 6
    merge_batch: Annotated[int, Meta(ge=2)] = 4
    samples: Count = 1
    slow_every: Amount = 7
    max_chars: Count = 12_000
    reflection: ReflectMode = "minibatch"
    successes: bool = False
    mode: UpdateMode = "patch"
    candidates: Count = 1
    augment: Amount = 0


class GateSettings(Section, frozen=True, kw_only=True):
    """How a candidate is judged on val.

    `sequential` keeps `alpha` as its error rate over all candidates of a night; `strict` is SkillOpt's rule, its
    error rate is unknown; `greedy` takes what was applied, unverified. `rounds` is how often a night asks each task
    at most, `min_effect` what an edit must gain, `non_regression` refuses what made a single task worse.
    A rule is proposed for removal where it is proven that without it no `removal_margin` is lost; a removal that
    loses more passes on a share of `removal_alpha` of the nights at most.
    """

    rule: RuleName = "sequential"
    metric: Metric = Metric.MIXED
    mixed_weight: Annotated[float, Meta(ge=0, le=1)] = 0.5
    rounds: Count = 5
    alpha: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    min_effect: Annotated[float, Meta(ge=0, le=1)] = 0.05
    non_regression: bool = True
    removal_margin: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    removal_alpha: Annotated[float, Meta(gt=0, le=0.5)] = 0.05


class GuardSettings(Section, frozen=True, kw_only=True):
    """What the static guard lets into a rule although neither your words nor the document held it.

    `allow` names classes of what it refuses, as a refusal does: code-block, html, link, image, address, install …
    """

    allow: tuple[AllowedRefusal, ...] = ()


class BankSettings(Section, frozen=True, kw_only=True):
    """What comes back from earlier nights: the `per_side` newest tasks of a lesson on each side.

    So many `similar` ones of other lessons join a train task. What is older than `retire` isn't asked again unless it
    is pinned.
    """

    per_side: Count = 14
    similar: Amount = 2
    retire: Duration = "90d"


class BudgetSettings(Section, frozen=True, kw_only=True):
    """What may be spent at most: by a night, by a night on a project, in a calendar month (UTC).

    A night always has a limit of calls, tokens and minutes; of all others 0 is no limit.
    """

    calls: Count = 300
    tokens: Count = 2_000_000
    usd: Dollars = 0.0
    minutes: Count = 60
    project_calls: Amount = 0
    project_tokens: Amount = 0
    project_usd: Dollars = 0.0
    month_calls: Amount = 0
    month_tokens: Amount = 0
    month_usd: Dollars = 0.0


class NightSettings(Section, frozen=True, kw_only=True):
    """How a night runs."""

    workers: Count = 4


class DaemonSettings(Section, frozen=True, kw_only=True):
    """When nights run by themselves: `at` is the local time, `idle` how long no session may have been written to.

    `mains_power` waits for it where there is a battery. A night whose backend failed, as at the end of a quota, is
    tried again after `retry`.
    """

    at: TimeOfDay = "04:17"
    idle: Duration = "10m"
    mains_power: bool = True
    retry: Timeout = "1h"


class NotifySettings(Section, frozen=True, kw_only=True):
    """Who is told of a night: outcome and counts only, and only where nobody watches it on a terminal.

    `when` is news (proposals wait, or the night was cut short), always or never; `urls` are apprise's, and a $NAME in
    one is taken from the environment, so that no secret has to stand here.
    """

    when: Literal["news", "always", "never"] = "news"
    desktop: bool = True
    urls: tuple[str, ...] = ()


class Settings(Section, frozen=True, kw_only=True):
    """The whole configuration: every key is optional, and one that is left out has its default."""

    backend: BackendSettings = BackendSettings()
    target: RoleSettings = RoleSettings()
    judge: RoleSettings = RoleSettings()
    harvest: HarvestSettings = HarvestSettings()
    projects: ProjectsSettings = ProjectsSettings()
    mine: MineSettings = MineSettings()
    step: StepSettings = StepSettings()
    gate: GateSettings = GateSettings()
    guard: GuardSettings = GuardSettings()
    bank: BankSettings = BankSettings()
    budget: BudgetSettings = BudgetSettings()
    night: NightSettings = NightSettings()
    daemon: DaemonSettings = DaemonSettings()
    notify: NotifySettings = NotifySettings()


class ProjectBudget(Section, frozen=True, kw_only=True):
    """What a project lets a night spend on it at most; it only lowers the user's own limits; 0 is no limit."""

    calls: Amount = 0
    tokens: Amount = 0
    usd: Dollars = 0.0


class ProjectSettings(Section, frozen=True, kw_only=True):
    """What a project's own .skillopt-sleep/project.toml may say: opt out, exclude paths inside it, spend less."""

    enabled: bool = True
    exclude: tuple[str, ...] = ()
    budget: ProjectBudget = ProjectBudget()
