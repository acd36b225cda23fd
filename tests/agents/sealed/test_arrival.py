"""A document counts as arrived only if what was sent has its lines."""

import json
from pathlib import PurePosixPath

import pytest

from skillopt_sleep.agents.sealed.arrival import events, has_arrived, strings
from skillopt_sleep.protocols.acting import GivenDocument
from skillopt_sleep.records import DocumentKind

PLACE = PurePosixPath("/r/CLAUDE.md")
OLD = "# Rules\n\n- Use tabs in all of the files.\n"
NEW = "# Rules\n\n<!-- ours\n-->\n- Use spaces in all of the files.\n<!-- end -->\n"
LOADED = "# Rules\n\n- Use spaces in all of the files.\n"
SKILL = "---\nname: tabs\ndescription: >\n  When to use tabs,\n  and when not\n---\n\nNever use tabs.\n"


def arrived(sent: str) -> bool:
    body = json.dumps({"messages": [{"content": [{"text": f"Follow these:\n{sent}\nThanks."}]}]}).encode()
    return has_arrived(GivenDocument(PLACE, DocumentKind.MEMORY, NEW), body)


def skill_arrived(sent: object, text: str) -> bool:
    given = GivenDocument(PurePosixPath("/r/.agents/skills/tabs/SKILL.md"), DocumentKind.SKILL, text)
    return has_arrived(given, json.dumps(sent).encode())


def test_lines_without_the_comments_are_enough() -> None:
    assert arrived(LOADED)


@pytest.mark.parametrize("sent", [OLD, "# Rules", ""], ids=["old", "cut off", "nothing"])
def test_the_old_text_or_half_of_the_new_one_is_no_proof(sent: str) -> None:
    assert not arrived(sent)


def test_a_skill_is_proven_by_its_description_alone() -> None:
    assert skill_arrived({"input": ["- tabs: When to use tabs, and when not"]}, SKILL)
    assert not skill_arrived({}, SKILL)


def test_a_skill_without_a_description_proves_nothing() -> None:
    assert not skill_arrived("Never use tabs.", "Never use tabs.\n")


def test_what_is_no_json_has_no_texts() -> None:
    assert list(strings(b"\xff{")) == []
    assert list(strings(b"[" * 100_000)) == []
    assert list(events(b'{"a": 1}\nnonsense\n[1]\n{"b": 2}')) == [{"a": 1}, {"b": 2}]
