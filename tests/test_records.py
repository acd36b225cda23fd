"""Records are frozen, strict and survive JSON; a document is its parts, and its sha is that of the whole text."""

import hashlib
import inspect
from datetime import UTC, datetime
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, strategies as st

from skillopt_sleep import records
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import (
    CUT_SHORT,
    NO_COMMAND_WORDS,
    SHAPE_OPS,
    AppliedEdit,
    Calibrations,
    Check,
    Checks,
    Command,
    CommandRun,
    Decision,
    Deed,
    DeedKind,
    Document,
    DocumentKind,
    Edit,
    EditFate,
    EditOp,
    EditSource,
    Evidence,
    Exact,
    Feedback,
    Findings,
    Gaps,
    HalfRead,
    Lesson,
    NightReport,
    NightRun,
    NoCommand,
    Note,
    Op,
    Origin,
    Outcome,
    Pair,
    Proposal,
    ProposedFile,
    Record,
    Reference,
    Role,
    Rubric,
    Session,
    SessionCounts,
    Spend,
    Split,
    StepOutcome,
    StepSessions,
    Task,
    TaskOrigin,
    ToolEvent,
    Trajectory,
    Trial,
    TriedEdits,
    Turn,
    Usage,
    Verdict,
)
from tests.builders import a_proposal

NOW = datetime(2026, 11, 20, 4, 17, 3, 250_000, tzinfo=UTC)
KINDS = [
    kind
    for _, kind in inspect.getmembers(records, inspect.isclass)
    if issubclass(kind, Record) and kind is not Record
]

EVIDENCE = Evidence(session="codex:1", turn=2, quote="no, use pnpm — never «npm»")
TASK = Task(
    id="t1",
    prompt="add a script",
    reference=Checks(
        items=(Check(op=Op.CONTAINS, arg="pnpm"), Check(op=Op.SECTION_CONTAINS, arg="x", section="Why"))
    ),
    session="codex:1",
    project="/home/dev/shop",
    source="codex",
    at=NOW,
    context="Earlier: …",
    feedback=Feedback(evidence=(EVIDENCE,)),
    lesson="c-t1",
    split=Split.VAL,
    document="shop/CLAUDE.md",
    origin=TaskOrigin.RECALLED,
)
SESSION = Session(
    id="codex:1",
    source="codex",
    project="/home/dev/shop",
    cwd="/home/dev/shop/api",
    started=NOW,
    ended=NOW,
    turns=(
        Turn(role=Role.USER, origin=Origin.USER, text="add a script\n\u200b\x07", id="r1"),
        Turn(role=Role.USER, origin=Origin.HARNESS, text="<html>"),
    ),
    tools=(ToolEvent(name="Bash", turn=0, brief="npm i", error=True, exit_code=1, rejected=True),),
    gaps=Gaps(half_read=HalfRead("9.9.9", ("human_input",), 3, 10), damaged=1),
)
DOCUMENT = Document(
    id="shop/CLAUDE.md",
    kind=DocumentKind.MEMORY,
    path="/home/dev/shop/CLAUDE.md",
    project="/home/dev/shop",
    lead="# Shop\n",
    open="<!-- a -->\n",
    body="- Be brief.",
    close="\n<!-- b -->\n",
    trail="The end.\n",
)
EDIT = Edit(
    op=EditOp.REPLACE, content="new", target="old", reason="said", source=EditSource.SLOW, support=2, tasks=("t1",)
)
OUTCOME = StepOutcome(
    document=DOCUMENT,
    candidate=DOCUMENT,
    outcome=Outcome.IMPROVED,
    because="better",
    verdict=Verdict(decision=Decision.ACCEPT, reason="better", rule="strict", error_rate="error rate unknown"),
    trial=Trial(
        pairs=(Pair(task="t1", sample=0, before=0.25, after=1.0),),
        rounds=1,
        interval=(-1.0, 1.0),
    ),
    tried=TriedEdits(
        edits=(AppliedEdit(edit=EDIT, fate=EditFate.REFUSED, because="it is empty"),), evidence=(EVIDENCE,)
    ),
    sessions=StepSessions(ids=("codex:1",)),
    notes=(Note(stage="rollout", summary="x", remedy="y"),),
)
REPORT = NightReport(
    night="2026-11-20",
    started=NOW,
    ended=NOW,
    verdict=Outcome.IMPROVED,
    because="better",
    run=NightRun(limits={"calls": 300.0}),
    found=Findings(
        sessions=SessionCounts(seen=2, used=1, skipped={"active": 1}),
        tasks={"train": 1, "val": 1, "test": 0},
    ),
    documents=(OUTCOME,),
    proposals=(
        Proposal(
            id="P-0001", night="2026-11-20", kind=DocumentKind.MEMORY, root="/",
            files=(ProposedFile(document="shop/CLAUDE.md", path="/x", base="", result="ab"),), summary="Adds 1 rule.", edits=(EDIT,), evidence=(EVIDENCE,),
        ),
    ),
    spend=Spend(calls=3, tokens=None, usd=None, purposes={"rollout": 3}),
)  # fmt: skip

