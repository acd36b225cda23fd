"""The nouns, in pipeline order: sessions, tasks, documents, rollouts, edits, trials, the report.

Every record is frozen and keyword-only; unknown fields are refused when one is decoded. Times are UTC.
"""

import hashlib
from datetime import datetime
from enum import StrEnum

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all records share: immutable, named fields, nothing unknown."""


# harvest ------------------------------------------------------------------------------------------------


class Role(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Origin(StrEnum):
    """Where a turn's text comes from; only USER text was typed by the person."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    FILE = "file"
    WEB = "web"
    HARNESS = "harness"


class Turn(Record, frozen=True, kw_only=True):
    """One thing said in a session; `id` is the agent's own record id, where it has one."""

    role: Role
    origin: Origin
    text: str
    id: str = ""


class ToolEvent(Record, frozen=True, kw_only=True):
    """One tool call: `turn` is the index of the turn it followed; `exit_code` where a program reported one."""

    name: str
    turn: int
    brief: str = ""
    error: bool = False
    exit_code: int | None = None
    rejected: bool = False


class Usage(Record, frozen=True, kw_only=True):
    """Tokens of one or many calls; cached input tokens are part of `input_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


class LeftOut(StrEnum):
    """Why a session isn't read; a closed set, in the order in which the reasons are tried."""

    UNREADABLE = "unreadable"
    SUBAGENT = "subagent"
    OWN_REPLAY = "own_replay"
    HEADLESS = "headless"
    NO_USER_TURN = "no_user_turn"
    EXCLUDED = "excluded"
    ACTIVE = "active"
    OLDER = "older"


class Session(Record, frozen=True, kw_only=True):
    """One conversation with one agent, redacted; `id` is `<source>:<the agent's own session id>`."""

    id: str
    source: str
    project: str
    cwd: str
    started: datetime
    ended: datetime
    turns: tuple[Turn, ...]
    branch: str = ""
    commit: str = ""
    entrypoint: str = ""
    tools: tuple[ToolEvent, ...] = ()
    skills: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    usage: Usage = Usage()
    damaged: int = 0

    @property
    def typed(self) -> tuple[str, ...]:
        """What the person typed, in order."""
        return tuple(turn.text for turn in self.turns if turn.origin is Origin.USER)


# mine, cluster, split -----------------------------------------------------------------------------------


class Op(StrEnum):
    """The checks a program can decide."""

    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    REGEX = "regex"
    SECTION_CONTAINS = "section_contains"
    MAX_CHARS = "max_chars"
    MIN_CHARS = "min_chars"
    JSON_VALID = "json_valid"
    TOOL_CALLED = "tool_called"
    NO_REFUSAL = "no_refusal"


SHAPE_OPS = frozenset({Op.MAX_CHARS, Op.MIN_CHARS, Op.JSON_VALID, Op.NO_REFUSAL})


class Check(Record, frozen=True, kw_only=True):
    """One decidable demand; `section` names the heading for `section_contains`, `arg` is the operand."""

    op: Op
    arg: str = ""
    section: str = ""


class Exact(Record, frozen=True, kw_only=True, tag_field="kind", tag="exact"):
    """The answer must be this text, up to case and white space at its ends."""

    answer: str


class Checks(Record, frozen=True, kw_only=True, tag_field="kind", tag="checks"):
    """All of these must hold; shape-only checks never stand alone."""

    items: tuple[Check, ...]


class Rubric(Record, frozen=True, kw_only=True, tag_field="kind", tag="rubric"):
    """A demand in words, graded by the judge's model."""

    text: str


Reference = Exact | Checks | Rubric


class Split(StrEnum):
    """Which side a task is on: reflection sees train only, val gates, test is only ever reported."""

    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class TaskOrigin(StrEnum):
    """Where a task comes from."""

    REAL = "real"
    RECALLED = "recalled"
    AUGMENTED = "augmented"


class Evidence(Record, frozen=True, kw_only=True):
    """Words of the user that found a reference: the session, the index of the turn, the quoted span."""

    session: str
    turn: int
    quote: str


class Task(Record, frozen=True, kw_only=True):
    """A request that can be asked again, with the reference its answer is scored by.

    `project` and `source` say whose documents it may teach; `cluster` and `split` are empty until those stages
    ran; `at` orders the occurrences of a cluster.
    """

    id: str
    prompt: str
    reference: Reference
    session: str
    project: str
    source: str
    at: datetime
    context: str = ""
    evidence: tuple[Evidence, ...] = ()
    cluster: str = ""
    split: Split | None = None
    document: str = ""
    origin: TaskOrigin = TaskOrigin.REAL


