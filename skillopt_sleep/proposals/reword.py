"""Put a person's own wording in place of a proposed rule: guarded like any change, and untested."""

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import UnsafeEdit
from skillopt_sleep.proposals import guard, live
from skillopt_sleep.proposals.checked import problem
from skillopt_sleep.proposals.divide import restaged
from skillopt_sleep.proposals.stage import summary_of, write_files
from skillopt_sleep.proposals.warnings import warnings
from skillopt_sleep.records import NEVER_ALLOWED, EditOp, EditSource, FreshRound, Proof, Proposal


def wording(proposal: Proposal) -> str:
    """Return the words of the rule that a proposal adds or changes; raise UnsafeEdit if it has none to edit."""
    edits = proposal.edits
    if len(edits) != 1:
        raise UnsafeEdit(
            f"the {len(edits)} rules of {proposal.id} build on one another", remedy="take it or leave it"
        )
    if edits[0].op is EditOp.DELETE or edits[0].source is EditSource.SLOW:
        raise UnsafeEdit(f"{proposal.id} has no words to edit", remedy="take it or leave it")
    return edits[0].content


def reword(
    proposal: Proposal, folder: Path, content: str, *, allowed: Collection[str], silenced: Collection[str] = ()
) -> Proposal:
    """Write a proposal with this content in place of the rule of the one in this folder, beside it, and return it.

    Nothing that was measured is true of it. It is the person's own words, so it may say what those may, but nothing
    that nobody can allow: raises UnsafeEdit then. Warnings of the `silenced` kinds aren't given.
    """
    wording(proposal)
    edit = replace(proposal.edits[0], content=content)
    document, _ = live.load(Path(proposal.path), root=Path(proposal.root), name=proposal.document)
    own = replace(
        proposal,
        id=f"{proposal.id}.1",
        version=1,
        proof=Proof.EDITED,
        summary=summary_of((edit,), *(file.document for file in proposal.files)),
        before=None,
        after=None,
        n=0,
        solved=None,
        judges=(),
        interval=None,
        gain=None,
        fresh=FreshRound(),
        effects=(),
        guarded=0,
        error_rate="",
        one_model="",
        warnings=warnings((edit,), document=document, silenced=silenced),
        edits=(edit,),
    )
    written, texts = restaged(own, folder)
    quotes = [evidence.quote for evidence in own.evidence]
    for file, text in zip(own.files, texts, strict=True):
        path = Path(file.path)
        found = problem(
            own.edits,
            old=live.body(path, text.base),
            new=live.body(path, text.result),
            held=(text.base or b"").decode(errors="replace"),
            quotes=[*quotes, content],
            allowed=allowed,
        ) or _never_allowed(content, quotes, text.base)
        if found:
            raise UnsafeEdit(f"this can't go into {path}: {found}", remedy="word it otherwise")
    write_files(folder.with_name(written.id), written, texts)
    return written


def _never_allowed(content: str, quotes: Sequence[str], base: bytes | None) -> str:
    """Return what the content holds that not even its own writer can allow, such as a command that loading runs."""
    for refusal in guard.refusals(content, evidence=quotes, held=(base or b"").decode(errors="replace")):
        if refusal.kind in NEVER_ALLOWED:
            return refusal.why
    return ""
