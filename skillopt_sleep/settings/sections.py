"""The configuration schema: every key with its default; each section's docstring is the comment users see."""

from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from skillopt_sleep.records import AllowedRefusal, AllowedWarning, Metric, ReflectMode, RuleName, UpdateMode

BackendName = Literal["", "auto", "claude", "codex", "openai", "azure", "anthropic", "handoff", "simulated"]

Count = Annotated[int, Meta(ge=1)]
Amount = Annotated[int, Meta(ge=0)]
Dollars = Annotated[float, Meta(ge=0)]
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
    """The model that answers: `name` is auto, claude, codex, openai, azure, anthropic, handoff or simulated.

    `model` is its name ("": the one that claude or codex would take), for azure the deployment. `base_url` is the
    API's address, if it isn't the provider's own, and `api_version` the version that azure wants. `api_key_env` is
    the variable that holds the key ("": the provider's usual one); `api` is chat or responses (for openai and
    azure); `program` is the path of claude or codex ("": found in PATH). Answers longer than `max_output_tokens` are
    cut off and count as failed (0: no limit; codex has none). A call is given up after `timeout`. `confirmed` is
    your consent to send to this model every night. A server on this machine needs none, unless it passes on what it
    gets: name it an `api_key_env` then. One that needs none has 30m a call and answers with at most 4,096 tokens,
    unless you say otherwise.
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

    @property
    def is_local(self) -> bool:
        """True for a model server on this machine; one that is given a key may be a gateway to a model elsewhere."""
        return self.name == "openai" and on_this_machine(self.base_url) and not self.api_key_env


class RoleSettings(Section, frozen=True, kw_only=True):
    """Another model for attempts (target) or, at night, grades (judge); an empty key is taken from `[backend]`."""

    name: BackendName = ""
    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    api: Literal["", "chat", "responses"] = ""
    api_version: str = ""


class HarvestSettings(Section, frozen=True, kw_only=True):
    """Which sessions are read: those of `sources`.

    The first night reads the sessions of the last `lookback`, the newest first; those beyond a night's budget wait. A
    session is read once nothing has been written to it for `quiet`. `include_headless` also reads sessions that ran
    without a person. `tasks_files` hold tasks you wrote.
    """

    sources: tuple[Literal["claude_code", "codex", "tasks_file"], ...] = (
        "claude_code",
        "codex",
        "tasks_file",
    )
    tasks_files: tuple[str, ...] = ()
    lookback: Duration = "30d"
    quiet: Duration = "10m"
    include_headless: bool = False


class ProjectsSettings(Section, frozen=True, kw_only=True):
    """Projects that are never used or sent (`exclude`), with all below them: paths, folder names or glob patterns."""

    exclude: tuple[str, ...] = ()


class MineSettings(Section, frozen=True, kw_only=True):
    """How sessions become tasks: `miner` is model, or heuristic (rules).

    A night takes at most `max_tasks` new ones.
    """

    miner: Literal["model", "heuristic"] = "model"
    max_tasks: Count = 60


class StepSettings(Section, frozen=True, kw_only=True):
    """How a night learns from its tasks.

    `edit_budget` is how many new rules one night may try for a document (the textual learning rate). `schedule` keeps
    it constant, lowers it to 1 over 14 nights (linear, cosine), or lets a model choose (autonomous). `samples` is how
    often each task is attempted; attempts with different results are compared. `reflection` looks at failures in
    batches (minibatch), one by one (shallow), or for a cause they share (deep); `successes` reflects on successes
    too. `mode` patch applies edits, rewrite works them into the text, full_rewrite writes a new text. `augment` makes
    up that many more requests for each lesson, to learn from but never to judge by. Edits that would make our part of
    a document longer than `max_chars` are refused. Every `slow_every` nights (0: never), and once the part is 3/4
    full, a night looks back over earlier nights and tries to remove a rule.
    """

    edit_budget: Count = 3
    schedule: Literal["constant", "linear", "cosine", "autonomous"] = "constant"
    samples: Count = 1
    slow_every: Amount = 7
    max_chars: Count = 12_000
    reflection: ReflectMode = "minibatch"
    successes: bool = False
    mode: UpdateMode = "patch"
    augment: Amount = 0


class GateSettings(Section, frozen=True, kw_only=True):
    """How rules are tried on requests that they weren't learned from.

    With `rule` sequential each is tried by itself. strict tries all edits of a document as one, as SkillOpt does, and
    its error rate is unknown; greedy accepts everything unverified. `alpha`: how often a useless change may pass
    (0.05: 1 night in 20). `metric` is the grade that counts: hard, soft, or mixed (their mean). A night asks each
    request at most `rounds` times with and without a rule. A rule must gain at least `min_effect`; `non_regression`
    refuses it if a single request or another lesson got worse.
    """

    rule: RuleName = "sequential"
    metric: Metric = Metric.MIXED
    rounds: Count = 8
    alpha: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    min_effect: Annotated[float, Meta(ge=0, le=1)] = 0.05
    non_regression: bool = True


class ReplaySettings(Section, frozen=True, kw_only=True):
    """How requests are tried that no answer in words can show.

    With `sealed`, your agent does them once more with its tools, in a throw-away copy of the repository, sealed from
    everything but the model; it needs a target of claude or codex. Such an attempt makes at most `turns` calls; one
    that needs more shows nothing.
    """

    sealed: bool = False
    turns: Count = 30


class GuardSettings(Section, frozen=True, kw_only=True):
    """What the static guard lets into a rule although neither your words nor the document contained it.

    `allow` lists kinds of refusals, as a refusal names them: code-block, html, link, image, address, install …
    Secrets, invisible characters, and commands that run when a file is loaded stay refused. `silence` lists kinds of
    warnings that you don't want: tests, permissions, force, secrets, grading, concealing, copying, missing, opposite.
    """

    allow: tuple[AllowedRefusal, ...] = ()
    silence: tuple[AllowedWarning, ...] = ()


class BankSettings(Section, frozen=True, kw_only=True):
    """What is remembered: tasks older than `retire` aren't asked again, unless pinned or guarding a rule that stands.

    What is older than `keep` is forgotten at the end of a night, except what is live or waits: prompts and answers of
    nights, the text of sessions, tasks, lessons. Numbers and decisions stay (0d: nothing is forgotten).
    """

    retire: Duration = "90d"
    keep: Duration = "180d"


class BudgetSettings(Section, frozen=True, kw_only=True):
    """What may be spent at most: by a night, by a night on one project, in a calendar month (UTC).

    A whole night is limited by `calls`, `tokens`, `usd` (dollars) and `minutes`; it begins what it can finish within
    its calls, the lessons that came up most often first. A night on one project is limited by `project_calls`,
    `project_tokens` and `project_usd`. A month is limited by `month_calls`, `month_tokens` and `month_usd`. A night
    always has a limit of calls, tokens and minutes; for all other keys 0 is no limit.
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


