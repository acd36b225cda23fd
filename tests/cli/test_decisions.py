from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from skillopt_sleep.cli.decisions import say_preview, with_consent
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.proposals.written import Move


def a_plan(old: bytes = b"one\n", new: bytes | None = b"two\n") -> Plan:
    move = Move("/p/CLAUDE.md", Path("/p/CLAUDE.md"), old, new, None)
    return Plan((move,), ("/p/CLAUDE.md",))


def test_a_yes_beforehand_takes_the_merge_that_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    plan, seen = a_plan(), list[Mapping[str, Plan]]()

    def act(agreed: Mapping[str, Plan]) -> Sequence[SleepError]:
        seen.append(dict(agreed))
        return () if agreed else (MergeNeeded(plan, "P-0001", "adopt"),)

    with_consent(act, yes=True)
    assert seen == [{}, {"P-0001": plan}]
    assert "+two" in capsys.readouterr().out


def test_a_file_that_changes_after_the_yes_is_not_asked_about_for_ever() -> None:
    with pytest.raises(MergeNeeded):
        with_consent(lambda _agreed: (MergeNeeded(a_plan(), "P-0001", "adopt"),), yes=True)


def test_every_error_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    errors = [ConfigError("first", remedy="do this"), ConfigError("second")]
    with pytest.raises(ConfigError, match="second"):
        with_consent(lambda _agreed: errors, yes=False)
    assert "first" in capsys.readouterr().err


def test_a_preview_shows_what_all_decisions_together_change(capsys: pytest.CaptureFixture[str]) -> None:
    say_preview(a_plan().then(a_plan(b"two\n", b"three\n")))
    out = capsys.readouterr().out
    assert "-one\n+three" in out
    assert "two" not in out
