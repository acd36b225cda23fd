"""Make a waiting proposal again for files that changed around our part: what proved it still holds."""

from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import StaleProposal
from skillopt_sleep.proposals import live, paths
from skillopt_sleep.proposals.checked import Text
from skillopt_sleep.proposals.copies import CopiedFile, copied_file
from skillopt_sleep.records import Proposal

RESULT = "result"


def renewed(old: Proposal, folder: Path) -> tuple[Proposal, list[CopiedFile]] | None:
    """Return the next version of the proposal in this folder, for its files as they are now; None if none changed.

    Raises a ProposalError if our part of a file changed, or if a file can't be edited.
    """
    files = [_file(old, index, folder) for index in range(len(old.files))]
    first, *copies = [file.copy for file in files]
    if (first, *copies) == old.files:
        return None
    proposal = replace(
        old,
        version=old.version + 1,
        base=first.base,
        result=first.result,
        sha=first.sha,
        copies=tuple(copies),
    )
    return proposal, files


def _file(old: Proposal, index: int, folder: Path) -> CopiedFile:
    """Return one file of the proposal as it is now, with the rules that are proposed for it."""
    file = old.files[index]
    path = Path(file.path)
    document, data = live.load(path, root=Path(old.root), name=file.document)
    if document.body_sha != file.body:
        raise _stale(old, f"the rules in {path} changed")
    try:
        proposed = (folder / paths.numbered(RESULT, index)).read_bytes()
    except OSError as error:
        raise _stale(old, f"its new text is missing: {error}") from error
    if paths.digest(proposed) != file.result:
        raise _stale(old, "its new text was changed since it was staged")
    result = live.change(path, data, document.body, live.body(path, proposed)).data
    return copied_file(document, Text(data, result))


def _stale(old: Proposal, because: str) -> StaleProposal:
    return StaleProposal(
        f"{old.id} can't be made again for its changed file: {because}",
        remedy=f"reject it, and it is learned again: skillopt-sleep reject {old.id}",
    )
