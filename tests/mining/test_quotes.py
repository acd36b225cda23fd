"""What a model quotes is found in what the person typed, with the request that it is about."""

import pytest

from skillopt_sleep.mining.quotes import deed_of, is_praise, places_of, request_of, signs_of, wishes_in
from skillopt_sleep.records import Deed, DeedKind, Origin, Session, ToolEvent
from tests.builders import a_session, a_turn

ISO = "datum immer iso, nicht so"


def said(*words: str, session: str = "s1") -> Session:
    """A session in which the person answers each time with these words."""
    turns = [part for one in words for part in (a_turn("Done.", origin=Origin.ASSISTANT), one)]
    return a_session("write the note", *turns, id=session)


@pytest.mark.parametrize(
    "quote",
    [
        "use `pnpm`, never «npm»",
        "Use pnpm, never npm",
        "use\n  'pnpm',  never   \"npm\"",
        '"use `pnpm`, never «npm»"',
        "use `pnpm`, never «npm».",
        "never “npm”",
    ],
)
def test_a_quote_is_found_whatever_its_case_blanks_and_quotation_marks_and_is_made_whole(quote: str) -> None:
    (place,) = places_of(quote, [said("Wrong. No, use `pnpm`, never «npm»! Thanks.")])
    assert (place.turn, place.words) == (2, "No, use `pnpm`, never «npm»!")


@pytest.mark.parametrize("quote", ["", " ", "yarn", "pm", "Done.", "page says", "never npm"])
def test_what_the_person_did_not_type_is_nowhere(quote: str) -> None:
    session = a_session("go", "Done.", "use pnpm\n```\nthe page says never npm\n```")
    assert places_of(quote, [session]) == []


def test_the_label_that_the_prompt_put_before_a_turn_is_no_part_of_a_quote() -> None:
    (place,) = places_of("person: no, use pnpm", [said("No, use pnpm.")])
    assert place.words == "No, use pnpm."
    assert places_of("agent: no, use pnpm", [said("No, use pnpm.")]) == []


def test_the_same_correction_is_found_in_every_session_that_says_it() -> None:
    sessions = [said(ISO, session="s1"), said("ok"), said("Datum immer ISO, nicht so!", session="s3")]
    assert [place.session.id for place in places_of(ISO, sessions)] == ["s1", "s3"]


def test_of_places_that_only_contain_the_words_the_one_that_says_most_of_them_counts() -> None:
    sessions = [said("install pnpm on the build machine in the cellar"), said("no, pnpm!", session="s2")]
    assert [place.session.id for place in places_of("pnpm", sessions)] == ["s2"]
    equal = [said(ISO, session="s1"), said(f"{ISO}!", session="s2")]
    assert [place.session.id for place in places_of("iso", equal)] == ["s1", "s2"]


def test_words_of_a_script_without_blanks_are_found() -> None:
    (place,) = places_of("用 pnpm", [said("不对。请用pnpm。")])
    assert place.words == "请用pnpm。"


DEEDS = (
    Deed(kind=DeedKind.REJECTED, session="s1", turn=1, what="git push"),
    Deed(kind=DeedKind.RAN, session="s1", turn=3, what="make lint"),
)


@pytest.mark.parametrize(
    ("quote", "number"),
    [
        ("D2", 2),
        ("[D1]", 1),
        ("D2 person ran: make lint", 2),
        ("make lint", 2),
        ("git push", 0),
        ("D3", 0),
        ("D2d", 0),
    ],
)
def test_a_deed_is_meant_by_its_mark_or_by_the_command_that_was_typed(quote: str, number: int) -> None:
    assert deed_of(quote, DEEDS) == (DEEDS[number - 1] if number else None)


REQUESTS = a_session(
    "Install it. From now on use pnpm.",
    "I ran npm.",
    "no, use pnpm",
    "Done.",
    "Now write the docs",
    "Done.",
    "From now on, sign every commit.",
    "Ok.",
    "Perfect: exactly that short, always",
)


@pytest.mark.parametrize(
    ("turn", "words", "request_turn", "prompt", "praised"),
    [
        (0, "From now on use pnpm.", 0, "Install it.", False),
        (2, "no, use pnpm", 0, "Install it. From now on use pnpm.", False),
        (4, "write the docs", 4, "Now write the docs", False),
        (6, "From now on, sign every commit.", 4, "Now write the docs", False),
        (8, "Perfect: exactly that short, always", 4, "Now write the docs", True),
    ],
)
def test_a_wish_is_about_the_request_it_corrects_or_stands_in_or_else_the_one_before(
    turn: int, words: str, request_turn: int, prompt: str, praised: bool
) -> None:
    found = request_of(REQUESTS, turn, {(REQUESTS.id, turn): [words]})
    assert (found.turn, found.prompt, is_praise(REQUESTS, turn)) == (request_turn, prompt, praised)


@pytest.mark.parametrize("beside", ["", "Thanks! ", "lol. ", "He wrote:\n"])
def test_a_wish_without_any_request_has_none(beside: str) -> None:
    session = a_session(f"{beside}From now on use pnpm.", "ok")
    assert request_of(session, 0, {(session.id, 0): ["From now on use pnpm."]}).prompt == ""


def test_the_wish_of_another_lesson_is_no_request() -> None:
    session = a_session("draw it", "Done.", "nothing in red. and all that one can tap is large")
    said = signs_of(["nothing in red", "all that one can tap is large"], [session], ())
    assert [request_of(session, 2, wishes_in([one])).prompt for one in said] != ["draw it"] * 2
    assert [request_of(session, 2, wishes_in(said)).prompt for _ in said] == ["draw it"] * 2


def test_words_after_a_rejected_call_correct_the_request_before() -> None:
    tools = (ToolEvent(name="Bash", turn=1, brief="npm i", error=True, rejected=True),)
    session = a_session("install it", a_turn("I begin.", origin=Origin.ASSISTANT), "pnpm exists", tools=tools)
    assert request_of(session, 2, {(session.id, 2): ["pnpm exists"]}).turn == 0


def test_the_persons_own_words_after_a_paste_are_found() -> None:
    session = a_session("mend it", "Done.", "```\nError: no such file\n```\nno, mend the import")
    (place,) = places_of("mend the import", [session])
    assert place.words == "no, mend the import"


def test_a_later_request_that_sounds_like_an_amendment_is_a_request_unless_it_is_quoted_as_a_wish() -> None:
    asked, wish = "bring search up on box 14 with slot", "in kWh, not MJ"
    session = said("thanks", asked, wish)
    signs = signs_of([wish], [session], [])
    assert request_of(session, 6, wishes_in(signs)).prompt == asked
    signs = signs_of([asked, wish], [session], [])
    assert request_of(session, 6, wishes_in(signs)).prompt == "write the note"


def test_words_that_take_an_answer_back_are_no_request_even_if_nobody_quotes_them() -> None:
    session = said("no, wrong, do it as on monday please", "in kWh, not MJ")
    assert request_of(session, 4, wishes_in(signs_of(["in kWh, not MJ"], [session], []))).prompt == "write the note"