texts = st.text(st.characters(codec="utf-8"))
checks = st.builds(Check, op=st.sampled_from(Op), arg=texts, section=texts)
references = st.one_of(
    st.builds(Exact, answer=texts),
    st.builds(Checks, items=st.lists(checks).map(tuple)),
    st.builds(Rubric, text=texts),
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_record_is_frozen_keyword_only_and_refuses_unknown_fields(kind: type[Record]) -> None:
    config = kind.__struct_config__
    parameters = inspect.signature(kind).parameters.values()

    assert config.frozen
    assert config.forbid_unknown_fields
    assert {parameter.kind for parameter in parameters} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("value", [TASK, SESSION, DOCUMENT, OUTCOME, REPORT], ids=lambda value: type(value).__name__)
def test_a_record_survives_json(value: Record) -> None:
    assert from_json(to_json(value), type(value)) == value
    assert from_json(to_json(value, pretty=True), type(value)) == value


def test_a_record_can_not_be_changed() -> None:
    with pytest.raises(AttributeError):
        TASK.prompt = "another"  # pyright: ignore[reportAttributeAccessIssue]


def test_a_record_takes_no_unnamed_fields() -> None:
    kind: Any = Evidence
    with pytest.raises(TypeError):
        kind("codex:1", 2, "no")


def test_an_unknown_field_is_refused_when_a_record_is_read() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `colour`"):
        from_json(b'{"session": "s", "turn": 1, "quote": "no", "colour": "red"}', Evidence)


def test_an_unknown_field_deep_inside_is_refused_with_its_place() -> None:
    data = to_json(TASK).replace(b'"quote"', b'"colour":"red","quote"')

    with pytest.raises(msgspec.ValidationError, match=r"\$.feedback.evidence\[0\]"):
        from_json(data, Task)


def test_a_missing_field_is_refused_when_a_record_is_read() -> None:
    with pytest.raises(msgspec.ValidationError, match="quote"):
        from_json(b'{"session": "s", "turn": 1}', Evidence)


@pytest.mark.parametrize(
    ("reference", "kind"),
    [(Exact(answer="42"), "exact"), (Checks(items=()), "checks"), (Rubric(text="brief"), "rubric")],
)
def test_a_reference_says_its_kind(reference: Reference, kind: str) -> None:
    assert msgspec.to_builtins(reference)["kind"] == kind


@given(references)
def test_a_reference_of_any_kind_is_read_back_as_what_it_was(reference: Reference) -> None:
    task = msgspec.structs.replace(TASK, reference=reference)

    back = from_json(to_json(task), Task)

    assert type(back.reference) is type(reference)
    assert back == task


def test_a_reference_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="kind"):
        from_json(to_json(TASK).replace(b'"checks"', b'"oracle"', 1), Task)


def test_the_kinds_of_references_are_those_four() -> None:
    assert set(get_args(Reference)) == {Exact, Checks, Rubric, Command}


def test_a_check_of_an_unknown_op_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        from_json(b'{"op": "sparkles", "arg": "x"}', Check)


def test_shape_alone_is_lengths_json_and_refusals() -> None:
    assert {Op.MAX_CHARS, Op.MIN_CHARS, Op.JSON_VALID, Op.NO_REFUSAL} == SHAPE_OPS


def test_what_cuts_a_night_short_is_a_closed_set() -> None:
    assert {Outcome.BACKEND_FAILED, Outcome.OVER_BUDGET, Outcome.INTERRUPTED} == CUT_SHORT


