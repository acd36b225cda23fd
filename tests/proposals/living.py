"""A person's file that lives between a night, an adoption and an undo, beside what it would be without us."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from skillopt_sleep.proposals import block
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.proposals.undo import undo
from tests.proposals.staging import NOW, document, propose

BOM = b"\xef\xbb\xbf"
OURS = re.compile(rb"(?:[-*+]|\d+\.) rule\s+\d+")


class Living:
    """A file, edited by its person and by us, and the person's own text: before, in and after our block."""

    def __init__(self, folder: Path, start: bytes) -> None:
        self.root = folder / "shop-api"
        self.root.mkdir()
        self.path = self.root / "CLAUDE.md"
        self.journal = Journal(folder / "adoptions")
        self.nights = folder / "nights"
        self.path.write_bytes(start)
        self.before, self.inside, self.after = start, list[bytes](), b""
        self.proposals: dict[str, Path] = {}
        self.by_hand = False  # the block was edited, so a merge may ask
        self.exact = True  # the person's text is known to the byte, not only to the line
        self.written = 0

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return self.path.read_bytes()

    @data.setter
    def data(self, data: bytes) -> None:
        self.path.write_bytes(data)

    @property
    def eol(self) -> bytes:
        return b"\r\n" if b"\r\n" in self.data else b"\n"

    def stage(self) -> None:
        """A night proposes one more rule for the file as it is."""
        try:
            self.data.decode()
        except UnicodeDecodeError:
            return
        name = f"p{len(self.proposals) + 1}"
        body = document(self.path, self.root).body
        rule = f"- rule {len(self.proposals) + 1}"
        self.proposals[name], _ = propose(
            self.nights, self.path, self.root, f"{body}\n{rule}".strip("\n"), number=name
        )

    def adopt(self, name: str) -> None:
        """The person says yes to a proposal."""
        before, stood = self.lines(), self.count(name)
        self._agreed(lambda plan: adopt(self.proposals[name], journal=self.journal, at=self.now(), agreed=plan))
        assert 1 <= self.count(name) <= max(stood, 1)
        assert self.lines() == before

    def undo(self, name: str) -> None:
        """The person takes a proposal back."""
        if self.journal.get(name) is None:
            return
        before = self.lines()
        self._agreed(lambda plan: undo(name, journal=self.journal, at=self.now(), agreed=plan))
        assert self.count(name) == 0
        assert self.lines() == before
        if not any(entry.state is AdoptionState.DONE for entry in self.journal.entries()):
            self.check_only_theirs()
            self.before, self.inside, self.after = self.data, [], b""

    def count(self, name: str) -> int:
        """How often the rule of a proposal stands in our blocks, or in the file without them; in two blocks is once."""
        rule = re.compile(rb"(?:[-*+]|\d+\.) rule\s+%s\b" % name[1:].encode())
        in_blocks = [bool(rule.search(self.data[one.start : one.end])) for one in block.find(self.data)]
        return max(len(rule.findall(self.data)) - max(sum(in_blocks) - 1, 0), 0)

    def _agreed(self, act: Callable[[Plan | None], object]) -> None:
        try:
            act(None)
        except MergeNeeded as asked:
            assert self.by_hand, "asked though nobody edited the block"
            act(asked.plan)

    def now(self):  # noqa: ANN201 - a datetime
        self.written += 1
        return NOW + timedelta(minutes=self.written)

    def lines(self) -> list[bytes]:
        """The person's lines that aren't blank, in their order; those of ours are left out."""
        found: list[bytes] = []
        for line in self.data.removeprefix(BOM).splitlines():
            text = line.strip()
            if text and not OURS.fullmatch(text) and text.decode(errors="replace") not in (block.BEGIN, block.END):
                found.append(text)
        return found

    def check_only_theirs(self) -> None:
        """Nothing of ours is in the file; every byte that is the person's is."""
        data = self.data
        assert block.BEGIN.encode() not in data
        assert not OURS.search(data)
        theirs = self.before + b"".join(self.inside) + self.after
        if self.exact and not self.inside:
            assert data == theirs
        else:
            pieces = (self.before, *self.inside, self.after)
            wanted = [line.strip() for piece in pieces for line in piece.removeprefix(BOM).splitlines()]
            # Where we or a person moved lines, their order is known between two commands only.
            assert sorted(self.lines()) == sorted(line for line in wanted if line and not OURS.fullmatch(line))

    def put_before(self, place: int, text: bytes) -> None:
        """Write a line somewhere before the block."""
        starts = [len(BOM) if self.before.startswith(BOM) else 0]
        starts += [match.end() for match in re.finditer(rb"\r?\n", self.before)]
        at = starts[place % len(starts)]
        line = text + self.eol
        self.data = self.before[:at] + line + self.data[at:]
        self.before = self.before[:at] + line + self.before[at:]

    def put_after(self, text: bytes) -> None:
        """Write a line at the end of the file, as an editor does it."""
        data = self.data
        ended = not data.removeprefix(BOM) or data.endswith(b"\n")
        line = (b"" if ended else self.eol) + text + self.eol
        if data == self.before:
            self.before += line
        else:
            self.after += line
        self.data = data + line

    def put_inside(self, place: int, text: bytes) -> None:
        """Write a line inside the block."""
        if not block.find(self.data):
            return
        found, *_ = block.find(self.data)
        self.by_hand = True
        lines = self.data[found.body_start : found.body_end].splitlines(keepends=True)
        line = text + self.eol
        lines.insert(place % (len(lines) + 1), line)
        self.data = self.data[: found.body_start] + b"".join(lines) + self.data[found.body_end :]
        self.inside = [one for one in lines if not OURS.fullmatch(one.strip())]

    def end_lines(self, eol: bytes) -> None:
        """Save the file with other line ends."""
        self.data = re.sub(rb"\r?\n", eol, self.data)
        self.before, self.after = (re.sub(rb"\r?\n", eol, text) for text in (self.before, self.after))
        self.inside = [re.sub(rb"\r?\n", eol, line) for line in self.inside]

    def mark(self) -> None:
        """Save the file with a byte order mark, or without it."""
        if self.data.startswith(BOM):
            self.data, self.before = self.data.removeprefix(BOM), self.before.removeprefix(BOM)
        else:
            self.data, self.before = BOM + self.data, BOM + self.before

    def move_block(self) -> None:
        """Cut the block out and paste it at the top."""
        if len(block.find(self.data)) != 1:
            return
        (found,) = block.find(self.data)
        data = self.data
        cut = data[found.start : found.end]
        mark = BOM if data.startswith(BOM) else b""
        rest = (data[: found.start] + data[found.end :]).removeprefix(mark)
        self.data = mark + cut.lstrip(b"\r\n").rstrip(b"\r\n") + self.eol + rest
        self.before, self.after = mark, rest
        self.exact = False

    def double(self) -> None:
        """Merge a branch whose block stands further down."""
        found = block.find(self.data)
        if not found or self.inside:
            return
        self.by_hand, self.exact = True, False
        data = self.data
        if not data.endswith(b"\n"):
            data += self.eol
            self.after += self.eol
        self.data = data + self.eol + data[found[0].start : found[0].end].strip() + self.eol

    def unmark(self) -> None:
        """Take the markers away, as some formatters do with comments."""
        if not block.find(self.data):
            return
        self.by_hand, self.exact = True, False
        marks = (block.BEGIN.encode(), block.END.encode())
        bom = BOM if self.data.startswith(BOM) else b""
        kept = [line for line in self.data.removeprefix(bom).splitlines(keepends=True) if line.strip() not in marks]
        self.data = bom + b"".join(kept)
        first = next((at for at, line in enumerate(kept) if OURS.fullmatch(line.strip())), len(kept))
        self.before, self.inside = bom + b"".join(kept[:first]), []
        self.after = b"".join(line for line in kept[first:] if not OURS.fullmatch(line.strip()))

    def format(self, place: int) -> None:
        """Write our rules with another bullet."""
        self.by_hand, self.exact = True, False
        bullet = [b"*", b"+", b"1."][place % 3]
        self.data = re.sub(rb"^(?:[-*+]|\d+\.)(?= rule \d+\r?$)", bullet, self.data, flags=re.MULTILINE)
