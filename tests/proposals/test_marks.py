"""Our rules in a file are known by our marks, or by their words where the marks are gone."""

from pathlib import Path

import pytest

from skillopt_sleep.errors import UnsafeEdit
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.block import BEGIN, END
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import MergeNeeded
from skillopt_sleep.proposals.rules import places
from skillopt_sleep.proposals.undo import Left, undo
from tests.proposals.staging import NOW, document, propose

BEFORE = "# shop\n\nA web shop.\n"
RULES = "- Use vitest, never jest.\n- Keep each function under forty lines, and say why in `docs/why_so.md`."
BLOCK = f"{BEGIN}\n{RULES}\n{END}\n"
TEAM = "\n## Team\n\nBe kind.\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    path = tmp_path / "shop" / "CLAUDE.md"
    path.write_text(BEFORE)
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "adoptions")


def adopted(path: Path, journal: Journal, body: str = RULES, number: str = "p1") -> Path:
    root = path.parents[2] if live.own_file(path) else path.parent
    folder, _ = propose(root.parent / "nights", path, root, body, number=number)
    adopt(folder, journal=journal, at=NOW)
    return folder


def agreed_undo(journal: Journal) -> None:
    try:
        undo("p1", journal=journal, at=NOW)
    except MergeNeeded as asked:
        undo("p1", journal=journal, at=NOW, agreed=asked.plan)


# two blocks ---------------------------------------------------------------------------------------------

DOUBLED = {
    "both alike": (f"{BEFORE}\n{BLOCK}{TEAM}\n{BLOCK}", BEFORE + TEAM),
    "one after the other": (f"{BEFORE}\n{BLOCK}\n{BLOCK}", BEFORE),
    "three": (f"{BEFORE}\n{BLOCK}{TEAM}\n{BLOCK}\n{BLOCK}mine\n", f"{BEFORE}{TEAM}mine\n"),
    "windows": (f"{BEFORE}\n{BLOCK}{TEAM}\n{BLOCK}".replace("\n", "\r\n"), (BEFORE + TEAM).replace("\n", "\r\n")),
    "no last line end": (f"{BEFORE}\n{BLOCK}{TEAM}\n{BLOCK}".rstrip("\n"), f"{BEFORE}{TEAM}".rstrip("\n")),
}


@pytest.mark.parametrize("name", DOUBLED)
def test_two_blocks_are_one_block_in_two_pieces(name: str, path: Path, journal: Journal) -> None:
    merged, without = DOUBLED[name]
    adopted(path, journal)
    path.write_bytes(merged.encode())
    assert document(path, path.parent).body == RULES
    undo("p1", journal=journal, at=NOW)
    assert path.read_bytes().rstrip(b"\r\n") == without.encode().rstrip(b"\r\n")


def test_a_change_of_ours_leaves_one_block_with_the_lines_of_both(path: Path, journal: Journal) -> None:
    adopted(path, journal)
    path.write_text(f"{BEFORE}\n{BLOCK}{TEAM}\n{BEGIN}\n- Use tabs.\n{RULES}\n{END}\n")
    body = document(path, path.parent).body
    assert body == f"{RULES}\n- Use tabs."
    adopted(path, journal, f"{body}\n- Use pnpm.", number="p2")
    assert path.read_text() == f"{BEFORE}\n{BEGIN}\n{RULES}\n- Use tabs.\n- Use pnpm.\n{END}\n{TEAM}"


def test_what_stands_in_two_blocks_already_is_not_written_again(path: Path, journal: Journal) -> None:
    folder = adopted(path, journal)
    merged = f"{BEFORE}\n{BLOCK}{TEAM}\n{BLOCK}"
    path.write_text(merged)
    assert not adopt(folder, journal=journal, at=NOW)
    assert path.read_text() == merged


# no markers ---------------------------------------------------------------------------------------------

