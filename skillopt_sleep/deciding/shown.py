"""Tell whether something is still as a person saw it before they decided."""

import hashlib
from collections.abc import Iterable

from skillopt_sleep.deciding.read import Waiting
from skillopt_sleep.kit.codec import to_json


def shown_of(waiting: Waiting) -> str:
    """Return a digest of what a rule would do: its words, its proof, and each file as it is and as it would be."""
    proposal = waiting.proposal
    edits = [(edit.op, edit.target, edit.content) for edit in proposal.edits]
    changes = [tuple(change) for change in waiting.rule.changes]
    return digest_of(
        (proposal.id, proposal.version, proposal.proof, proposal.n, edits, changes, waiting.rule.cautions)
    )


def digest_of(parts: Iterable[object]) -> str:
    """Return a short digest of these values, which another one of them doesn't have."""
    return hashlib.sha256(to_json(list(parts))).hexdigest()[:32]
