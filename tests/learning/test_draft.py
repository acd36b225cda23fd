"""A draft is the best candidate that the attempts teach, with the fate of each of its edits."""

from typing import Any

from skillopt_sleep.learning.draft import Draft, draft
from skillopt_sleep.learning.learn import EditLimit, Teaching
from skillopt_sleep.protocols import StepRules
from skillopt_sleep.records import Fate, Purpose, Split
from tests.builders import a_document, a_rollout, a_task
from tests.fakes import Answers, FakeBackend
from tests.nights import an_optimizer, with_side

TASK = with_side(a_task(), split=Split.TRAIN)


def drafted(reply: Answers, **fields: Any) -> Draft:
    return draft(
        Teaching([[a_rollout(0.0)]], {TASK.id: TASK}, lambda score: score.soft),
        optimizer=an_optimizer(FakeBackend({Purpose.REFLECT: reply}), a_document("- Old.")),
        rules=StepRules(),
        limit=EditLimit(3, 3),
        refuse=fields.pop("refuse", lambda edit: ""),
        **fields,
    )


def test_the_edits_make_the_candidate() -> None:
    logged: list[str] = []
    made = drafted(
        {"edits": [{"op": "append", "content": "- New."}, {"op": "append", "content": "- Bad."}]},
        refuse=lambda edit: "unsafe" if "Bad" in edit.content else "",
        log=lambda stage, rows: logged.append(stage),
    )
    assert made.candidate.body == "- Old.\n- New."
    assert [fate.fate for fate in made.fates] == [Fate.APPLIED, Fate.REFUSED]
    assert logged == ["patches", "edits"]


def test_without_a_patch_the_document_stays_and_the_failed_calls_are_noted() -> None:
    made = drafted("no JSON")
    assert made.candidate.body == "- Old."
    assert (made.fates, len(made.notes)) == ((), 1)
