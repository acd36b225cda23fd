"""Why something the person said is no rule is found, however far it came."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from skillopt_sleep.deciding.why import Absence, absence
from skillopt_sleep.proposals.origins import origins
from skillopt_sleep.records import (
    BECAME,
    NEXT_STEPS,
    AppliedEdit,
    Became,
    Correction,
    Corrections,
    EditFate,
    Evidence,
    Lesson,
    LessonState,
    NightReport,
)
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, WITHDRAWN, Decided
from tests.builders import a_lesson, a_proposal, a_report, an_edit, an_outcome

SAID = Evidence(session="s1", turn=2, quote="no, use pnpm, never npm")
LESSON = a_lesson("Use pnpm, never npm", id="l1", quotes=(SAID,))
PROPOSAL = a_proposal(lessons=("l1",), evidence=(SAID,))


def found(
    asked: str,
    *decided: Decided,
    lessons: Sequence[Lesson] = (),
    reports: Sequence[NightReport] = (),
    typed: Absence | None = None,
) -> Absence:
    rules = list(origins(decided, lessons))
    return absence(asked, rules, lessons, lambda: reports, lambda _asked: typed, sessions=1, purged=False)


def night(name: str, *became: Became, lesson: str = "l1", because: str = "") -> NightReport:
    listed = [
        Correction(session="s1", turn=2, quote=SAID.quote, became=one, because=because, lesson=lesson, task="t1")
        for one in became
    ]
    return a_report(night=name, corrections=Corrections(listed=tuple(listed)))


def test_every_end_has_words_and_a_next_step() -> None:
    assert set(BECAME) == set(NEXT_STEPS) == set(Became)
    assert len(Became) <= 10
    assert len(set(BECAME.values())) == len(set(NEXT_STEPS.values())) == len(Became)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (ADOPTED, "you adopted"),
        (WAITING, "waits for you"),
        (REJECTED, "you rejected its rule: «too long»"),
        (UNDONE, "took it back"),
        (WITHDRAWN, "withdrawn"),
    ],
)
def test_what_became_of_a_proposed_rule_is_said(state: str, words: str) -> None:
    reason = "too long" if state == REJECTED else ""
    said = found("use pnpm", Decided(PROPOSAL, state, reason, "2026-03-03"), lessons=[LESSON])
    assert (said.end, said.proposal, said.rule) == (state, "P-0001", "- Use pnpm, never npm.")
    assert words in said.because
    assert "P-0001" in said.next
    assert said.said == (SAID,)


def test_a_lesson_is_told_by_the_newest_night_that_tried_it_and_its_furthest_end() -> None:
    nights = [
        a_report(night="3"),
        night("2", Became.NOT_REACHED, Became.TRIED, Became.NEEDS_SESSION, because="no better"),
        night("1", Became.NEEDS_SESSION),
    ]
    said = found("l1", lessons=[LESSON], reports=nights)
    assert (said.end, said.night, said.task, said.lesson) == ("tried", "2", "t1", "l1")
    assert said.because.endswith("(no better)")
    assert said.next == NEXT_STEPS[Became.TRIED]


def test_the_edit_that_was_written_for_it_is_shown() -> None:
    applied = AppliedEdit(edit=an_edit("- Be careful.", lessons=("l1",)), fate=EditFate.APPLIED)
    report = night("2", Became.TRIED)
    report = a_report(night="2", corrections=report.found.corrections, documents=(an_outcome(edits=(applied,)),))
    assert found("l1", lessons=[LESSON], reports=[report]).rule == "- Be careful."


def test_a_lesson_that_was_taken_back_says_by_which_words() -> None:
    gone = a_lesson("Use pnpm", id="l1", quotes=(SAID,), state=LessonState.TAKEN_BACK)
    words = Evidence(session="s9", turn=1, quote="npm is fine after all")
    later = a_lesson("Use npm", id="l2", quotes=(words,), takes_back="l1")
    said = found("l1", lessons=[gone, later])
    assert said.end == "taken_back"
    assert "npm is fine after all" in said.because


@pytest.mark.parametrize(
    ("lesson", "end"),
    [
        (LESSON, "needs_session"),
        (a_lesson("Use pnpm", id="l1", quotes=(SAID, Evidence(session="s2", turn=2, quote="pnpm"))), "not_reached"),
        (a_lesson("Use pnpm", id="l1", quotes=(SAID,), state=LessonState.NOTICED), "needs_session"),
    ],
)
def test_a_lesson_of_which_no_report_tells_is_told_by_itself(lesson: Lesson, end: str) -> None:
    assert found("pnpm never npm", lessons=[lesson]).end == end


def test_a_correction_without_a_lesson_is_told_by_the_night_that_dropped_it() -> None:
    said = found("use pnpm", reports=[night("2", Became.UNUSED, lesson="", because="why")])
    assert (said.end, said.night) == ("unused", "2")
    assert said.said[0].quote == SAID.quote
    assert "why" in said.because


def test_what_was_only_typed_is_found_last() -> None:
    typed = Absence(said=(SAID,), end="typed", because="it was taken for small talk", next="say it as a wish")
    said = found("use pnpm", typed=typed)
    assert (said.end, said.because, said.next, said.said) == ("typed", typed.because, typed.next, (SAID,))


def test_what_was_never_typed_is_not_found() -> None:
    other = night("2", Became.NEEDS_SESSION)
    said = found("write a haiku", Decided(PROPOSAL, WAITING, "", ""), lessons=[LESSON], reports=[other])
    assert (said.end, said.said) == ("not found", ())
    assert "harvest" in said.next


def test_what_is_nearer_to_a_lesson_than_to_a_rule_is_about_the_lesson() -> None:
    tests = a_lesson("Run the tests with npm test", id="l2")
    said = found("run the tests with npm test", Decided(PROPOSAL, ADOPTED, "", ""), lessons=[LESSON, tests])
    assert said.lesson == "l2"


def test_a_lesson_whose_rule_was_decided_is_told_by_the_decision_and_all_its_words() -> None:
    again = Evidence(session="s2", turn=2, quote="the packages come by another manager here")
    lesson = a_lesson("Use pnpm, never npm", id="l1", quotes=(SAID, again))
    rejected = Decided(PROPOSAL, REJECTED, "we moved to bun", "2026-03-03")

    said = found(again.quote, rejected, lessons=[lesson], reports=[night("1", Became.PROPOSED)])

    assert (said.end, said.proposal, said.said) == (REJECTED, "P-0001", (SAID, again))
    assert "you rejected its rule: «we moved to bun»" in said.because


def test_a_lesson_that_was_taken_back_is_told_so_whatever_became_of_its_rule() -> None:
    lesson = a_lesson("Use yarn instead", id="l1", quotes=(SAID,), state=LessonState.TAKEN_BACK)
    adopted = Decided(PROPOSAL, ADOPTED, "", "2026-03-03")
    assert found("use yarn instead", adopted, lessons=[lesson]).end == "taken_back"


def test_the_nearest_of_all_sentences_lessons_and_rules_is_told() -> None:
    cents = Evidence(session="s7", turn=2, quote="no, use cents, never floats")
    lesson = a_lesson("no, use cents, never floats", id="l7", quotes=(cents,))
    floats = Correction(
        session="s8", turn=4, quote="no, use floats here, not cents, just this once", became=Became.FOR_ONCE
    )
    nights = [night("2", Became.TRIED), a_report(night="1", corrections=Corrections(listed=(floats,)))]
    said = found("use floats here, not cents", lessons=[lesson], reports=nights)
    assert (said.end, said.night) == (Became.FOR_ONCE, "1")
    assert found("use cents, never floats", lessons=[lesson], reports=nights).lesson == "l7"


def test_of_two_lessons_of_one_turn_the_one_that_is_named_is_told() -> None:
    both = Evidence(session="s7", turn=2, quote="no! commit messages in English, and use pnpm")
    lessons = [
        a_lesson("Use pnpm", id="l1", quotes=(both,)),
        a_lesson("Commit messages in English", id="l2", quotes=(both,)),
    ]
    rule = a_proposal(lessons=("l1",), evidence=(both,))
    for asked, lesson in (("commit messages in english", "l2"), ("use pnpm", "l1")):
        assert found(asked, Decided(rule, WAITING, "", ""), lessons=lessons).lesson == lesson
        assert found(asked, lessons=lessons[::-1]).lesson == lesson


@pytest.mark.parametrize("became", Became)
def test_nobody_who_said_it_in_several_sessions_is_told_to_say_it_again(became: Became) -> None:
    quotes = tuple(Evidence(session=f"s{number}", turn=2, quote="use pnpm") for number in range(4))
    said = found("l1", lessons=[a_lesson("Use pnpm", id="l1", quotes=quotes)], reports=[night("2", became)])
    if became is not Became.TAKEN_BACK:
        assert "say it" not in said.next
    assert "one session only" not in said.because


def test_of_an_adopted_rule_it_is_said_which_agent_does_not_read_it_and_what_waits_for_that() -> None:
    to_codex = Evidence(session="codex:s2", turn=2, quote="no, use pnpm, never npm")
    lesson = a_lesson("Use pnpm, never npm", id="l1", quotes=(SAID, to_codex))
    rule = Decided(replace(PROPOSAL, read_by=("Claude Code",)), ADOPTED, "", "2026-03-03")

    for asked in ("l1", "use pnpm"):
        said = found(asked, rule, lessons=[lesson])
        assert f"Codex doesn't read {PROPOSAL.path}" in said.because
        assert said.next.startswith("nothing; ")

    its = replace(PROPOSAL, id="P-0002", read_by=("Codex",))
    waits = found("l1", rule, Decided(its, WAITING, "", ""), lessons=[lesson])
    assert ("Codex" in waits.because, "P-0002" in waits.next) == (True, True)
    assert "Codex" not in found("use pnpm", rule, Decided(its, WAITING, "", ""), lessons=[lesson]).because
    both = found("l1", rule, Decided(its, ADOPTED, "", "2026-03-04"), lessons=[lesson])
    assert "Codex" not in both.because
