"""Whether it stopped is said in the same words wherever a rule is shown."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.cli.status import show_status
from skillopt_sleep.deciding.origin import origin_blocks
from skillopt_sleep.pages.blocks import Act, Quotes, Table
from skillopt_sleep.pages.chart import Bars
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.proposals.origins import origins
from skillopt_sleep.records import Corrected, Evidence, Recurrence
from skillopt_sleep.reporters.recurrence import by_week, ended, in_numbers, sharpens, since_adoption, to_do, told_of
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.bank import ADOPTED, UNDONE, Decided
from tests.builders import a_proposal, changed
from tests.cli.test_status_shown import NOW, status
from tests.fakes import NOON

AGAIN = Evidence(session="claude_code:s9", turn=2, quote="no, pnpm", at=NOON)
SEEN = Recurrence(
    lesson="l-1",
    wording="Use pnpm.",
    proposal="P-0001",
    adopted=NOON,
    before=Corrected(times=6, sessions=14),
    since=Corrected(times=1, sessions=11),
    change=(-0.58, -0.06),
    again=(AGAIN,),
    first=date(2026, 2, 16),
    weeks=((1, 5), (2, 7), (1, 4)),
)
NUMBERS = "corrected in 6 of 14 sessions before, 1 of 11 since (90 %: −58 to −6 points)"


@pytest.mark.parametrize(
    ("since", "fewer", "words"),
    [
        (Corrected(), False, "Not seen since, as it could not come up"),
        (Corrected(times=0, sessions=2), False, "Not seen since, in too few sessions"),
        (Corrected(times=0, sessions=60), True, "It stopped"),
        (Corrected(times=2, sessions=90), True, "It comes up less often"),
        (Corrected(times=2, sessions=9), False, "It came up again"),
    ],
)
def test_not_seen_since_is_told_apart_from_stopped(since: Corrected, fewer: bool, words: str) -> None:
    assert ended(changed(SEEN, since=since, fewer=fewer)).startswith(words)


def test_the_numbers_come_with_their_n_and_their_interval() -> None:
    assert in_numbers(SEEN) == NUMBERS
    assert "90 %" not in in_numbers(changed(SEEN, since=Corrected(), change=None))


def test_a_rule_whose_lesson_came_up_again_is_to_be_sharpened_or_taken_back_with_the_words_at_hand() -> None:
    assert any(isinstance(block, Quotes) and block.said[0].words == "«no, pnpm»" for block in since_adoption(SEEN))
    (act,) = [block for block in to_do(SEEN) if isinstance(block, Act)]
    assert "skillopt-sleep undo P-0001" in act.text
    stopped = changed(SEEN, since=Corrected(times=0, sessions=60), fewer=True, again=())
    assert not list(to_do(stopped))


def test_a_proposal_says_of_a_live_rule_of_its_lesson_that_it_was_not_enough() -> None:
    proposal = a_proposal(id="P-0002", lessons=("l-1",))
    told = sharpens(proposal, [SEEN])
    assert NUMBERS in told
    assert "skillopt-sleep undo P-0001" in told
    assert sharpens(a_proposal(id="P-0001", lessons=("l-1",)), [SEEN]) == ""
    assert sharpens(changed(proposal, lessons=("l-2",)), [SEEN]) == ""
    assert sharpens(proposal, [changed(SEEN, since=Corrected(sessions=9))]) == ""


def test_the_weeks_are_drawn_with_the_adoption() -> None:
    table = next(block for block in by_week(SEEN) if isinstance(block, Table))
    bars = [cell for row in table.rows for cell in row if isinstance(cell, Bars)]
    assert [one.brief for one in bars] == ["1 2 1", "5 7 4"]
    (place,) = {mark for one in bars for mark, _ in one.marks}
    assert 66 < place < 100  # in the third of three weeks
    assert list(by_week(changed(SEEN, weeks=()))) == []


def test_those_that_came_up_again_come_first() -> None:
    stopped = changed(SEEN, lesson="l-2", since=Corrected(times=0, sessions=60), fewer=True)
    unseen = changed(SEEN, lesson="l-3", since=Corrected())
    assert [one.lesson for one in told_of([unseen, stopped, SEEN])] == ["l-1", "l-2", "l-3"]


@pytest.mark.parametrize("state", [ADOPTED, UNDONE])
def test_why_says_it_of_a_rule_that_is_live(state: str) -> None:
    (origin,) = origins([Decided(a_proposal(lessons=("l-1",)), state, "", NOON.isoformat())], ())
    text = markdown([*origin_blocks(origin, now=NOON + timedelta(days=9), recurring={"l-1": SEEN})])
    assert (NUMBERS in text) is (state == ADOPTED)


def test_status_says_it_of_a_few_rules(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    many = [changed(SEEN, proposal=f"P-{number:04d}") for number in range(1, 6)]
    paths = Paths(config=tmp_path, data=tmp_path)
    show_status(status(adopted=many), paths, Settings(), "", now=NOW)
    lines = " ".join(capfd.readouterr().out.split())
    assert f"Adopted It came up again: {NUMBERS}" in lines
    assert lines.count("came up again") == 3
    assert "and 2 more rules" in lines