# documents ----------------------------------------------------------------------------------------------


class DocumentKind(StrEnum):
    """What is trained."""

    SKILL = "skill"
    MEMORY = "memory"


class Document(Record, frozen=True, kw_only=True):
    """The text being trained: edits act on `body` only; `lead` and `trail` are the rest of the file, as read.

    `open` and `close` are what encloses a body that isn't empty (our markers in a file that isn't ours).
    """

    id: str
    kind: DocumentKind
    path: str
    project: str
    body: str
    lead: str = ""
    trail: str = ""
    open: str = ""
    close: str = ""

    @property
    def text(self) -> str:
        """The whole file as the agent would read it."""
        enclosed = f"{self.open}{self.body}{self.close}" if self.body else ""
        return f"{self.lead}{enclosed}{self.trail}"

    @property
    def sha(self) -> str:
        """SHA-256 of the whole text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


# calls --------------------------------------------------------------------------------------------------


class Purpose(StrEnum):
    """What a call of a model is for."""

    PREFLIGHT = "preflight"
    MINE = "mine"
    ROLLOUT = "rollout"
    JUDGE = "judge"
    REFLECT = "reflect"
    AGGREGATE = "aggregate"
    SELECT = "select"


class Prompt(Record, frozen=True, kw_only=True):
    """One question to a model: `schema` is the type its structured reply is decoded into, or none for text."""

    purpose: Purpose
    text: str
    schema: type[msgspec.Struct] | None = None
    sample: int = 0


class Completion(Record, frozen=True, kw_only=True):
    """A model's answer: `structured` is an instance of the prompt's schema; an unknown cost is None."""

    text: str
    structured: msgspec.Struct | None = None
    usage: Usage | None = None
    usd: float | None = None
    model: str = ""


# rollout ------------------------------------------------------------------------------------------------


class Trajectory(Record, frozen=True, kw_only=True):
    """What happened in one attempt; `failure` says why there is no response. `text_only`: no tools could run."""

    response: str = ""
    tool_calls: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    exit: int | None = None
    seconds: float = 0.0
    usage: Usage | None = None
    failure: str = ""
    text_only: bool = False


class CheckResult(Record, frozen=True, kw_only=True):
    """One demand and whether it held; `arg` is for the report and never shown to the optimizer."""

    name: str
    passed: bool
    arg: str = ""


class Score(Record, frozen=True, kw_only=True):
    """A grade: hard and soft in [0, 1]; `why` is words that never hold a judge's pattern."""

    hard: float
    soft: float
    why: str = ""
    checks: tuple[CheckResult, ...] = ()


class Rollout(Record, frozen=True, kw_only=True):
    """One attempt of one task under one document; `score` None means not scored, never 0.

    `failed`: a call of a model failed, so the attempt says nothing and could be made again.
    """

    task: str
    document_sha: str
    sample: int
    trajectory: Trajectory
    score: Score | None = None
    note: str = ""
    failed: bool = False


# reflect, aggregate, select, update ---------------------------------------------------------------------


class EditOp(StrEnum):
    """How an edit changes the body."""

    APPEND = "append"
    INSERT_AFTER = "insert_after"
    REPLACE = "replace"
    DELETE = "delete"


class EditSource(StrEnum):
    """What an edit was learned from."""

    FAILURE = "failure"
    SUCCESS = "success"
    SLOW = "slow"


class Edit(Record, frozen=True, kw_only=True):
    """One change of a document; `support` counts the rollouts, `tasks` names them."""

    op: EditOp
    content: str = ""
    target: str = ""
    reason: str = ""
    source: EditSource = EditSource.FAILURE
    support: int = 1
    tasks: tuple[str, ...] = ()


class Patch(Record, frozen=True, kw_only=True):
    """A set of edits proposed together."""

    edits: tuple[Edit, ...] = ()
    reasoning: str = ""
    source: EditSource = EditSource.FAILURE


class Fate(StrEnum):
    """What became of an edit when it was applied."""

    APPLIED = "applied"
    UNMATCHED = "unmatched"
    DUPLICATE = "duplicate"
    REFUSED = "refused"


class AppliedEdit(Record, frozen=True, kw_only=True):
    """An edit and its fate, with the reason when it wasn't applied."""

    edit: Edit
    fate: Fate
    because: str = ""


# trial, gate --------------------------------------------------------------------------------------------


