"""The account on a page."""

from typing import Any

from skillopt_sleep.cli.account import Account, Damage, Row
from skillopt_sleep.cli.harvest_shown import account_lines, noted
from skillopt_sleep.records import LeftOut, Note
from skillopt_sleep.settings import HarvestSettings
from tests.builders import a_session


def told(**fields: Any) -> str:
    base: dict[str, Any] = {
        "files": 1,
        "sessions": (a_session(),),
        "skipped": {},
        "rows": (Row("claude_code", "/shop", files=1, sessions=1, requests=1),),
        "prompts": {},
        "damage": (),
        **dict.fromkeys(
            ("copies", "copied", "doubles", "task_files", "tasks", "read", "older", "later", "remembered"), 0
        ),
    }
    text = "\n".join(account_lines(Account(**(base | fields)), HarvestSettings()))
    assert all(len(line) <= 80 for line in text.splitlines())
    return text


def test_what_is_not_there_has_no_line() -> None:
    assert told() == (
        "1 file → 1 session → 1 request\n"
        "\n"
        "files  sessions  requests  corrected  source       project\n"
        "    1         1         1          0  claude_code  /shop\n"
        "\n"
        "The next night reads 1 of the 1 session.\n"
        "To see why one is used or left out: skillopt-sleep harvest --why SESSION"
    )


def test_every_reason_has_words_that_fit_the_line() -> None:
    skipped = dict.fromkeys(LeftOut, 1_234)
    text = told(files=9_999, skipped=skipped, copies=34, doubles=5, task_files=1, tasks=3)
    for why in LeftOut:
        assert f"  {why.value:13} " in text
    assert " 1200  no_user_turn  nobody typed anything in it" in text
    assert "   34  copies " in text
    assert "    5  doubles " in text
    assert "    1  tasks files   3 tasks written by hand" in text
    assert "(10m)" in text


def test_a_single_file_of_which_nothing_is_used_is_one_file() -> None:
    text = told(sessions=(), rows=(), skipped={LeftOut.HEADLESS: 1})
    assert "\n\nThe file was left out:\n    1  headless" in text


def test_the_largest_reason_comes_first() -> None:
    text = told(files=7, skipped={LeftOut.UNREADABLE: 1, LeftOut.HEADLESS: 5})
    assert text.index("5  headless") < text.index("1  unreadable")


def test_projects_of_which_nothing_is_used_are_one_line() -> None:
    used = Row("codex", "/home/someone/" + "long/" * 20 + "shop", files=3, sessions=1, requests=12, corrected=2)
    text = told(files=9, rows=(used, Row("codex", "/b", files=4), Row("claude_code", "/b", files=2)))
    assert "    3         1        12          2  codex        …ong/long/long/long/long/shop" in text
    assert "    6                               1 more project, not used" in text


def test_what_was_typed_and_passed_over_is_told_once() -> None:
    text = told(
        prompts={"request": 3, "correction": 1, "small talk": 2},
        damage=(Damage("codex", 3, 2),),
        copied=4,
        remembered=7,
        sessions=(a_session(),) * 4,
        read=1,
        older=2,
    )
    assert "6 prompts typed: 3 requests, 1 correction, 2 small talk." in text
    assert "Skipped: 3 damaged lines in 2 sessions of codex." in text
    assert "Repeated in forks and counted once: 4 prompts." in text
    assert "Known from earlier nights, file deleted since: 7 sessions." in text
    assert "The next night reads 1 of the 4 sessions (1 already read, 2 older than 30d)." in text


def test_what_waits_for_later_nights_has_a_line() -> None:
    text = told(sessions=(a_session(),) * 4, later=3)
    assert "The next night reads 1 of the 4 sessions.\nIts budget doesn't reach 3 older sessions: for later" in text


def test_of_many_notes_the_first_few_are_told() -> None:
    notes = [Note(stage="harvest", summary=f"/{n}: no\x1b[0m", remedy="mend it") for n in range(7)]
    lines = list(noted(notes))
    assert lines[0] == "/0: no\\u{1B}[0m\n  → mend it"
    assert lines[5:] == ["… and 2 more like these"]
    assert list(noted([])) == []
