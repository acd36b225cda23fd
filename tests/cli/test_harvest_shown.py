"""The account on a page."""

import re
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from skillopt_sleep.cli.harvest_shown import noted, show_account
from skillopt_sleep.night.account import WORDS, Account, Damage, ProjectCounts
from skillopt_sleep.night.reading import Surveyed, read_by_rules
from skillopt_sleep.records import LeftOut, Note, left_out
from skillopt_sleep.settings import HarvestSettings
from tests.builders import a_session


def used(night: str = "") -> Surveyed:
    """A session that is used; `night` has read it."""
    session = a_session()
    return Surveyed(session.id, session.source, "/shop", "", session.ended, night, read_by_rules(session))


def told(*, purged: bool = False, deleted: tuple[int, int] = (0, 0), **fields: Any) -> str:
    base: dict[str, Any] = {
        "sessions": (used(),),
        "skipped": {},
        "rows": (ProjectCounts("claude_code", "/shop", files=1, sessions=1, prompts=1),),
        "damage": (),
        **dict.fromkeys(
            ("copies", "copied", "doubles", "task_files", "tasks", "older", "later", "remembered", "spoiled"),
            0,
        ),
    }
    with redirect_stdout(StringIO()) as out:
        show_account(Account(**(base | fields)), HarvestSettings(), purged=purged, deleted=deleted)
    return out.getvalue()


def test_what_is_not_there_has_no_line() -> None:
    assert told() == (
        "1 file → 1 session → 1 prompt\n"
        "\n"
        "| project | prompts | sessions | files | agents |\n"
        "|  ---  |  --:  |  --:  |  --:  |  ---  |\n"
        "| /shop | 1 | 1 | 1 | Claude Code |\n"
        "\n"
        "The next night reads 1 of the 1 session.\n"
        "To see why one is used or left out: skillopt-sleep harvest --why SESSION\n"
    )


def test_where_all_was_purged_it_does_not_say_that_nothing_was_found() -> None:
    assert "No sessions were found" in told(sessions=(), rows=())
    left = told(sessions=(), rows=(), purged=True)
    assert "No session is left but what you purged" in left
    assert "run --session" in left


def test_sessions_that_no_model_reads_are_told() -> None:
    alone = used()._replace(heard=read_by_rules(a_session("hello", "hi")))
    assert "\n1 of them may hold a lesson; no model reads the others.\n" in told(sessions=(used(), alone))


def test_every_reason_has_words_that_fit_the_line() -> None:
    skipped = dict.fromkeys(LeftOut, 1_234)
    text = told(skipped=skipped, copies=34, doubles=5, task_files=1, tasks=3, spoiled=7)
    for why in LeftOut:
        assert re.search(rf"- \d+ {why.value}: .*\n", text)
    assert re.search(r"\n- 1227 no_user_turn: nothing new was typed in it \(a copy, .*\n", text), "copies among them"
    assert re.search(r"\n- 7 damaged: damaged, or .*\n", text)
    assert re.search(r"\n- 5 doubles: a second file .*\n", text)
    assert re.search(r"\n- 1 tasks files: 3 tasks written by hand\n", text)
    assert "less than ten minutes old" in text


def test_a_report_and_a_plan_tell_copies_as_harvest_does() -> None:
    for words in (WORDS[LeftOut.NO_USER_TURN], left_out({"no_user_turn": 9})):
        assert re.search(r"nothing new .*typed.* \(a copy, no message, or in records of unknown kinds\)", words)


def test_records_of_unknown_kinds_are_told_by_version() -> None:
    line = "Claude Code 2.1.340 (tested to 2.1.332): 3 % of records of 1 unknown kind"
    assert f"\n{line}.\n" in told(half_read=(line,))


def test_the_largest_reason_comes_first() -> None:
    text = told(skipped={LeftOut.UNREADABLE: 1, LeftOut.HEADLESS: 5})
    assert text.index("5 headless: started by a program") < text.index("1 unreadable: can't be read")


def test_of_many_projects_only_those_in_which_most_was_typed_are_shown() -> None:
    text = told(rows=tuple(ProjectCounts("codex", f"/p{n:05}", 1, 1, 10_000 - n) for n in range(10_000)))
    assert len(re.findall(r"^. /p", text, re.MULTILINE)) == 20
    assert "/p00019 " in text
    assert "and 9,980 more projects" in text


def test_projects_of_which_nothing_is_used_have_no_line() -> None:
    used = ProjectCounts("codex", "/home/someone/" + "long/" * 20 + "shop", files=3, sessions=1, prompts=12)
    text = told(rows=(used, ProjectCounts("codex", "/b", files=4), ProjectCounts("claude_code", "/b", files=2)))
    assert "/long/shop | 12 | 1 | 3 | Codex |\n" in text
    assert "/b" not in text


def test_what_was_typed_and_passed_over_is_told_once() -> None:
    text = told(
        damage=(Damage("codex", 3, 2),),
        sessions=(used("N-1"), *[used()] * 3),
        older=2,
    )
    assert "Skipped: 3 damaged lines in 2 sessions of codex." in text
    assert "The next night reads 1 of the 4 sessions (1 already read, 2 older than 30d)." in text


def test_what_waits_for_later_nights_has_a_line() -> None:
    text = told(sessions=(used(),) * 4, later=3)
    assert "The next night reads 1 of the 4 sessions.\n" in text
    assert "Its budget doesn't reach 3 older sessions: for later" in text


def test_of_many_notes_the_first_few_are_told() -> None:
    notes = [Note(stage="harvest", summary=f"/{n}: no\x1b[0m", remedy="mend it") for n in range(7)]
    lines = list(noted(notes))
    assert lines[0] == "/0: no\\u{1B}[0m\n  → mend it"
    assert lines[5:] == ["… and 2 more like these"]
    assert list(noted([])) == []


def test_what_the_agents_deleted_is_told_with_what_is_kept_of_it() -> None:
    assert "38 lessons of 497 deleted sessions are kept here." in told(deleted=(497, 38))
    assert "1 lesson of 1 deleted session is kept here." in told(deleted=(1, 1))
    assert "deleted" not in told()
