"""What a person did is told as done and what they said as said, wherever a rule, a task or a lesson is shown."""

from collections.abc import Callable
from typing import Any

import pytest

from skillopt_sleep.cli.tasks_why import task_blocks
from skillopt_sleep.cli.why import absence_blocks, managed_blocks
from skillopt_sleep.deciding.origin import origin_blocks
from skillopt_sleep.deciding.why import absence
from skillopt_sleep.mining.mined import corrections_of
from skillopt_sleep.mining.provenance import quote_of_command
from skillopt_sleep.pages.render import environment
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.proposals.origins import Managed, origins
from skillopt_sleep.records import Became, Corrections, Deed, DeedKind, Evidence
from skillopt_sleep.reporters.rule import rule_of
from skillopt_sleep.reporters.rule_page import first_screen, places, whole
from skillopt_sleep.stores.bank import ADOPTED, Banked, Decided
from tests.builders import a_lesson, a_proposal, a_report, a_session, a_task, changed
from tests.cli.review_screens import drawn
from tests.fakes import NOON

DID = Deed(kind=DeedKind.CHECKED, session="claude_code:s1", turn=2, what="make lint", at=NOON)
TYPED = quote_of_command(DID, a_session(id=DID.session))
SAID = Evidence(session=DID.session, turn=2, quote="no, run the linter first", at=NOON)  # in the same turn
RULE = "- Run make lint."


def shown_by_show(*quotes: Evidence) -> str:
    proposal = a_proposal(evidence=quotes, deeds=(DID,))
    rule = rule_of(proposal, [], None, now=NOON, whole=proposal)
    return drawn(rule, 100)


def shown_by_the_web(*quotes: Evidence) -> str:
    proposal = a_proposal(evidence=quotes, deeds=(DID,))
    rule = rule_of(proposal, [], None, now=NOON, whole=proposal)
    template: Any = environment("skillopt_sleep.pages").get_template("blocks.html.j2").module
    return str(template.show([*first_screen(rule)]))


def shown_by_why(*quotes: Evidence) -> str:
    lesson = a_lesson("Run make lint", id="l1", quotes=quotes, deeds=(DID,))
    (origin,) = origins([Decided(a_proposal(lessons=("l1",)), ADOPTED, "", "")], [lesson])
    return markdown([*origin_blocks(origin, now=NOON)])


def shown_by_blame(*quotes: Evidence) -> str:
    (origin,) = origins([Decided(a_proposal(evidence=quotes, deeds=(DID,)), ADOPTED, "", "")], [])
    return markdown([managed_blocks([Managed(7, RULE, origin)], now=NOON, recorded=True)])


def shown_by_why_not(*quotes: Evidence) -> str:
    lesson = a_lesson("Run make lint", id="l1", quotes=quotes, deeds=(DID,))
    found = absence("l1", [], [lesson], list, lambda _: None, sessions=1, purged=False)
    return markdown([*absence_blocks(found, now=NOON)])


def shown_by_why_not_of_a_night(*quotes: Evidence) -> str:
    listed = tuple(corrections_of([a_task(evidence=quotes, deeds=(DID,))], Became.UNUSED))
    report = a_report(corrections=Corrections(listed=listed))
    words = quotes[-1].quote
    found = absence(words, [], [], lambda: [report], lambda _: None, sessions=1, purged=False)
    return markdown([*absence_blocks(found, now=NOON)])


def shown_by_tasks(*quotes: Evidence) -> str:
    entry = Banked(changed(a_task(), session=DID.session, evidence=quotes, deeds=(DID,), rejected="I'm done."))
    return markdown([*task_blocks(entry, [entry], [], now=NOON)])


def shown_by_the_report(*quotes: Evidence) -> str:
    proposal = a_proposal(evidence=quotes, deeds=(DID,))
    return markdown([*whole(rule_of(proposal, [], None, now=NOON, whole=proposal))])


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
