"""The nouns, in pipeline order: sessions, lessons, tasks, documents, calls, rollouts, edits, trials, the report.

Every record is frozen and keyword-only; decoding one refuses unknown fields. Times are UTC.
"""

from skillopt_sleep.records.calibrations import (
    NO_COMMAND_WORDS as NO_COMMAND_WORDS,
    AnswerKind as AnswerKind,
    Calibration as Calibration,
    Calibrations as Calibrations,
    JudgeReading as JudgeReading,
    KindCount as KindCount,
    KnownAnswer as KnownAnswer,
    NoCommand as NoCommand,
)
from skillopt_sleep.records.calls import (
    CallState as CallState,
    Completion as Completion,
    Limit as Limit,
    Message as Message,
    Prompt as Prompt,
    Purpose as Purpose,
    model_names as model_names,
)
from skillopt_sleep.records.candidates import (
    CandidateKind as CandidateKind,
    Compared as Compared,
    Earlier as Earlier,
    EditEffect as EditEffect,
    EditStatus as EditStatus,
    Fared as Fared,
    Judged as Judged,
    Offered as Offered,
    Past as Past,
    ProposedEdit as ProposedEdit,
    ResultChange as ResultChange,
    WaitingCandidate as WaitingCandidate,
)
from skillopt_sleep.records.corrections import (
    BECAME as BECAME,
    NEXT_STEPS as NEXT_STEPS,
    NOTHING as NOTHING,
    OTHER_JUDGE as OTHER_JUDGE,
    READ_AGAIN as READ_AGAIN,
    SEAL_IT as SEAL_IT,
    Became as Became,
    Correction as Correction,
    Corrections as Corrections,
    LessonTrend as LessonTrend,
    ModelChange as ModelChange,
    Trend as Trend,
)
from skillopt_sleep.records.deciders import (
    Decider as Decider,
    Trust as Trust,
    added_up as added_up,
    decided_by as decided_by,
    deciders as deciders,
)
from skillopt_sleep.records.documents import Document as Document, DocumentKind as DocumentKind, Twin as Twin
from skillopt_sleep.records.edits import (
    AppliedEdit as AppliedEdit,
    Edit as Edit,
    EditFate as EditFate,
    EditOp as EditOp,
    EditSource as EditSource,
    Patch as Patch,
    ReflectMode as ReflectMode,
    UpdateMode as UpdateMode,
    lessons_of as lessons_of,
    tasks_of as tasks_of,
)
from skillopt_sleep.records.lessons import (
    Deed as Deed,
    DeedKind as DeedKind,
    Evidence as Evidence,
    Lesson as Lesson,
    LessonState as LessonState,
    Place as Place,
    PlaceKind as PlaceKind,
    heading as heading,
    quotes_and_deeds as quotes_and_deeds,
    said_or_done as said_or_done,
    signs as signs,
    taken_back as taken_back,
    why_ended as why_ended,
    why_kept as why_kept,
)
from skillopt_sleep.records.night_summary import (
    OUTCOMES as OUTCOMES,
    REVIEW as REVIEW,
    NightSummary as NightSummary,
    is_of as is_of,
    left_out as left_out,
    summarize_night as summarize_night,
)
from skillopt_sleep.records.outcomes import (
    CUT_SHORT as CUT_SHORT,
    Early as Early,
    Note as Note,
    Outcome as Outcome,
    Retested as Retested,
    StepOutcome as StepOutcome,
    StepSessions as StepSessions,
    StepTasks as StepTasks,
    TriedEdits as TriedEdits,
)
from skillopt_sleep.records.pairs import (
    Effect as Effect,
    Pair as Pair,
    Solved as Solved,
    bets_of as bets_of,
    effect_of as effect_of,
    in_words as in_words,
    mean_of as mean_of,
    solved as solved,
    tries as tries,
)
from skillopt_sleep.records.readings import (
    Hear as Hear,
    Heard as Heard,
    IndexedSession as IndexedSession,
    Packed as Packed,
    Reading as Reading,
    SessionLine as SessionLine,
    Stamp as Stamp,
    packed_heard as packed_heard,
    unpacked as unpacked,
    unpacked_heard as unpacked_heard,
)
from skillopt_sleep.records.record import Record as Record
from skillopt_sleep.records.recurrence import Corrected as Corrected, Recurrence as Recurrence
from skillopt_sleep.records.refusals import (
    NEVER_ALLOWED as NEVER_ALLOWED,
    AllowedRefusal as AllowedRefusal,
    RefusalKind as RefusalKind,
    RuleWarning as RuleWarning,
    WarningKind as WarningKind,
)
from skillopt_sleep.records.reports import (
    PAGE as PAGE,
    ErrorRate as ErrorRate,
    Findings as Findings,
    Judging as Judging,
    NightReport as NightReport,
    NightRun as NightRun,
    Proof as Proof,
    Proposal as Proposal,
    ProposedFile as ProposedFile,
    SessionCounts as SessionCounts,
    Spend as Spend,
    SpentErrorRate as SpentErrorRate,
    TrialResult as TrialResult,
)
from skillopt_sleep.records.rollouts import (
    CheckResult as CheckResult,
    Rollout as Rollout,
    Score as Score,
    Trajectory as Trajectory,
)
from skillopt_sleep.records.sessions import (
    EMPTIED as EMPTIED,
    ChangedOnDisk as ChangedOnDisk,
    Gaps as Gaps,
    HalfRead as HalfRead,
    InForce as InForce,
    LeftOut as LeftOut,
    Origin as Origin,
    Role as Role,
    Session as Session,
    Snapshot as Snapshot,
    Tokens as Tokens,
    ToolEvent as ToolEvent,
    Turn as Turn,
    TypedCommand as TypedCommand,
    Usage as Usage,
)
from skillopt_sleep.records.tasks import (
    ACTING_OPS as ACTING_OPS,
    BY_HAND as BY_HAND,
    SHAPE_OPS as SHAPE_OPS,
    Check as Check,
    Checks as Checks,
    Command as Command,
    Exact as Exact,
    Feedback as Feedback,
    Op as Op,
    RecallRules as RecallRules,
    Reference as Reference,
    Rubric as Rubric,
    Split as Split,
    Task as Task,
    TaskOrigin as TaskOrigin,
    TaskSetting as TaskSetting,
    Wanted as Wanted,
    graded_by_model as graded_by_model,
    is_of_changes as is_of_changes,
    wants_a_tool as wants_a_tool,
)
from skillopt_sleep.records.trials import (
    UNKNOWN as UNKNOWN,
    UNVERIFIED as UNVERIFIED,
    Decision as Decision,
    FreshRound as FreshRound,
    GateRule as GateRule,
    GuardResult as GuardResult,
    Harm as Harm,
    Lost as Lost,
    Metric as Metric,
    RuleName as RuleName,
    Trial as Trial,
    Verdict as Verdict,
    unknown_rate as unknown_rate,
)
from skillopt_sleep.records.workspaces import (
    NO_WORKSPACE_WORDS as NO_WORKSPACE_WORDS,
    SEALED_KEY as SEALED_KEY,
    CommandRun as CommandRun,
    NoWorkspace as NoWorkspace,
    SealedReplay as SealedReplay,
    Workspace as Workspace,
)
