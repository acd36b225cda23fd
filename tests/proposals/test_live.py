"""A file of our own that a person writes in: their lines stay, and undo takes only ours."""

import tempfile
from datetime import timedelta
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.block import BEGIN, END
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import MergeNeeded
from skillopt_sleep.proposals.undo import undo
from tests.proposals.staging import NOW, RULE, document, propose

OWN = st.sampled_from([live.RULES, live.SKILL])
PLACES = st.integers(0, 9)
TEXTS = st.sampled_from(["- a rule of mine", "  indented", "café", "## Heading", "<!-- x -->"])
STEPS = st.tuples(st.sampled_from(["write", "write", "adopt", "undo"]), PLACES, TEXTS)


@pytest.mark.parametrize("above", ["- mine\n", '---\npaths: ["src/**"]\n---\n\n', "# My title\n\nwords\n\n"])
def test_lines_above_our_heading_block_no_undo_and_stay(tmp_path: Path, above: str) -> None:
    path, journal = tmp_path / "shop" / live.RULES, Journal(tmp_path / "adoptions")
    (tmp_path / "shop").mkdir()
    adopt(propose(tmp_path / "nights", path, tmp_path / "shop")[0], journal=journal, at=NOW)
    path.write_text(above + path.read_text())
    assert document(path, tmp_path / "shop").body == RULE
    undo("p1", journal=journal, at=NOW)
    assert path.read_text() == f"{above}{live.RULES_HEAD}"


@pytest.mark.parametrize("own", [live.RULES, live.SKILL])
@pytest.mark.parametrize("theirs", ["```sh\nmake\n", f"{BEGIN}\n- mine\n{END}\n", f"{END}\n"])
def test_a_marker_or_an_open_fence_in_a_file_of_ours_blocks_no_undo(
    tmp_path: Path, own: PurePath, theirs: str
) -> None:
    path, journal = tmp_path / "shop" / own, Journal(tmp_path / "adoptions")
    (tmp_path / "shop").mkdir()
    adopt(propose(tmp_path / "nights", path, tmp_path / "shop")[0], journal=journal, at=NOW)
    adopted = path.read_text()
    path.write_text(adopted + theirs)
    _agreed(path, journal)
    assert path.read_text() == adopted.replace(f"{RULE}\n", "") + theirs


@pytest.mark.parametrize("own", [live.RULES, live.SKILL])
def test_a_file_of_ours_without_its_head_is_undone_to_what_the_person_left(tmp_path: Path, own: PurePath) -> None:
    path, journal = tmp_path / "shop" / own, Journal(tmp_path / "adoptions")
    (tmp_path / "shop").mkdir()
    adopt(propose(tmp_path / "nights", path, tmp_path / "shop")[0], journal=journal, at=NOW)
    path.write_text(f"# Team rules\n\n- mine\n{RULE}\n- mine too\n")
    _agreed(path, journal)
    assert path.read_text() == "# Team rules\n\n- mine\n- mine too\n"


def _agreed(path: Path, journal: Journal, name: str = "p1") -> None:
    """Undo, and say yes to the merge."""
    try:
        undo(name, journal=journal, at=NOW)
    except MergeNeeded as asked:
        undo(name, journal=journal, at=NOW, agreed=asked.plan)


class Own:
    """A file of our own, three proposals for it, and the lines that its person wrote."""

    def __init__(self, folder: Path, own: PurePath) -> None:
        self.root = folder / "shop"
        self.root.mkdir()
        self.path = self.root / own
        self.head = len(live.SKILL_HEAD.splitlines()) if own == live.SKILL else 0  # frontmatter has to be first
        self.journal = Journal(folder / "adoptions")
        self.folders = [
            propose(folder / "nights", self.path, self.root, f"- rule {n}", number=f"p{n}")[0] for n in "123"
        ]
        self.live: set[int] = set()
        self.minutes = 0

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines(keepends=True) if self.path.exists() else []

    def theirs(self) -> list[str]:
        ours = {*live.RULES_HEAD.splitlines(), *live.SKILL_HEAD.splitlines(), "- rule 1", "- rule 2", "- rule 3", ""}
        return [line for line in self.lines() if line.rstrip("\n") not in ours]

    def write(self, place: int, text: str) -> None:
        """Write a line anywhere, if the file is there."""
        lines = self.lines()
        if lines:
            lines.insert(max(self.head, place % (len(lines) + 1)), f"{text} {self.minutes}\n")
            self.path.write_text("".join(lines))

    def change(self, kind: str, number: int) -> None:
        """Adopt or undo, saying yes to a merge; the person's lines stay as they are."""
        before = self.theirs()
        try:
            self._decide(kind, number, None)
        except MergeNeeded as asked:
            self._decide(kind, number, asked.plan)
        (self.live.add if kind == "adopt" else self.live.discard)(number)
        assert self.theirs() == before
        assert {n for n in range(3) if f"- rule {n + 1}\n" in self.lines()} == self.live

    def _decide(self, kind: str, number: int, plan: object) -> None:
        self.minutes += 1
        at = NOW + timedelta(minutes=self.minutes)
        if kind == "adopt":
            adopt(self.folders[number], journal=self.journal, at=at, agreed=plan)  # pyright: ignore[reportArgumentType]
        elif number in self.live:
            undo(f"p{number + 1}", journal=self.journal, at=at, agreed=plan)  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
@given(OWN, st.lists(STEPS, max_size=12))
@settings(max_examples=60, deadline=None)
def test_whatever_a_person_writes_in_a_file_of_ours_stays(own: PurePath, steps: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Own(Path(folder), own)
        for kind, place, text in steps:
            if kind == "write":
                file.minutes += 1
                file.write(place, text)
            else:
                file.change(kind, place % 3)
        for number in sorted(file.live):
            file.change("undo", number)
        assert file.path.exists() == bool(file.theirs())


def test_a_file_of_ours_that_an_undo_took_away_counts_as_no_edit_by_hand(tmp_path: Path) -> None:
    path, journal = tmp_path / "shop" / live.RULES, Journal(tmp_path / "adoptions")
    (tmp_path / "shop").mkdir()
    nights = tmp_path / "nights"
    adopt(propose(nights, path, tmp_path / "shop")[0], journal=journal, at=NOW)
    later, _ = propose(nights, path, tmp_path / "shop", f"{RULE}\n- later", number="p2")
    undo("p1", journal=journal, at=NOW)
    adopt(later, journal=journal, at=NOW)
    assert path.read_text() == f"{live.RULES_HEAD}- later\n"
