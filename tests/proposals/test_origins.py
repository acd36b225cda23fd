"""Each rule is traced to the person's words, to its trial and to their decision."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.proposals.origins import RuleOrigin, managed_lines, origins
from skillopt_sleep.records import EditEffect, EditOp, Effect, Evidence, Proposal, Solved
from skillopt_sleep.stores.bank import ADOPTED, UNDONE, WAITING, Decided
from tests.builders import a_lesson, a_proposal, an_edit, changed

PNPM = Evidence(session="s1", turn=2, quote="use pnpm")
TABS = Evidence(session="s2", turn=4, quote="use tabs")
LESSONS = (
    a_lesson("Use pnpm", id="l1", quotes=(PNPM,)),
    a_lesson("Use tabs", id="l2", quotes=(TABS,)),
)
TWO = a_proposal(
    edits=(an_edit("- Use pnpm.", lessons=("l1",)), an_edit("- Use tabs.", lessons=("l2",))),
    evidence=(PNPM, TABS),
    lessons=("l1", "l2"),
)


def decided(proposal: Proposal, state: str = ADOPTED) -> Decided:
    return Decided(proposal, state, "", "2026-03-03T08:00:00+00:00")


def known(*entries: Decided) -> list[RuleOrigin]:
    return list(origins(entries, LESSONS))


def test_each_rule_of_a_proposal_has_its_own_words_and_lesson() -> None:
    pnpm, tabs = known(decided(TWO))
    assert (pnpm.rule, pnpm.asked.said, pnpm.asked.wordings, pnpm.asked.sessions) == (
        "- Use pnpm.",
        (PNPM,),
        ("Use pnpm",),
        1,
    )
    assert (tabs.rule, tabs.asked.said, tabs.asked.lessons) == ("- Use tabs.", (TABS,), ("l2",))
    assert (pnpm.proposed.state, pnpm.proposed.decided, pnpm.proposed.proposal) == (
        ADOPTED,
        "2026-03-03T08:00:00+00:00",
        "P-0001",
    )


def test_the_rules_of_one_lesson_are_those_that_name_it_or_whose_whole_proposal_does() -> None:
    whole = decided(a_proposal(edits=(an_edit("- Use tabs in Go."),), lessons=("l2",)))
    found = origins([decided(TWO), whole], LESSONS, of="l2")
    assert [origin.rule for origin in found] == ["- Use tabs.", "- Use tabs in Go."]


def test_without_a_known_lesson_the_words_of_the_proposal_count() -> None:
    (origin,) = origins([decided(a_proposal(evidence=(PNPM, TABS)))], ())
    assert (origin.asked.said, origin.asked.sessions) == ((PNPM, TABS), 2)


def test_its_words_are_those_of_all_sessions_not_only_those_it_was_learned_from() -> None:
    tested = Evidence(session="s3", turn=2, quote="pnpm, I said")
    lesson = a_lesson("Use pnpm", id="l1", quotes=(PNPM, tested))
    (origin,) = origins([decided(a_proposal(evidence=(PNPM,), lessons=("l1",)))], [lesson])
    assert (origin.asked.said, origin.asked.sessions) == ((PNPM, tested), 2)


def test_what_only_takes_a_rule_away_is_no_origin() -> None:
    assert known(decided(a_proposal(edits=(an_edit("", op=EditOp.DELETE, target="- Use npm."),)))) == []


SOLVED = Solved(before=0, after=2, n=3, requests=2)


def test_its_numbers_are_its_own_where_it_was_tried_alone() -> None:
    effect = EditEffect(edit=TWO.edits[0], effect=Effect.HELPED, n=3, before=0.0, after=0.8, solved=SOLVED)
    together = Solved(before=1, after=5, n=6, requests=4)
    pnpm, tabs = known(decided(changed(TWO, effects=(effect,), solved=together, before=0.2, after=0.9, n=6)))
    assert (pnpm.tested.alone, pnpm.tested.solved, pnpm.tested.after, pnpm.tested.n) == (True, SOLVED, 0.8, 3)
    assert (tabs.tested.alone, tabs.tested.solved, tabs.tested.after, tabs.tested.n) == (False, together, 0.9, 6)


def test_the_only_rule_of_a_proposal_has_the_proposals_numbers() -> None:
    (origin,) = known(decided(a_proposal(solved=SOLVED)))
    assert (origin.tested.alone, origin.tested.solved) == (True, SOLVED)


# managed lines ------------------------------------------------------------------------------------------

FILE = (
    "# Shop\n\nMine: - Use pnpm.\n\n<!-- skillopt-sleep:begin -->\n{}\n<!-- skillopt-sleep:end -->\n\n- Mine too.\n"
)


def written(folder: Path, body: str) -> Path:
    path = folder / "CLAUDE.md"
    path.write_text(FILE.format(body), encoding="utf-8")
    return path


def test_every_managed_line_is_numbered_and_traced_and_no_other(tmp_path: Path) -> None:
    path = written(tmp_path, "- Use pnpm.\n\n- Somebody's.\n-  use tabs.")
    lines = managed_lines(path, known(decided(changed(TWO, path=str(path)))))
    text = path.read_text().splitlines()
    assert [text[line.number - 1].strip() for line in lines] == [line.line for line in lines]
    assert [(line.number, line.line, line.origin and line.origin.asked.said) for line in lines] == [
        (6, "- Use pnpm.", (PNPM,)),
        (8, "- Somebody's.", None),
        (9, "-  use tabs.", (TABS,)),
    ]
    assert lines[0].origin is not None
    assert lines[0].origin.line == 6


def test_of_several_proposals_an_adopted_one_of_this_file_counts(tmp_path: Path) -> None:
    path = written(tmp_path, "- Use pnpm.")
    mine = changed(TWO, id="P-0001", path=str(path))
    entries = (
        decided(mine),
        decided(changed(mine, id="P-0002", path="/elsewhere/CLAUDE.md")),
        decided(replace(mine, id="P-0003"), UNDONE),
        decided(replace(mine, id="P-0004"), WAITING),
    )
    (line,) = managed_lines(path, known(*entries))
    assert line.origin is not None
    assert line.origin.proposed.proposal == "P-0001"


def test_a_line_that_was_taken_over_is_of_the_later_adoption(tmp_path: Path) -> None:
    path = written(tmp_path, "- Use pnpm.")
    mine = changed(TWO, path=str(path))
    (line,) = managed_lines(path, known(decided(mine), decided(replace(mine, id="P-0007"))))
    assert line.origin is not None
    assert line.origin.proposed.proposal == "P-0007"


def test_through_a_link_the_same_lines_are_seen(tmp_path: Path) -> None:
    path = written(tmp_path, "- Use pnpm.")
    link = tmp_path / "AGENTS.md"
    link.symlink_to(path)
    (line,) = managed_lines(link, known(decided(changed(TWO, path=str(path)))))
    assert line.origin is not None


def test_a_file_without_our_part_has_no_managed_line(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("# Mine\n- Use pnpm.\n")
    assert managed_lines(tmp_path / "CLAUDE.md", known(decided(TWO))) == []


def test_a_file_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"NONE\.md isn't a file"):
        managed_lines(tmp_path / "NONE.md", ())


def test_lines_of_two_blocks_and_rules_known_by_their_words_are_traced(tmp_path: Path) -> None:
    path = written(tmp_path, "- Use pnpm.")
    path.write_text(path.read_text() + FILE.format("1. Use\n   tabs.") + "\n* Use tabs.\n\nMine: Use tabs.\n")
    lines = managed_lines(path, known(decided(changed(TWO, path=str(path)))))
    text = path.read_text().splitlines()
    assert [(text[line.number - 1].strip(), line.origin and line.origin.asked.said) for line in lines] == [
        ("- Use pnpm.", (PNPM,)),
        ("1. Use", (TABS,)),
        ("tabs.", (TABS,)),
        ("* Use tabs.", (TABS,)),
    ]
