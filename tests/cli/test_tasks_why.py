from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from skillopt_sleep.cli.tasks_why import task_blocks
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.records import AppliedEdit, Deed, DeedKind, EditFate, Evidence, NightReport, Pair, Split, Trial
from skillopt_sleep.stores.bank import Banked
from tests.builders import a_fresh_round, a_report, a_task, an_edit, an_outcome, changed
from tests.fakes import NOON

NOW = NOON + timedelta(days=3)
TASK = a_task(id="t1", lesson="c", split=Split.TRAIN)


def told(entry: Banked, *others: Banked, reports: Sequence[NightReport] = ()) -> str:
    text = markdown([*task_blocks(entry, (entry, *others), reports, now=NOW)])
    return "\n".join(line.rstrip() for line in text.replace("\\", "").splitlines())


def test_it_says_which_session_and_whose_words_found_it() -> None:
    task = changed(
        TASK,
        evidence=(Evidence(session=TASK.session, turn=2, quote="no\x1b[0m, pnpm"),),
        deeds=(
            Deed(kind=DeedKind.ASKED_AGAIN, session="claude_code:s2", turn=4, what="install it"),
            Deed(kind=DeedKind.STOPPED, session=TASK.session, turn=3),
        ),
        rejected="I ran npm.",
        accepted="I ran pnpm. " * 200,
    )
    text = told(Banked(task, night="n1"))
    assert "found in a session with claude_code, 02 Mar 2026 (3 days ago), session s1, for " in text
    assert "pnpm» turn 2" in text
    assert "you asked again: «install it» turn 4 of claude_code:s2" in text
    assert "you stopped the agent turn 3" in text
    assert "The answer before that: I ran npm." in text
    assert "The answer you accepted: I ran pnpm." in text
    assert "No night has used it yet." in text
    assert "\x1b" not in text
    assert len(text) < 2000


def test_equal_samples_of_one_night_are_one_line() -> None:
    grades = [(0.0, 1.0), (0.0, 1.0), (0.5, 1.0)]
    pairs = tuple(Pair(task="t1", sample=n, before=before, after=after) for n, (before, after) in enumerate(grades))
    text = told(Banked(TASK), reports=[a_report(night="n1", documents=(an_outcome(trial=Trial(pairs=pairs)),))])
    assert text.count("tested a change") == 2
    assert "tested a change, 0.00 → 1.00, 2 times" in text


def test_it_says_what_the_lesson_was_called() -> None:
    named = Banked(changed(TASK, wording="Use pnpm, never npm"))
    text = told(named, Banked(changed(TASK, id="t2", wording="Use yarn")))
    assert "The lesson, in the model's words: Use pnpm, never npm" in text
    assert "yarn" not in text
    assert "1 other task" in text


def test_its_side_comes_with_the_reason() -> None:
    second = Banked(replace(TASK, id="t2", session="s2", split=Split.VAL, at=NOON + timedelta(hours=1)))
    assert "It is used to learn from: sessions of one lesson take turns." in told(Banked(TASK), second)
    mate = Banked(replace(TASK, id="t3", lesson="other"))
    assert "t3 comes from the same one" in told(Banked(TASK), mate)
    assert "you put it there" in told(Banked(TASK, earlier=(replace(TASK, split=Split.VAL),)))
    assert "in a second session" in told(Banked(replace(TASK, split=None)))


def test_it_says_which_nights_used_it_and_what_came_of_it() -> None:
    pairs = (Pair(task="t1", sample=0, before=0.25, after=1.0), Pair(task="other", sample=0, before=0.0, after=0.0))
    edits = (AppliedEdit(edit=an_edit("- Use pnpm."), fate=EditFate.APPLIED),)
    reports = (
        a_report(night="n1", documents=(an_outcome(trial=Trial(pairs=pairs)),)),
        a_report(night="n2", documents=(an_outcome(edits=edits, sessions=(TASK.session,)),)),
        a_report(night="n3", documents=(an_outcome(scores={"t1": 0.5}), an_outcome(scores={"other": 0.0}))),
        a_report(night="n4", documents=(an_outcome(sessions=(TASK.session,), waiting=1),)),
    )
    text = told(Banked(TASK), reports=reports)
    assert "- n1, shop:CLAUDE.md: tested a change, 0.25 → 1.00\n" in text
    assert "- n2, shop:CLAUDE.md: led to an edit (applied, not decided) - Use pnpm.\n" in text
    assert text.count("n3, shop:CLAUDE.md: was asked without a change: 0.50") == 1
    assert "n4" not in text


def test_a_task_that_needs_the_repository_waits_for_a_replay_that_has_it() -> None:
    assert "waits for a replay that has it" in told(Banked(changed(TASK, needs_repository=True), night="n1"))


def test_a_test_task_is_used_where_a_change_is_accepted() -> None:
    task = replace(TASK, split=Split.TEST)
    reports = [
        a_report(night="n1", documents=(an_outcome(sessions=(TASK.session,)),)),
        a_report(
            night="n2",
            documents=(an_outcome(sessions=(TASK.session,), kept_back=a_fresh_round(0.0, 1.0, 1, (-0.95, 1.0))),),
        ),
    ]
    text = told(Banked(task), reports=reports)
    assert "n2, shop:CLAUDE.md: was a test of an accepted change" in text
    assert "n1" not in text


def test_it_says_what_a_person_did_and_when() -> None:
    edited = Banked(
        TASK,
        edited=NOW,
        dropped=NOW - timedelta(hours=2),
        pinned=NOON,
        waits=True,
        earlier=(replace(TASK, prompt="x"),),
    )
    text = told(edited)
    assert "You edited it just now; later nights keep your version.\n" in text
    assert text.endswith("Before, it asked: x")
    assert "You dropped it 2 hours ago" in text
    assert "You pinned it 3 days ago" in text


def test_a_task_by_hand_says_where_it_was_written() -> None:
    mine = Banked(replace(TASK, session="tasks_file:#t1", source="tasks_file", project=""), edited=NOON)
    assert "added by hand, " in told(mine)
    assert "You added it 3 days ago" in told(mine)
    assert "every project (your own)" in told(mine)
    filed = Banked(replace(TASK, session="tasks_file:/home/ada/t.toml#t1", source="tasks_file"))
    assert "from your tasks file /home/ada/t.toml, " in told(filed)