def test_what_the_person_typed_are_the_turns_of_user_origin() -> None:
    harness = Turn(role=Role.USER, origin=Origin.HARNESS, text="<system-reminder>")

    assert msgspec.structs.replace(SESSION, turns=(harness, *SESSION.turns)).typed == ("add a script\n\u200b\x07",)


def test_a_document_is_the_users_text_around_ours() -> None:
    assert DOCUMENT.text == "# Shop\n<!-- a -->\n- Be brief.\n<!-- b -->\nThe end.\n"


def test_a_document_with_an_empty_body_has_no_enclosure() -> None:
    assert msgspec.structs.replace(DOCUMENT, body="").text == "# Shop\nThe end.\n"


def test_the_sha_is_that_of_the_whole_text() -> None:
    assert DOCUMENT.sha == hashlib.sha256(DOCUMENT.text.encode()).hexdigest()


@given(st.lists(texts, min_size=5, max_size=5))
def test_two_documents_have_one_sha_exactly_if_they_read_the_same(parts: list[str]) -> None:
    names = ("lead", "open", "body", "close", "trail")
    other = msgspec.structs.replace(DOCUMENT, **dict(zip(names, parts, strict=True)))

    assert (other.sha == DOCUMENT.sha) == (other.text == DOCUMENT.text)


def test_usage_adds_up() -> None:
    one, other = Usage(input_tokens=1, output_tokens=2, cached_tokens=1), Usage(input_tokens=10, output_tokens=20)

    assert one + other == Usage(input_tokens=11, output_tokens=22, cached_tokens=1)
    assert (one + other).tokens == 33


def test_a_trial_counts_its_pairs() -> None:
    assert OUTCOME.trial.n == 1
    assert Trial().n == 0


def test_what_was_not_measured_is_none_and_never_zero() -> None:
    assert Trial().before is None
    assert Trial().after is None
    assert Trial().interval is None
    assert Spend().usd is None
    assert NightReport(night="n", started=NOW, ended=NOW, verdict=Outcome.NOTHING_NEW, because="").documents == ()


def test_a_command_that_the_person_typed_is_no_word_of_theirs_beside_the_deed() -> None:
    ran = Deed(kind=DeedKind.CHECKED, session="s1", turn=3, what="make lint")
    words = Evidence(session="s1", turn=5, quote="run it yourself")
    typed = Evidence(session="s1", turn=3, quote="make lint", deed=ran.kind)
    proposal = a_proposal(evidence=(typed, words), deeds=(ran,))
    assert set(proposal.signs) == {typed, words}
    lesson = Lesson(
        id="l-1", project="/p", wording="", first=NOW, last=NOW, quotes=proposal.evidence, deeds=proposal.deeds
    )
    assert lesson.signs == proposal.signs


def test_an_attempt_in_words_is_told_by_its_answer_and_one_with_tools_by_what_was_done() -> None:
    assert Trajectory(response="Done.", text_only=True).told == "Done."
    acted = Trajectory(
        response="Done.",
        seal="bubblewrap",
        commands=(CommandRun(text="make lint", status=2), CommandRun(text="ls", status=0)),
        changed_files=("a.py",),
        checked=CommandRun(text="pytest -q", status=1, output="1 failed"),
        diff="+x",
    )
    lines = acted.told.splitlines()
    assert lines[:2] == ["$ make lint  (exit 2)", "$ ls"]
    assert lines[2:] == ["(changed: a.py)", "(the project's own check failed afterwards)", "1 failed", "Done.", "+x"]
    assert "pytest" not in acted.told


def test_the_account_of_the_repositories_says_what_was_yielded_and_why_the_others_were_not() -> None:
    assert Calibrations().in_words == ""
    refused = {"always_green": 2, "no_workspace": 1}
    account = Calibrations(sessions=6, commands=2, checks=1, refused=refused, workspaces={"lfs": 1})
    asked, _, became = account.in_words.partition(": ")
    assert asked == "6 sessions asked for what only work in the repository can show"
    assert became.split("; ") == [
        "2 can be judged by a command of the project's own",
        "1 by what the agent runs and changes",
        "2 can't: its command passes although nothing was done",
        "1 can't: its repository can't be had as it was (the repository keeps files in Git LFS)",
    ]
    assert set(NO_COMMAND_WORDS) == set(NoCommand)
