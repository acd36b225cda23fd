"""No correction goes missing: what founded nothing is told with why."""

from skillopt_sleep.mining.dropped import QUOTE_CHARS, corrections_of, unproven, unused
from skillopt_sleep.mining.proof import MinedLesson
from skillopt_sleep.records import Became, Deed, DeedKind
from tests.builders import ASK, SAID, a_session, a_task


def test_a_task_stands_for_each_quote_of_it() -> None:
    (correction,) = corrections_of([a_task(lesson="l")], Became.NO_TEST, "why")
    assert (correction.session, correction.turn, correction.quote) == ("claude_code:s1", 2, SAID)
    assert (correction.task, correction.lesson) == ("t1", "l")
    assert (correction.became, correction.because) == (Became.NO_TEST, "why")


def test_a_task_of_deeds_alone_says_what_was_done() -> None:
    deed = Deed(kind=DeedKind.CHECKED, session="s", turn=4, what="make lint")
    (correction,) = corrections_of([a_task(evidence=(), deeds=(deed,))], Became.LATER)
    assert (correction.session, correction.turn, correction.quote) == ("s", 4, "make lint")
    assert correction.deed is DeedKind.CHECKED


def test_a_task_by_hand_stands_for_its_request() -> None:
    (correction,) = corrections_of([a_task(evidence=())], Became.KEPT)
    assert correction.quote == ASK


def test_long_words_are_cut() -> None:
    (correction,) = corrections_of([a_task(evidence=(), prompt="use pnpm " * 99)], Became.KEPT)
    assert len(correction.quote) <= QUOTE_CHARS


def test_a_correction_that_nothing_was_made_of_is_unused_unless_it_holds_for_once() -> None:
    session = a_session(ASK, "Done.", "that is wrong, be more careful", "Ok.", "no - use pnpm, just this once")
    assert [one.became for one in unused(session, set())] == [Became.UNUSED, Became.FOR_ONCE]
    assert [one.turn for one in unused(session, {(session.id, 2)})] == [4]


def test_what_the_model_made_up_is_told_with_what_it_quoted() -> None:
    correction = unproven(MinedLesson(lesson="Use deno", quotes=("use deno!",)), "nobody said so")
    assert (correction.session, correction.quote, correction.because) == ("", "use deno!", "nobody said so")
    assert unproven(MinedLesson(lesson="Use deno", quotes=()), "").quote == "Use deno"