class PriceSettings(Section, frozen=True, kw_only=True):
    """What your models cost, in dollars per million tokens that go in and come out.

    `models` names each, as in { "qwen3-coder" = [0.20, 0.60] }. A model that isn't listed here has the price of the
    public price list; where it isn't there either, its price is unknown.
    """

    models: dict[str, tuple[Dollars, Dollars]] = {}


class NightSettings(Section, frozen=True, kw_only=True):
    """How a night runs: `workers` is how many calls are made at once (2 of a server on this machine, unless set)."""

    workers: Count = 4


class DaemonSettings(Section, frozen=True, kw_only=True):
    """When nights run by themselves.

    A night begins `at` this local time. It waits until no session has been written to for `idle` and, with
    `mains_power`, until the machine is on mains power.
    """

    at: TimeOfDay = "04:17"
    idle: Duration = "10m"
    mains_power: bool = True


class NotifySettings(Section, frozen=True, kw_only=True):
    """How you are told about a night (only its outcome and counts), unless you watch it in a terminal.

    `when` is news (proposals are waiting, or the night was cut short), always or never. `desktop` shows it on your
    desktop. `urls` are apprise's; a $NAME in one is taken from the environment, so no secret needs to be written
    here.
    """

    when: Literal["news", "always", "never"] = "news"
    desktop: bool = True
    urls: tuple[str, ...] = ()


class Settings(Section, frozen=True, kw_only=True):
    """The whole configuration: every key is optional, and a missing one has the default shown here."""

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
    prices: PriceSettings = PriceSettings()
    night: NightSettings = NightSettings()
    daemon: DaemonSettings = DaemonSettings()
    notify: NotifySettings = NotifySettings()


class ProjectBudget(Section, frozen=True, kw_only=True):
    """What a night may spend on this project at most; it can only lower the user's own limits; 0 is no limit."""

    calls: Amount = 0
    tokens: Amount = 0
    usd: Dollars = 0.0


class ProjectSettings(Section, frozen=True, kw_only=True):
    """What a project's own .skillopt-sleep/project.toml may say: opt out, exclude paths inside it, spend less."""

    enabled: bool = True
    exclude: tuple[str, ...] = ()
    budget: ProjectBudget = ProjectBudget()
