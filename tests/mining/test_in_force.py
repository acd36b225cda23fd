"""What the instructions in force already said is told from what they didn't."""

import pytest

from skillopt_sleep.mining.in_force import said_already
from skillopt_sleep.records import InForce
from tests.builders import a_session

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