class Metric(StrEnum):
    """Which score the gate compares."""

    HARD = "hard"
    SOFT = "soft"
    MIXED = "mixed"


class GateRule(Record, frozen=True, kw_only=True):
    """How the gate decides: mixed is (1 - w) hard + w soft; `rounds` is how often each task is asked at most."""

    name: str = "strict"
    metric: Metric = Metric.MIXED
    mixed_weight: float = 0.5
    rounds: int = 1


class Pair(Record, frozen=True, kw_only=True):
    """The metric of one val task and sample under the baseline and the candidate."""

    task: str
    sample: int
    before: float
    after: float


class Trial(Record, frozen=True, kw_only=True):
    """A candidate's paired comparison on val: `interval` is for the mean gain, at 95 %."""

    pairs: tuple[Pair, ...] = ()
    rounds: int = 0
    unpaired: int = 0
    before: float | None = None
    after: float | None = None
    interval: tuple[float, float] | None = None
    statistic: float | None = None
    calls: int = 0

    @property
    def n(self) -> int:
        """How many pairs were scored."""
        return len(self.pairs)


class Decision(StrEnum):
    """What the gate says of one trial."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"
    ABSTAIN = "abstain"


class Verdict(Record, frozen=True, kw_only=True):
    """The gate's decision, the reason in one sentence, and the rule's known error rate or its absence."""

    decision: Decision
    reason: str
    rule: str = ""
    error_rate: str = ""


# report -------------------------------------------------------------------------------------------------


class Outcome(StrEnum):
    """What a whole night ended as; the first three cut it short, the rest from best to least."""

    BACKEND_FAILED = "backend_failed"
    OVER_BUDGET = "over_budget"
    INTERRUPTED = "interrupted"
    IMPROVED = "improved"
    UNDECIDED = "undecided"
    UNVERIFIED = "unverified"
    NO_CHANGE = "no_change"
    NO_HEADROOM = "no_headroom"
    NOTHING_NEW = "nothing_new"
    SKIPPED = "skipped"


CUT_SHORT = frozenset({Outcome.BACKEND_FAILED, Outcome.OVER_BUDGET, Outcome.INTERRUPTED})


class Note(Record, frozen=True, kw_only=True):
    """Something that went wrong without ending the night: where, what, and what to do."""

    stage: str
    summary: str
    remedy: str = ""


class StepOutcome(Record, frozen=True, kw_only=True):
    """What one step did to one document; `waiting` lessons have no unseen task yet.

    `unfinished`: calls failed that it could not do without, so its sessions stay unread.
    """

    document: Document
    outcome: Outcome
    because: str
    verdict: Verdict
    candidate: Document | None = None
    trial: Trial = Trial()
    edits: tuple[AppliedEdit, ...] = ()
    train: int = 0
    val: int = 0
    test: int = 0
    test_before: float | None = None
    test_after: float | None = None
    test_n: int = 0
    evidence: tuple[Evidence, ...] = ()
    text_only: bool = False
    waiting: int = 0
    unfinished: bool = False
    sessions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


class Proposal(Record, frozen=True, kw_only=True):
    """A staged change waiting for a yes or no; `base` is the live file's SHA-256, empty when there was none."""

    id: str
    night: str
    document: str
    path: str
    kind: DocumentKind
    root: str
    base: str
    result: str
    summary: str
    before: float | None = None
    after: float | None = None
    n: int = 0
    interval: tuple[float, float] | None = None
    error_rate: str = ""
    edits: tuple[Edit, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class Spend(Record, frozen=True, kw_only=True):
    """What was spent: an unknown number of tokens or dollars is None, never 0; `purposes` counts calls."""

    calls: int = 0
    tokens: int | None = 0
    usd: float | None = None
    purposes: dict[str, int] = {}


class SessionCounts(Record, frozen=True, kw_only=True):
    """How many sessions were seen, used, and left out by reason."""

    seen: int = 0
    used: int = 0
    skipped: dict[str, int] = {}


class NightReport(Record, frozen=True, kw_only=True):
    """One night as data; report.json is this record."""

    schema_version: int = 1
    night: str
    started: datetime
    ended: datetime
    verdict: Outcome
    because: str
    remedy: str = ""
    folder: str = ""
    model: str = ""
    sessions: SessionCounts = SessionCounts()
    tasks: dict[str, int] = {}
    documents: tuple[StepOutcome, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    spend: Spend = Spend()
    limits: dict[str, float] = {}
    resumed: bool = False
    login_needed: bool = False
    errors: tuple[Note, ...] = ()
