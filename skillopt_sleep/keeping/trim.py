"""Take words out of the saved texts of a proposal and of its adoption, so that it can still be adopted or undone.

Both need our own rules only: what a change takes out and puts in. Whatever else stood in the file goes.
"""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import ProposalError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.checked import Text
from skillopt_sleep.proposals.diff import diff
from skillopt_sleep.proposals.entry import Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.plan import staged_text
from skillopt_sleep.proposals.stage import BASE, RESULT, write_files
from skillopt_sleep.records import Proposal

Holds = Callable[[bytes], bool]
HoldsLine = Callable[[str], bool]
Saved = tuple[bytes | None, bytes | None]


class Trimmed(NamedTuple):
    """A staged proposal without the words, with its texts; they are written to its folder."""

    folder: Path
    proposal: Proposal
    texts: Sequence[Text]

    def write(self) -> None:
        """Put the folder in the place of the one with the words."""
        beside = self.folder.with_name(f"{self.folder.name}.trimmed")
        write_files(beside, self.proposal, self.texts)
        shutil.rmtree(self.folder)
        beside.rename(self.folder)


class TrimmedEntry(NamedTuple):
    """An entry of the journal without the words, with the saved texts of its files."""

    journal: Journal
    entry: Entry
    texts: Sequence[Saved]

    def write(self) -> None:
        """Put it in the place of the entry with the words."""
        self.journal.forget(self.entry)
        self.journal.prepare(self.entry, *self.texts)


def trimmed(folder: Path, proposal: Proposal, holds: Holds, holds_line: HoldsLine) -> Trimmed | None:
    """Return the proposal with only our rules in its texts, without lines that hold the words.

    None if nothing is left of its own change, or if its texts can't be read.
    """
    texts: list[Text] = []
    files = list(proposal.files)
    try:
        for index, file in enumerate(files):
            path = Path(file.path)
            base = _ours(path, staged_text(folder, BASE, index, file.base, proposal), holds_line)
            result = _ours(path, staged_text(folder, RESULT, index, file.result, proposal), holds_line)
            if result is None or live.body(path, base) == live.body(path, result):
                return None
            texts.append(Text(base, result))
    except ProposalError:
        return None
    first, *others = texts
    copies = [
        replace(copy, base=digest(text.base), result=digest(text.result))
        for copy, text in zip(proposal.copies, others, strict=True)
    ]
    changed = replace(proposal, base=digest(first.base), result=digest(first.result), copies=tuple(copies))
    diffs = [diff(file.document, *text).encode() for file, text in zip(files, texts, strict=True)]
    kept = [to_json(changed), *diffs, *(data for text in texts for data in text if data is not None)]
    return None if any(map(holds, kept)) else Trimmed(folder, changed, texts)


def trimmed_entry(
    entry: Entry, journal: Journal, holds: Holds, holds_line: HoldsLine, *, made: str
) -> TrimmedEntry | None:
    """Return the entry with only our rules in its texts, as by `trimmed`; `made` is what its proposal results in."""
    texts: list[Saved] = []
    try:
        for index, file in enumerate(entry.files):
            path = Path(file.path)
            saved = journal.texts(entry, index)
            before, after = (_ours(path, text, holds_line) for text in saved)
            if live.body(path, before) == live.body(path, after):
                return None
            texts.append((before, after))
    except ProposalError:
        return None
    (before, after), *others = texts
    also = [
        replace(file, before=digest(before), after=digest(after))
        for file, (before, after) in zip(entry.also, others, strict=True)
    ]
    changed = replace(entry, before=digest(before), after=digest(after), also=tuple(also), taken_back=(), made=made)
    kept = [to_json(changed), *(text for saved in texts for text in saved if text is not None)]
    return None if any(map(holds, kept)) else TrimmedEntry(journal, changed, texts)


def _ours(path: Path, text: bytes | None, holds_line: HoldsLine) -> bytes | None:
    """Return a text with only our rules, without those lines that hold the words; None if there is no file."""
    if text is None:
        return None
    body = "\n".join(line for line in live.body(path, text).split("\n") if not holds_line(line))
    return live.change(path, None if live.own(path) else b"", "", body).data
