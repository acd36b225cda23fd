"""report.json: a night's report as plain data, in which a document's parts stand side by side."""

from typing import Any, cast

import msgspec

from skillopt_sleep.records.outcomes import ForLater, StepSessions, StepTasks, TestMeans, Tried
from skillopt_sleep.records.reports import NightReport

PARTS: dict[str, type[msgspec.Struct]] = {
    "tasks": StepTasks,
    "sessions": StepSessions,
    "tried": Tried,
    "test": TestMeans,
    "later": ForLater,
}
KEYS = (
    "document",
    "outcome",
    "because",
    "verdict",
    "candidate",
    "trial",
    "fresh",
    "edits",
    "tested",
    "effects",
    "waits",
    "early",
    "offered",
    "notebook",
    "scores",
    "compared",
    "train",
    "val",
    "test",
    "test_before",
    "test_after",
    "test_n",
    "test_interval",
    "evidence",
    "deeds",
    "text_only",
    "waiting",
    "needs_repository",
    "unfinished",
    "left",
    "sessions",
    "notes",
)
Fields = dict[str, Any]


def report_data(report: NightReport) -> Fields:
    """Return the report as dicts, lists and scalars, in the order of report.json."""
    data = cast("Fields", msgspec.to_builtins(report))
    data["documents"] = [_flat(document) for document in data["documents"]]
    return data


def read_report(text: bytes | str) -> NightReport:
    """Return the report of a report.json; msgspec.ValidationError or DecodeError if it isn't one."""
    data = msgspec.json.decode(text)
    if isinstance(data, dict):
        fields = cast("Fields", data)
        fields["documents"] = [_nested(document) for document in fields.get("documents", ())]
        data = fields
    return msgspec.convert(data, NightReport)


def _flat(document: Fields) -> Fields:
    fields = {key: value for key, value in document.items() if key not in PARTS}
    for part in PARTS:
        fields |= document[part]
    return {key: fields[key] for key in KEYS}


def _nested(document: Any) -> Any:
    if not isinstance(document, dict):
        return document
    fields = dict(cast("Fields", document))
    parts: Fields = {}
    for name, kind in PARTS.items():
        keys = kind.__struct_encode_fields__
        parts[name] = {key: fields.pop(key) for key in keys if key in fields}
    return fields | parts
