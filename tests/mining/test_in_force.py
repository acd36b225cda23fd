"""What the instructions in force already said is told from what they didn't."""

import pytest

from skillopt_sleep.mining.in_force import said_already, stands_already
from skillopt_sleep.records import Evidence, InForce, Task
from tests.builders import a_document, a_session, a_task

FILE = """# House rules

- Always use pnpm, never npm. Keep the lockfile.
- Answer in English, even if I write German.
- Never force push; open a pull request instead.
- Run `make lint` before every commit.
- Commit messages are in the imperative mood.
"""


@pytest.mark.parametrize(
    "wording",
    [
        "Use pnpm, never npm.",
        "Always use pnpm instead of npm",
        "Never force push, open a pull request instead",
        "Run `make lint` before every commit.",
        "Write commit messages in the imperative mood.",
    ],
)
def test_what_an_instruction_says_in_nearly_the_same_words_was_said(wording: str) -> None:
    session = a_session("fix it", instructions=(InForce(path="/p/CLAUDE.md", text=FILE),))
    assert said_already(session, wording)


@pytest.mark.parametrize(
    "wording",
    [
        "Use npm, never pnpm.",
        "Use bun, never npm.",
        "Always force push",
        "Run `make test` before every commit.",
        "Run `make lint` after every commit.",
        "Commit messages are in the past tense.",
        "Keep answers short.",
        "English",
        "",
    ],
)
def test_what_no_instruction_says_was_not(wording: str) -> None:
    session = a_session("fix it", instructions=(InForce(path="/p/CLAUDE.md", text=FILE),))
    assert not said_already(session, wording)


def test_without_instructions_nothing_was_said() -> None:
    assert not said_already(a_session("fix it"), "Use pnpm, never npm.")


@pytest.mark.parametrize(
    ("asked", "rule", "followed", "says"),
    [
        ("no, use pnpm here, never npm", "", False, "had it in 2 sessions and didn't follow it"),
        ("no, use pnpm here, never npm", "", True, "stands already in /p/style.md"),
        ("no, use bun here, never npm", "", False, ""),
        ("something else", "Use pnpm, never npm.", False, "had it in 2 sessions and didn't follow it"),
        ("no, use pnpm here, never npm", "For the api, use pnpm and never npm, not even once.", False, ""),
    ],
)
def test_it_is_told_where_a_rule_stands_and_how_often_the_agent_had_it(
    asked: str, rule: str, followed: bool, says: str
) -> None:
    document = a_document(loaded=(InForce(path="/p/style.md", text=FILE), InForce(path=a_document().path, text="")))
    tasks: list[Task] = []
    for session in ("claude_code:a", "claude_code:b"):
        said = (Evidence(session=session, turn=2, quote=asked),)
        tasks.append(a_task(session=session, evidence=said, not_followed=not followed))
    told = stands_already(document, [*tasks, *tasks], rule=rule)
    assert says in told
    assert bool(says) == bool(told)
    assert ("follow" in told) == (bool(says) and not followed)
    assert not stands_already(a_document(lead=FILE), tasks, rule=rule)
