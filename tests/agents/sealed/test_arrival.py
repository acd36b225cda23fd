"""A document counts as arrived only if what was sent and what the agent noted have its lines, and not the old ones."""

import json
from pathlib import PurePosixPath

import pytest

from skillopt_sleep.agents.sealed.arrival import arrival, events, said, strings
from skillopt_sleep.protocols.acting import Arrival, Given
from skillopt_sleep.records import DocumentKind

PLACE = PurePosixPath("/r/CLAUDE.md")
OLD = "# Rules\n\n- Use tabs in all of the files.\n"
NEW = "# Rules\n\n<!-- ours\n-->\n- Use spaces in all of the files.\n<!-- end -->\n"
LOADED = "# Rules\n\n- Use spaces in all of the files.\n"
SKILL = "---\nname: tabs\ndescription: >\n  When to use tabs,\n  and when not\n---\n\nNever use tabs.\n"


def proven(sent: str, recorded: str, *, text: str = NEW, instead_of: str = OLD) -> Arrival:
    body = json.dumps({"messages": [{"content": [{"text": f"Follow these:\n{sent}\nThanks."}]}]}).encode()
    given = Given(PLACE, DocumentKind.MEMORY, text, instead_of)
    return arrival(given, sent=body, recorded=[recorded], transcript=[])


def test_lines_without_the_comments_are_enough() -> None:
    assert proven(LOADED, LOADED) == Arrival(("request", "record"), (), opened=True)
    assert proven(LOADED, LOADED).proven


@pytest.mark.parametrize(
    ("sent", "recorded", "held"),
    [
        (OLD, OLD, ()),
        (OLD, LOADED, ("record",)),
        (LOADED, OLD, ("request",)),
        (LOADED + OLD, LOADED, ("record",)),  # the old text went along
        (LOADED, "", ("request",)),
        ("# Rules", "# Rules", ()),  # cut off
    ],
)
def test_each_proof_is_by_itself_and_one_that_is_missing_is_named(
    sent: str, recorded: str, held: tuple[str, ...]
) -> None:
    found = proven(sent, recorded)
    assert found.held == held
    assert set(found.held) | set(found.missing) == {"request", "record"}
    assert not found.proven


def test_a_document_that_was_taken_away_is_proven_by_its_absence() -> None:
    assert proven("", "", text="", instead_of=OLD).proven
    assert not proven(OLD, "", text="", instead_of=OLD).proven


def test_a_skill_is_proven_by_its_description_alone() -> None:
    given = Given(PurePosixPath("/r/.agents/skills/tabs/SKILL.md"), DocumentKind.SKILL, SKILL)
    listed = "- tabs: When to use tabs, and when not"
    sent = json.dumps({"input": [listed]}).encode()
    assert arrival(given, sent=sent, recorded=[listed], transcript=[]) == Arrival(
        ("request", "record"), (), opened=False
    )
    assert arrival(given, sent=sent, recorded=[listed], transcript=["body:\nNever use tabs."]).opened
    assert arrival(given, sent=b"{}", recorded=[listed], transcript=[]).missing == ("request",)


def test_an_old_description_must_not_have_been_listed() -> None:
    older = SKILL.replace("When to use tabs", "How to use spaces")
    given = Given(PLACE, DocumentKind.SKILL, SKILL, older)
    both = "- tabs: When to use tabs, and when not\n- tabs: How to use spaces, and when not"
    assert arrival(given, sent=json.dumps(both).encode(), recorded=[both], transcript=[]).held == ()


def test_a_skill_without_a_description_proves_nothing() -> None:
    given = Given(PLACE, DocumentKind.SKILL, "Never use tabs.\n")
    sent = json.dumps("Never use tabs.").encode()
    assert arrival(given, sent=sent, recorded=["Never use tabs."], transcript=[]).held == ()


def test_what_is_no_json_has_no_texts() -> None:
    assert list(strings(b"\xff{")) == []
    assert list(strings(b"[" * 100_000)) == []
    assert list(events(b'{"a": 1}\nnonsense\n[1]\n{"b": 2}')) == [{"a": 1}, {"b": 2}]
    assert list(said(b'{"a": {"b": ["x", 1, "y"]}}\n"z"')) == ["x", "y"]
