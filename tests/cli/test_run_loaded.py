"""A night with what the agent loads beside the document: it stands in every attempt, and isn't proposed again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import ASKS, Home
from tests.server import ModelServer

RULE = "- Use pnpm, never npm.\n"
PROJECT = "work/shop-api"
ASKED = ("--backend", "openai", "--model", "scripted-1", "--base-url")
ELSEWHERE = {
    "user_memory": {".claude/CLAUDE.md": RULE},
    "user_rules": {".claude/rules/y.md": RULE},
    "rules": {f"{PROJECT}/.claude/rules/x.md": RULE},
    "in_folder": {f"{PROJECT}/.claude/CLAUDE.md": RULE},
    "local": {f"{PROJECT}/CLAUDE.local.md": RULE},
    "import": {f"{PROJECT}/CLAUDE.md": "# shop\n\n@docs/style.md\n", f"{PROJECT}/docs/style.md": RULE},
    "agents_import": {f"{PROJECT}/CLAUDE.md": "@AGENTS.md\n", f"{PROJECT}/AGENTS.md": RULE},
    "above": {"work/CLAUDE.md": RULE},
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    # Claude Code's sessions only.
    for number in range(3):
        home.had_sessions(ASKS[number : number + 1], days_ago=number + 1)
    return home


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def write(home: Home, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = home.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("files", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_rule_that_stands_elsewhere_is_not_proposed_and_the_report_says_where(
    home: Home, files: dict[str, str]
) -> None:
    write(home, files)
    done = home.command("run", "--backend", "simulated", "--json")
    assert done.json["proposals"] == [], done.out
    (place,) = (name for name, text in files.items() if text == RULE)
    report = home.command("report", "--verbose").out
    assert f"stands already in ~/{place}" in " ".join(report.split())


def test_a_rule_that_stands_is_told_beside_another_that_is_proposed(home: Home) -> None:
    place = f"{PROJECT}/.claude/rules/tests.md"
    write(home, {place: "- Use pytest, never unittest.\n"})
    for number, ask in enumerate(("test the cart", "cover the parser", "add a test for login")):
        home.had_sessions(((ask, "no, use pytest, never unittest"),), days_ago=number + 0.5)
    done = home.command("run", "--backend", "simulated", "--json")
    (proposal,) = done.json["proposals"]
    assert "pnpm" in proposal["summary"]
    report = " ".join(home.command("report", "--verbose").out.split())
    assert f"«no, use pytest, never unittest» (it stands already in ~/{place})" in report
    why_not = " ".join(home.command("why", "use pytest, never unittest").out.split())
    assert f"stands already in ~/{place}" in why_not
    assert "later night" not in why_not


def test_what_no_agent_loads_changes_nothing(home: Home) -> None:
    write(
        home,
        {
            f"{PROJECT}/CLAUDE.md": "# shop\n\n```\n@docs/style.md\n```\n",
            f"{PROJECT}/docs/style.md": RULE,
            f"{PROJECT}/.claude/rules/ts.md": f'---\npaths: "**/*.ts"\n---\n{RULE}',
            f"{PROJECT}/web/CLAUDE.md": RULE,
        },
    )
    done = home.command("run", "--backend", "simulated", "--json")
    assert len(done.json["proposals"]) == 1, done.out


def test_both_arms_are_asked_with_all_that_is_loaded_and_it_stands_first(
    home: Home, model_server: ModelServer
) -> None:
    secret = "ghp_" + "a1B2" * 9
    write(home, {".claude/CLAUDE.md": f"- Answer in English.\n- The token is {secret}\n"})
    write(home, {f"{PROJECT}/CLAUDE.local.md": "- Be brief.\n"})
    done = home.night(model_server.base_url)
    assert len(done.json["proposals"]) == 1, done.out
    asked = [one.prompt for one in model_server.asked("rollout")]
    with_rule = [prompt for prompt in asked if "pnpm" in prompt.partition("# Request")[0]]
    assert with_rule
    assert len(with_rule) < len(asked)
    for prompt in asked:
        memory, own, local = (
            prompt.index(text) for text in ("Answer in English", "Tests run with vitest", "Be brief")
        )
        assert memory < own < local < prompt.index("# Request")
        assert secret not in prompt
    assert len({prompt.partition("# shop-api")[0] for prompt in asked}) == 1
    assert "Answer in English" not in home.command("report", "--json").out
    sends = home.command("run", "--plan", *ASKED, model_server.base_url, "--again", "--since", "30d").out
    assert "all instruction files that your agent loads" in sends


def test_a_file_of_more_than_100_kb_is_left_out_and_named(home: Home, model_server: ModelServer) -> None:
    write(home, {".claude/CLAUDE.md": "x" * 100_001, f"{PROJECT}/CLAUDE.md": "# shop-api\n" + "y" * 100_001})
    done = home.night(model_server.base_url)
    assert max(len(one.prompt) for one in model_server.requests) < 50_000
    assert len(done.json["proposals"]) == 1
    assert ".claude/rules/skillopt-sleep.md" in str(home.command("review", "--show", "--json").out)
    report = " ".join(home.command("report", "--verbose").out.split())
    assert f"{home.folder / PROJECT / 'CLAUDE.md'} has more than 100 kB" in report
    assert f"{home.folder / '.claude/CLAUDE.md'} is left out of attempts" in report


def test_what_is_loaded_is_left_out_and_named_where_all_of_it_passes_100_kb(
    home: Home, model_server: ModelServer
) -> None:
    write(home, {f"{PROJECT}/.claude/rules/{number}.md": str(number) * 45_000 for number in range(4)})
    done = home.night(model_server.base_url)
    assert len(done.json["proposals"]) == 1
    assert 90_000 < max(len(one.prompt) for one in model_server.asked("rollout")) < 110_000
    report = " ".join(home.command("report", "--verbose").out.split())
    assert len([number for number in range(4) if f"rules/{number}.md is left out of attempts" in report]) == 2
