"""What a person did is told as done and what they said as said, wherever a rule, a task or a lesson is shown."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.cli.review_shown import page
from skillopt_sleep.cli.tasks_why import explain
from skillopt_sleep.cli.why_shown import Row, absence_rows, blamed_rows, origin_rows
from skillopt_sleep.mining.mined import corrections_of
from skillopt_sleep.mining.provenance import quote_of_command
from skillopt_sleep.pages.render import environment
from skillopt_sleep.proposals.absence import Looked, absence
from skillopt_sleep.proposals.origins import origins
from skillopt_sleep.records import Became, Corrections, Deed, DeedKind, Evidence
from skillopt_sleep.reporters.cards import rule_of
from skillopt_sleep.reporters.proposed import said
from skillopt_sleep.reporters.statistics import places
from skillopt_sleep.stores.bank import ADOPTED, Banked, Decided
from tests.builders import a_lesson, a_proposal, a_report, a_session, a_task
from tests.fakes import NOON

DID = Deed(kind=DeedKind.CHECKED, session="claude_code:s1", turn=2, what="make lint", at=NOON)
TYPED = quote_of_command(DID, a_session(id=DID.session))
SAID = Evidence(session=DID.session, turn=2, quote="no, run the linter first", at=NOON)  # in the same turn
RULE = "- Run make lint."


def shown_by_show(*quotes: Evidence) -> str:
    proposal = a_proposal(evidence=quotes, deeds=(DID,))
    rule = rule_of(proposal, [], None, now=NOON, whole=proposal)
    return "\n".join(line.plain for line in page(rule, state="waiting", width=100))


def shown_by_the_web(*quotes: Evidence) -> str:
    proposal = a_proposal(evidence=quotes, deeds=(DID,))
    rule = rule_of(proposal, [], None, now=NOON, whole=proposal)
    parts: Any = environment("skillopt_sleep.pages").get_template("parts.html.j2").module
    return str(parts.heard(rule))


def plain(rows: Iterable[Row]) -> str:
    return "\n".join(label + (part if isinstance(part, str) else part[0]) for label, part in rows)


def shown_by_why(*quotes: Evidence) -> str:
    lesson = a_lesson("Run make lint", id="l1", quotes=quotes, deeds=(DID,))
    (origin,) = origins([Decided(a_proposal(lessons=("l1",)), ADOPTED, "", "")], [lesson])
    return plain(origin_rows(origin, now=NOON))


def shown_by_blame(*quotes: Evidence) -> str:
    (origin,) = origins([Decided(a_proposal(evidence=quotes, deeds=(DID,)), ADOPTED, "", "")], [])
    return plain(blamed_rows(7, RULE, origin, now=NOON, recorded=True))


def shown_by_why_not(*quotes: Evidence) -> str:
    lesson = a_lesson("Run make lint", id="l1", quotes=quotes, deeds=(DID,))
    found = absence("l1", [], [lesson], list, lambda _: None, looked=Looked(sessions=1, purged=False))
    return plain(absence_rows(found, now=NOON))


def shown_by_why_not_of_a_night(*quotes: Evidence) -> str:
    listed = tuple(corrections_of([a_task(evidence=quotes, deeds=(DID,))], Became.UNUSED))
    report = a_report(corrections=Corrections(listed=listed))
    words = quotes[-1].quote
    found = absence(words, [], [], lambda: [report], lambda _: None, looked=Looked(sessions=1, purged=False))
    return plain(absence_rows(found, now=NOON))


def shown_by_tasks(*quotes: Evidence) -> str:
    entry = Banked(replace(a_task(), session=DID.session, evidence=quotes, deeds=(DID,), rejected="I'm done."))
    return explain(entry, [entry], [], now=NOON)


def shown_by_the_report(*quotes: Evidence) -> str:
    return "\n".join(said(a_proposal(evidence=quotes, deeds=(DID,)), verbose=True))


def shown_by_the_statistics(*quotes: Evidence) -> str:
    return "\n".join(places(a_proposal(evidence=quotes, deeds=(DID,))))


FACES = [
    shown_by_show,
    shown_by_the_web,
    shown_by_why,
    shown_by_blame,
    shown_by_why_not,
    shown_by_why_not_of_a_night,
    shown_by_tasks,
    shown_by_the_report,
    shown_by_the_statistics,
]


@pytest.mark.parametrize("face", FACES)
def test_a_command_that_was_run_is_never_told_as_said(face: Callable[..., str]) -> None:
    text = face(TYPED)
    assert "checked the work" in text
    assert text.count("make lint") == text.count("Run make lint") + 1
    assert " said" not in text
    assert "corrected" not in text


@pytest.mark.parametrize("face", FACES)
def test_words_of_the_same_turn_are_told_as_said(face: Callable[..., str]) -> None:
    text = face(TYPED, SAID)
    assert f"«{SAID.quote}»" in text or f"«{SAID.quote}»" in " ".join(text.split())
    assert "ou did" not in text
