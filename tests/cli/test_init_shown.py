from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.cli.init import WrittenConfig, written_lines
from skillopt_sleep.cli.init_asked import Offer
from skillopt_sleep.cli.init_shown import leaving_lines, next_lines
from skillopt_sleep.cli.plan import Ahead
from skillopt_sleep.night.account import Account, ProjectCounts
from skillopt_sleep.night.harvest import Harvest
from skillopt_sleep.records import SessionCounts
from skillopt_sleep.settings import BackendSettings, BudgetSettings, HarvestSettings, RoleSettings, Settings

AHEAD = Ahead(
    harvested=Harvest(sessions=(), counts=SessionCounts(seen=5, used=5)),
    projects=Counter({"/work/shop": 5}),
    reviewed=0,
    is_empty=False,
    corrected=3,
    likely=(10, 12),
    budget=BudgetSettings(),
    known=0,
    made=(),
)
NOTHING = AHEAD._replace(harvested=Harvest(sessions=(), counts=SessionCounts()))


def with_backend(name: str, *, confirmed: bool = False, usd: float = 0.0) -> Settings:
    backend = BackendSettings(name=name, model="m", confirmed=confirmed)  # pyright: ignore[reportArgumentType]
    return Settings(backend=backend, budget=BudgetSettings(usd=usd))


def leaving(settings: Settings, offer: Offer | None = None) -> str:
    return "\n".join(leaving_lines(settings, AHEAD, offer, older=0))


def account(*rows: ProjectCounts) -> Account:
    numbers = dict.fromkeys(
        ("copies", "copied", "doubles", "task_files", "tasks", "older", "later", "remembered", "spoiled"), 0
    )
    return Account(sessions=(), skipped={}, damage=(), rows=rows, **numbers)  # pyright: ignore[reportArgumentType]


def test_a_project_of_several_agents_is_one_and_one_without_a_session_is_none() -> None:
    rows = (
        ProjectCounts("claude_code", "/a", files=3, sessions=3, prompts=5),
        ProjectCounts("codex", "/b", files=2, sessions=3, prompts=4),
        ProjectCounts("claude_code", "/b", files=1, sessions=1, prompts=3),
        ProjectCounts("claude_code", "/unused", files=4),
    )
    assert account(*rows).projects == (
        ProjectCounts("Claude Code", "/a", files=3, sessions=3, prompts=5),
        ProjectCounts("Codex, Claude Code", "/b", files=3, sessions=4, prompts=7),
    )


@pytest.mark.parametrize("name", ["", "simulated"])
def test_where_nobody_outside_answers_nothing_leaves(name: str) -> None:
    assert leaving(with_backend(name)).startswith("Nothing would leave this machine")


def test_a_night_that_somebody_answers_by_hand_costs_nothing_itself_and_never_starts_by_itself() -> None:
    settings = with_backend("handoff", confirmed=True)
    assert "$" not in leaving(settings)
    (step,) = next_lines(settings, AHEAD)
    assert "skillopt-sleep run " in step


def test_a_subscription_costs_quota_and_no_dollars() -> None:
    offer = Offer("claude", ready=True, says="max", subscription=True)
    said = leaving(with_backend("claude"), offer)
    assert "none: your login is a subscription" in said
    assert "uses up your subscription's own limits" in said
    assert "own limits" not in leaving(with_backend("claude"))
    assert "12 calls now, and never more than 300 calls, 2,000,000 tokens, 60 minutes a night" in leaving(
        with_backend("claude")
    )


def test_where_other_models_attempt_or_grade_they_are_named_and_paid_for() -> None:
    offer = Offer("claude", ready=True, says="max", subscription=True)
    target = RoleSettings(name="anthropic", model="claude-opus-4-1")

    said = leaving(replace(with_backend("claude"), target=target), offer)
    assert "claude m at its own login, anthropic claude-opus-4-1 at https://api.anthropic.com" in said
    assert "as Claude Code reports them" in said
    assert "your login is" not in said
    assert "subscription's own limits" in said

    said = leaving(replace(with_backend("simulated"), target=target))
    assert "claude-opus-4-1" in said
    assert "$150.00 a night at most" in said


@pytest.mark.parametrize(
    ("name", "address", "where"),
    [
        ("openai", "http://127.0.0.1:8000/v1", "goes to the server at 127.0.0.1:8000 on this machine (m)"),
        ("anthropic", "http://[::1]:8000", "to       m at http://[::1]:8000 (on this machine)\n"),
        ("openai", "https://llm.example/v1", "to       m at https://llm.example/v1\n"),
        ("openai", "", "to       openai m at https://api.openai.com/v1\n"),
        ("claude", "https://llm.example", "to       claude m at https://llm.example\n"),
        ("handoff", "", "to       a folder, for you or your agent to answer\n"),
        ("auto", "", "to       the agent that is logged in\n"),
    ],
)
def test_it_says_who_is_sent_to_and_never_a_provider_who_is_not(name: str, address: str, where: str) -> None:
    backend = replace(with_backend(name).backend, base_url=address)
    assert where in leaving(Settings(backend=backend))


def test_sessions_of_both_agents_go_to_the_one_that_answers() -> None:
    both = "sessions of Claude Code and of Codex: all go to the one that answers"
    assert both in leaving(with_backend("claude"))
    only = replace(with_backend("claude"), harvest=HarvestSettings(sources=("codex",)))
    assert "the one that answers" not in leaving(only)


def test_an_unknown_price_is_unknown_and_says_what_a_limit_then_does() -> None:
    assert "as Claude Code reports them" in leaving(with_backend("claude"))
    assert "at its first call" not in leaving(with_backend("claude", usd=2.0))
    assert "unknown: no price is known for this model" in leaving(with_backend("openai"))
    assert "stops at its first call" in leaving(with_backend("openai", usd=2.0))


def test_the_next_step_names_the_backend_where_it_is_not_confirmed() -> None:
    first, second = next_lines(with_backend("claude"), AHEAD)
    assert "skillopt-sleep run --backend claude" in first
    assert "skillopt-sleep init --yes --backend claude" in second
    first, second = next_lines(with_backend("claude", confirmed=True), AHEAD)
    assert "skillopt-sleep run  " in first
    assert "skillopt-sleep install" in second
    assert "04:17" in second


@pytest.mark.parametrize(("other", "model"), [("openai", True), ("claude", False), ("handoff", False)])
def test_another_backend_is_named_by_a_command_that_is_not_refused(other: str, model: bool) -> None:
    _, second = next_lines(with_backend("codex"), AHEAD, others=[other])
    assert f"init --yes --backend {other} " in second
    assert ("--model NAME" in second) is model


def test_the_next_step_is_the_example_where_there_is_nothing_to_read() -> None:
    assert "run --example" in next(next_lines(with_backend("claude"), NOTHING))


def test_a_new_file_is_shown_whole_and_a_changed_one_by_what_changed() -> None:
    path = Path("config.toml")
    assert list(written_lines(WrittenConfig(path, "# head\n\n[a]\nb = 1\n"))) == [
        "Wrote config.toml",
        "  # head",
        "  [a]",
        "  b = 1",
    ]
    changed = written_lines(WrittenConfig(path, "", Path("old.toml"), "--- before\n+++ now\n-b = 1\n+b = 2"))
    assert list(changed) == ["Wrote config.toml", "  -b = 1", "  +b = 2", "Backup of the old file: old.toml"]


def test_what_is_sent_to_ones_own_machine_is_not_said_to_leave_it() -> None:
    assert "leave" not in leaving(with_backend("openai"))
