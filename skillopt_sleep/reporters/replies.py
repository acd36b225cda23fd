"""Show the optimizer's last replies for each document, and the last failure of each kind of call."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec

from skillopt_sleep.records import Purpose, Record
from skillopt_sleep.reporters.stages import head, rows

REPLY_CHARS = 2_000
FAILURE_CHARS = 400


class LastReply(Record, frozen=True, kw_only=True):
    """The head of the last reply to this kind of question about a document, as it came; `failure` says why it failed.

    The whole reply has so many `characters`; `calls` such questions were asked about the document, again and again
    with the same words counted once.
    """

    purpose: Purpose
    reply: str
    characters: int
    failure: str = ""
    calls: int = 1


class LastFailure(Record, frozen=True, kw_only=True):
    """The last failure of one kind of call, and how many of its `calls` failed."""

    purpose: Purpose
    failure: str
    about: str = ""
    failed: int = 1
    calls: int = 1


class LastCalls(NamedTuple):
    """The last replies about each document, by its redacted id, and the last failures, in order of purpose."""

    replies: dict[str, tuple[LastReply, ...]]
    failures: tuple[LastFailure, ...]


class _Call(msgspec.Struct):
    purpose: Purpose
    reply: str = ""
    failure: str = ""
    about: str = ""


def last_calls(folder: Path) -> LastCalls:
    """Return the last replies and failures of the calls that a night wrote into its folder."""
    calls: Counter[Purpose] = Counter()
    failed: Counter[Purpose] = Counter()
    failures: dict[Purpose, _Call] = {}
    replies: dict[str, dict[Purpose, LastReply]] = {}
    for call in rows(folder / "calls.jsonl", _Call):
        calls[call.purpose] += 1
        if call.failure:
            failed[call.purpose] += 1
            failures[call.purpose] = msgspec.structs.replace(
                call, reply="", failure=head(call.failure, FAILURE_CHARS)
            )
        if call.about:
            of_document = replies.setdefault(call.about, {})
            of_document[call.purpose] = _later(of_document.get(call.purpose), call)
    last: list[LastFailure] = []
    for purpose in Purpose:
        if purpose in failures:
            call = failures[purpose]
            last.append(
                LastFailure(
                    purpose=purpose,
                    failure=call.failure,
                    about=call.about,
                    failed=failed[purpose],
                    calls=calls[purpose],
                )
            )
    ordered = {name: tuple(of_document.values()) for name, of_document in replies.items()}
    return LastCalls(ordered, tuple(last))


def _later(known: LastReply | None, call: _Call) -> LastReply:
    return LastReply(
        purpose=call.purpose,
        reply=head(call.reply, REPLY_CHARS),
        characters=len(call.reply),
        failure=head(call.failure, FAILURE_CHARS),
        calls=1 + (known.calls if known else 0),
    )
