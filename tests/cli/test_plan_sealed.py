"""A plan says who would act in sealed copies, and how often; or why nobody does."""

from pathlib import Path

import pytest

from tests.cli.test_run_sealed import CLAUDE, CODEX, Part, Sleeper
from tests.command import Home
from tests.genuine import Programs


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
    asked = ("run", "--backend", "simulated", "--plan")
    made_with = home.command(*asked, "--json").json["sealed"]
    if made_with["why_not"]:
        pytest.skip("nothing can be sealed here")
    assert made_with["agent"] == "Claude Code"
    told = " ".join(home.command(*asked).out.split())
    assert "acts in copies of the repository, sealed by" in told
    assert "at most 30 calls, so the limit is enough for 66 attempts" in told


class Subscribed(Sleeper):
    """A person whose codex is logged in by ChatGPT."""

    @property
    def environment(self) -> dict[str, str]:
        environment = super().environment
        for name in ("SKILLOPT_SLEEP_TARGET_API_KEY_ENV", "SKILLOPT_SLEEP_TARGET_BASE_URL", "OPENAI_API_KEY"):
            del environment[name]
        return environment
