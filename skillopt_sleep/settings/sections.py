"""The configuration schema: every key with its default, and what users read about it."""

from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from skillopt_sleep.records import AllowedRefusal, Metric, ReflectMode, RuleName, UpdateMode

BackendName = Literal["", "auto", "claude", "codex", "openai", "azure", "anthropic", "handoff", "simulated"]
SourceName = Literal["claude_code", "codex", "tasks_file"]

Count = Annotated[int, Meta(ge=1)]
Amount = Annotated[int, Meta(ge=0)]
Dollars = Annotated[float, Meta(ge=0)]
Rate = Annotated[float, Meta(gt=0, le=0.5)]
Duration = Annotated[str, Meta(pattern=r"^[0-9]{1,5}(s|m|h|d)$")]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Timeout = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,4}(s|m|h)$")]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the configuration: immutable, and unknown keys are refused."""


def on_this_machine(address: str) -> bool:
    """Return whether an API's address is on this machine; what the server there passes on isn't known."""
    try:
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class BackendSettings(Section, frozen=True, kw_only=True):
    """The model that answers."""

    name: Annotated[
        BackendName, Meta(description="auto, claude, codex, openai, azure, anthropic, handoff or simulated")
    ] = ""
    model: Annotated[str, Meta(description="Its name; for azure the deployment")] = ""
    base_url: Annotated[str, Meta(description="The API's address, if not the provider's own")] = ""
    api_key_env: Annotated[
        str, Meta(description="""The variable that holds the key ("": the provider's usual one)""")
    ] = ""
    api: Annotated[Literal["chat", "responses"], Meta(description="chat or responses (openai, azure)")] = "chat"
    api_version: Annotated[str, Meta(description="For azure")] = ""
    program: Annotated[str, Meta(description="The path of claude or codex, if not in PATH")] = ""
    max_output_tokens: Annotated[
        Amount, Meta(description="Longer answers fail (0: no limit; for a local server 4096)")
    ] = 0
    timeout: Annotated[Timeout, Meta(description="A call is given up after this (for a local server 30m)")] = "300s"
    confirmed: Annotated[
        bool,
        Meta(description="Your consent to send to it every night; a local server needs none"),
    ] = False

    @property
    def is_local(self) -> bool:
        """True for a model server on this machine; one that is given a key may be a gateway to a model elsewhere."""
        return self.name == "openai" and on_this_machine(self.base_url) and not self.api_key_env


class RoleSettings(Section, frozen=True, kw_only=True):
    """Another model for attempts (target) or grades (judge); empty keys are those of [backend]."""

    name: Annotated[BackendName, Meta(description="Its backend")] = ""
    model: Annotated[str, Meta(description="Its name")] = ""
    base_url: Annotated[str, Meta(description="Its address")] = ""
    api_key_env: Annotated[str, Meta(description="Its key's variable")] = ""


class HarvestSettings(Section, frozen=True, kw_only=True):
    """Which sessions are read."""

    sources: Annotated[tuple[SourceName, ...], Meta(description="Agents, and tasks you wrote")] = (
        "claude_code",
        "codex",
        "tasks_file",
    )
    tasks_files: Annotated[tuple[str, ...], Meta(description="Files with tasks you wrote")] = ()
    lookback: Annotated[Duration, Meta(description="How far back the first night reads")] = "30d"
    include_headless: Annotated[bool, Meta(description="Also sessions without a person")] = False


class ProjectsSettings(Section, frozen=True, kw_only=True):
    """Projects that are never used or sent."""

    exclude: Annotated[
        tuple[str, ...], Meta(description="Paths, folder names or glob patterns, with all below them")
    ] = ()


class MineSettings(Section, frozen=True, kw_only=True):
    """How sessions become tasks."""

    miner: Annotated[Literal["model", "heuristic"], Meta(description="model, or heuristic (rules)")] = "model"
    max_tasks: Annotated[Count, Meta(description="New tasks a night")] = 60


class StepSettings(Section, frozen=True, kw_only=True):
    """How a night learns from its tasks."""

    edit_budget: Annotated[Count, Meta(description="New rules tried for a document (the textual learning rate)")] = 3
    samples: Annotated[Count, Meta(description="Tries of each request to learn from; the rejected answer is one")] = 1
    slow_every: Annotated[
        Amount, Meta(description="Nights until one tries to remove a rule (0: only near max_chars)")
    ] = 7
    max_chars: Annotated[Count, Meta(description="Longest part of ours in a document")] = 12_000
    reflection: Annotated[
        ReflectMode,
        Meta(description="Failures in batches (minibatch), one by one (shallow), or by cause (deep)"),
    ] = "minibatch"
    mode: Annotated[
        UpdateMode,
        Meta(description="Apply edits (patch), work them in (rewrite), or write a new text (full_rewrite)"),
    ] = "patch"
    augment: Annotated[Amount, Meta(description="Requests made up for each lesson, never to judge by")] = 0


