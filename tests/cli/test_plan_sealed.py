"""A plan says who would act in sealed copies, how often, and at what cost; or why nobody does."""

from pathlib import Path

import pytest

from skillopt_sleep.cli.plan_sealed import AheadSealed, sealed_data, sealed_lines
from skillopt_sleep.records import SealedReplay
from skillopt_sleep.settings import BudgetSettings
from tests.cli.test_run_sealed import CLAUDE, CODEX, Part, Sleeper
from tests.command import Home
from tests.genuine import Programs

MADE = SealedReplay(agent="Codex", version="0.169.0", seal="bubblewrap")


def test_the_calls_that_are_left_say_how_many_attempts_are_affordable() -> None:
    ahead = AheadSealed(MADE, tasks=3, turns=30)
    told = "\n".join(sealed_lines(ahead, BudgetSettings(calls=100)))
    assert "Codex (0.169.0) acts in copies of the repository, sealed by bubblewrap" in told
    assert "at most 30 calls, so the limit is enough for 3 attempts" in told
    data = sealed_data(ahead, BudgetSettings(calls=100))
    assert (data["attempts_affordable"], data["tokens_per_attempt"]) == (3, None)


def test_what_earlier_attempts_took_is_said() -> None:
    ahead = AheadSealed(MADE, tasks=0, turns=30, earlier=9, tokens=40_000)
    assert "typically 40,000 tokens (median of 9)" in "\n".join(sealed_lines(ahead, BudgetSettings()))


def test_without_a_seal_the_reason_and_what_helps_are_all_that_is_said() -> None:
    ahead = AheadSealed(SealedReplay(why_not="no seal holds", remedy="install bubblewrap"), tasks=3, turns=30)
    lines = list(sealed_lines(ahead, BudgetSettings()))
    assert lines == ["nothing is tried in a sealed copy: no seal holds", "what helps: install bubblewrap"]
    assert sealed_data(ahead, BudgetSettings())["attempts_affordable"] == 0


def test_a_plan_without_sealed_replays_says_nothing_of_them(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    assert "ealed" not in home.command("run", "--plan", "--backend", "simulated").out
    assert home.command("run", "--plan", "--json").json["sealed"] is None


@pytest.mark.cli
def test_a_login_that_cannot_be_pointed_at_the_relay_is_said_in_the_plan(tmp_path: Path, programs: Programs) -> None:
    home = Subscribed(tmp_path / "home", program=programs.codex, address="", model="gpt-5.5")
    Part(source=CODEX, command="make lint").had_by(home)
    home.stood_here()
    tokens = '{"auth_mode": "chatgpt", "tokens": {"id_token": "a.b.c", "access_token": "a.b.c", "refresh_token": "r", "account_id": "x"}}'
    (home.folder / ".codex" / "auth.json").write_text(tokens)
    plan = home.command("run", "--backend", "simulated", "--plan")
    assert plan.code == 0, plan.err
    told = " ".join(plan.out.split())
    assert "can't be pointed at another address" in told
    assert "what helps: log in with a key" in told


@pytest.mark.cli
def test_a_plan_names_agent_and_seal_and_says_how_many_attempts_are_affordable(
    tmp_path: Path, programs: Programs
) -> None:
    home = Sleeper(tmp_path / "home", program=programs.claude, address="http://127.0.0.1:9", model="claude-sonnet-5")
    Part(source=CLAUDE, command="make lint").had_by(home)
    home.stood_here()
    told = home.command("run", "--backend", "simulated", "--plan", "--json").json
    if told["sealed"]["made_with"]["why_not"]:
        pytest.skip("nothing can be sealed here")
    assert told["sealed"]["made_with"]["agent"] == "Claude Code"
    assert told["sealed"]["attempts_affordable"] == 2000 // told["sealed"]["calls_per_attempt_at_most"]
    assert told["sealed"]["earlier_attempts"] == 0


class Subscribed(Sleeper):
    """A person whose codex is logged in by ChatGPT."""

    @property
    def environment(self) -> dict[str, str]:
        environment = super().environment
        for name in ("SKILLOPT_SLEEP_TARGET_API_KEY_ENV", "SKILLOPT_SLEEP_TARGET_BASE_URL", "OPENAI_API_KEY"):
            del environment[name]
        return environment
