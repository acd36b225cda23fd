"""What is collected while a session is read."""

import pytest

from skillopt_sleep.agents.transcripts.draft import MOST_ITEMS, DraftCall, DraftMessage, SessionDraft, brief_of
from skillopt_sleep.records import Origin


def test_a_draft_is_full_by_its_texts_or_by_their_number() -> None:
    draft = SessionDraft()
    for _ in range(9):
        draft.add(DraftMessage(Origin.USER, "x" * 10_000_000))
    assert not draft.is_full
    assert max(len(item.text) for item in draft.items if isinstance(item, DraftMessage)) < 50_000
    for _ in range(392):
        draft.add(DraftMessage(Origin.USER, "x" * 20_000))
    assert draft.is_full
    many = SessionDraft(items=[DraftCall("Bash", "") for _ in range(MOST_ITEMS - 2)])
    for is_full in (False, True):
        many.add(DraftCall("Bash", ""))
        assert many.is_full == is_full


@pytest.mark.parametrize(
    ("given", "brief"),
    [
        ('{"command": ["bash", "-lc", "make lint"]}', "make lint"),
        ('{"file_path": "/p/a.py", "description": "x"}', "/p/a.py"),
        ('{"query": "pnpm"}', "pnpm"),
        ('{"command": 3}', ""),
        ("no JSON", ""),
    ],
)
def test_a_call_is_told_by_its_command_file_or_address(given: str, brief: str) -> None:
    assert brief_of(given) == brief