LAYOUTS = {
    "markers": RULES,
    "bullets": RULES.replace("- ", "* "),
    "numbers": "1. Use vitest, never jest.\n2. Keep each function under forty lines, and say why in `docs/why_so.md`.",
    "wrapped": "- Use vitest,\n  never jest.\n- Keep each function under\n  forty lines, and say why in\n  `docs/why_so.md`.",
    "loose": RULES.replace("\n", "\n\n"),
    "escaped": "*   Use vitest, never jest.\n*   Keep each function under forty lines, and say why in `docs/why\\_so.md`.",
    "quoted": "> - Use vitest, never jest.\n> - Keep each function under forty\n>   lines, and say why in `docs/why_so.md`.",
    "turned round": "\n".join(reversed(RULES.split("\n"))),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("moved", [False, True])
def test_rules_without_markers_are_taken_out_whatever_their_layout(
    layout: str, moved: bool, path: Path, journal: Journal
) -> None:
    folder = adopted(path, journal)
    text = f"{BEFORE}\n{LAYOUTS[layout]}\n{TEAM}" if moved else f"{BEFORE}{TEAM}\n{LAYOUTS[layout]}\n"
    path.write_text(text)
    agreed_undo(journal)
    assert path.read_text() == BEFORE + TEAM

    path.write_text(text)  # by hand, or as git brings it back: outside of our markers it is the person's from now on
    with pytest.raises(UnsafeEdit, match="already"):
        adopt(folder, journal=journal, at=NOW)
    assert undo("p1", journal=journal, at=NOW).already
    assert path.read_text() == text


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rules_in_another_layout_between_the_markers_are_taken_out(layout: str, path: Path, journal: Journal) -> None:
    adopted(path, journal)
    path.write_text(f"{BEFORE}\n{BEGIN}\n\n{LAYOUTS[layout]}\n\n{END}\n{TEAM}")
    agreed_undo(journal)
    assert path.read_text() == BEFORE + TEAM


def test_rules_in_another_layout_in_a_file_of_our_own_are_taken_out(path: Path, journal: Journal) -> None:
    own = path.parent / live.RULES
    adopted(own, journal)
    own.write_text(f"{live.RULES_HEAD}{LAYOUTS['wrapped']}\n- mine\n")
    agreed_undo(journal)
    assert own.read_text() == f"{live.RULES_HEAD}- mine\n"


def test_only_the_rules_of_the_undone_proposal_are_touched(path: Path, journal: Journal) -> None:
    adopted(path, journal)
    adopted(path, journal, f"{RULES}\n- Use pnpm.", number="p2")
    path.write_text(f"{BEFORE}\n{LAYOUTS['wrapped']}\n* Use pnpm.\n{TEAM}")
    agreed_undo(journal)
    assert path.read_text() == f"{BEFORE}\n* Use pnpm.\n{TEAM}"


def test_a_rule_among_other_words_is_named_with_its_line_and_nothing_is_written(path: Path, journal: Journal) -> None:
    adopted(path, journal, "- Use vitest, never jest.")
    text = f"{BEFORE}\nUse tabs. Use vitest,\nnever jest. Be kind.\n"
    path.write_text(text)
    with pytest.raises(UnsafeEdit, match=r"CLAUDE\.md.*line 5"):
        undo("p1", journal=journal, at=NOW)
    assert path.read_text() == text
    path.write_text(BEFORE)
    assert undo("p1", journal=journal, at=NOW).files == {str(path): Left.NOTHING}


def test_a_line_that_the_person_had_before_stays(path: Path, journal: Journal) -> None:
    path.write_text(f"{BEFORE}\n* Use vitest, never jest.\n")
    adopted(path, journal, "- Use vitest, never jest.")
    path.write_text(f"{BEFORE}\n* Use vitest, never jest.\n")
    assert undo("p1", journal=journal, at=NOW).files == {str(path): Left.NOTHING}
    assert path.read_text() == f"{BEFORE}\n* Use vitest, never jest.\n"


# the person's own lines ---------------------------------------------------------------------------------

OWN = "\n## Tests\n\nUse vitest, never jest.\n"


def with_own(path: Path, journal: Journal) -> Path:
    """A rule is adopted, and the person writes the same sentence in a section of their own."""
    folder = adopted(path, journal, "- Use vitest, never jest.")
    path.write_text(path.read_text().replace(BEFORE, BEFORE + OWN))
    return folder


@pytest.mark.parametrize("written", ["before the undo", "after it"])
@pytest.mark.parametrize("text", [OWN, "\nUse tabs. Use vitest,\nnever jest. Be kind.\n"])
def test_what_stands_in_the_persons_part_after_an_undo_stays_theirs(
    written: str, text: str, path: Path, journal: Journal
) -> None:
    folder = adopted(path, journal, "- Use vitest, never jest.")
    if written == "before the undo":
        path.write_text(path.read_text().replace(BEFORE, BEFORE + text))
    undo("p1", journal=journal, at=NOW)
    path.write_text(BEFORE + text)
    line = (BEFORE + text).partition("Use vitest")[0].count("\n") + 1
    for _ in range(2):
        with pytest.raises(UnsafeEdit, match=rf"CLAUDE\.md.*line {line}.*already"):
            adopt(folder, journal=journal, at=NOW)
        assert undo("p1", journal=journal, at=NOW).already
        assert path.read_text() == BEFORE + text


def test_of_two_places_without_markers_none_goes_without_asking(path: Path, journal: Journal) -> None:
    with_own(path, journal)
    text = f"{BEFORE}{OWN}\n- Use vitest, never jest.\n"
    path.write_text(text)
    with pytest.raises(MergeNeeded):
        undo("p1", journal=journal, at=NOW)
    assert path.read_text() == text


NOT_THE_RULE = {
    "code": ("- make test", "```sh\nmake test\n```\n"),
    "code in a list": ("- make test", "- So:\n\n  ~~~~sh\n  ```\n  make test\n  ~~~~\n"),
    "another name": ("- Call run_tests", "- Call run tests\n"),
    "another pattern": ("- Read a*b", "- Read a b\n"),
    "two items": ("- Run make test first", "- Run make\n- test first\n"),
    "two quoted items": ("- Run make test first", "> 1. Run make\n> 2. test first\n"),
    "around code": ("- Run make test first", "Run make\n```\nx\n```\ntest first\n"),
}


@pytest.mark.parametrize("name", NOT_THE_RULE)
def test_what_only_has_the_words_of_a_rule_is_not_the_rule(name: str, path: Path, journal: Journal) -> None:
    rule, text = NOT_THE_RULE[name]
    adopted(path, journal, rule)
    path.write_text(f"{BEFORE}\n{text}{TEAM}")
    assert undo("p1", journal=journal, at=NOW).files == {str(path): Left.NOTHING}
    assert path.read_text() == f"{BEFORE}\n{text}{TEAM}"


@pytest.mark.parametrize(
    "text",
    ["**Use** *vitest*, never __jest.__", "1. Use **vitest**, never _jest_.", "```x\n```\nUse vitest, never jest."],
)
def test_emphasis_is_layout(text: str, path: Path, journal: Journal) -> None:
    adopted(path, journal, "- Use vitest, never jest.")
    path.write_text(f"{BEFORE}\n{text}\n{TEAM}")
    agreed_undo(journal)
    assert "jest" not in path.read_text()


def test_a_rule_with_code_is_known_with_its_code() -> None:
    rule = "- Run the tests so:\n\n  ```sh\n  make test\n  ```"
    code = "```sh\nmake test\n```"
    assert [(place.first, place.last) for place in places(rule, f"Mine\n{rule}\nmore".split("\n"))] == [(1, 5)]
    assert [(place.first, place.last) for place in places(code, f"```sh\nx\n```\n{code}".split("\n"))] == [(3, 5)]