class GateSettings(Section, frozen=True, kw_only=True):
    """How rules are tried on requests they weren't learned from."""

    rule: Annotated[
        RuleName,
        Meta(description="sequential; strict (SkillOpt's) and greedy have no known error rate"),
    ] = "sequential"
    metric: Annotated[Metric, Meta(description="hard, soft, or mixed (their mean)")] = Metric.MIXED
    alpha: Annotated[Rate, Meta(description="How often a useless change may pass (0.05: 1 night in 20)")] = 0.05


class ReplaySettings(Section, frozen=True, kw_only=True):
    """Requests that an answer in words can't show."""

    sealed: Annotated[bool, Meta(description="Your agent does them in a sealed copy of the repository")] = False


class GuardSettings(Section, frozen=True, kw_only=True):
    """What a rule may contain although nobody wrote it."""

    allow: Annotated[
        tuple[AllowedRefusal, ...],
        Meta(description="Refusals by kind: code-block, html, link, image, install …"),
    ] = ()


class BankSettings(Section, frozen=True, kw_only=True):
    """What is remembered."""

    keep: Annotated[
        Duration,
        Meta(description="Older texts are forgotten unless live or waiting (0d: none)"),
    ] = "180d"


class BudgetSettings(Section, frozen=True, kw_only=True):
    """What may be spent at most (in dollars, 0 is no limit)."""

    calls: Annotated[Count, Meta(description="A night's calls")] = 300
    tokens: Annotated[Count, Meta(description="A night's tokens")] = 2_000_000
    usd: Annotated[Dollars, Meta(description="A night's dollars")] = 0.0
    minutes: Annotated[Count, Meta(description="A night's minutes")] = 60
    month_usd: Annotated[Dollars, Meta(description="A month's dollars")] = 0.0


class NightSettings(Section, frozen=True, kw_only=True):
    """How a night runs."""

    workers: Annotated[Count, Meta(description="Calls made at once (for a local server 2)")] = 4


class DaemonSettings(Section, frozen=True, kw_only=True):
    """When nights run by themselves."""

    at: Annotated[TimeOfDay, Meta(description="Local time")] = "04:17"
    mains_power: Annotated[bool, Meta(description="Wait for mains power")] = True


class NotifySettings(Section, frozen=True, kw_only=True):
    """How you are told of nights that you didn't watch."""

    when: Annotated[
        Literal["news", "always", "never"],
        Meta(description="news (something waits or went wrong), always or never"),
    ] = "news"
    urls: Annotated[
        tuple[str, ...], Meta(description="Addresses of apprise; a $NAME is an environment variable")
    ] = ()


class Settings(Section, frozen=True, kw_only=True):
    """Every key is optional: one that is missing has its default."""

    backend: BackendSettings = BackendSettings()
    target: RoleSettings = RoleSettings()
    judge: RoleSettings = RoleSettings()
    harvest: HarvestSettings = HarvestSettings()
    projects: ProjectsSettings = ProjectsSettings()
    mine: MineSettings = MineSettings()
    step: StepSettings = StepSettings()
    gate: GateSettings = GateSettings()
    replay: ReplaySettings = ReplaySettings()
    guard: GuardSettings = GuardSettings()
    bank: BankSettings = BankSettings()
    budget: BudgetSettings = BudgetSettings()
    prices: Annotated[
        dict[str, tuple[Dollars, Dollars]],
        Meta(description='Dollars per million tokens in and out, as in "qwen3-coder" = [0.20, 0.60]'),
    ] = {}
    night: NightSettings = NightSettings()
    daemon: DaemonSettings = DaemonSettings()
    notify: NotifySettings = NotifySettings()


class ProjectBudget(Section, frozen=True, kw_only=True):
    """What a night may spend on this project at most, within the user's own limits; 0 is no limit."""

    calls: Annotated[Amount, Meta(description="A night's calls")] = 0
    tokens: Annotated[Amount, Meta(description="A night's tokens")] = 0
    usd: Annotated[Dollars, Meta(description="A night's dollars")] = 0.0


class ProjectSettings(Section, frozen=True, kw_only=True):
    """What a project's own .skillopt-sleep/project.toml may say: opt out, exclude paths inside it, spend less."""

    enabled: Annotated[bool, Meta(description="false: nothing of this project is read")] = True
    exclude: Annotated[tuple[str, ...], Meta(description="Paths inside it that aren't read")] = ()
    budget: ProjectBudget = ProjectBudget()
