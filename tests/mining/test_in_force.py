"""What the instructions in force already said is told from what they didn't."""

import pytest

from skillopt_sleep.mining.in_force import said_already, stands_already
from skillopt_sleep.records import BY_HAND, Document, Evidence, InForce, Task
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


@pytest.mark.parametrize(
    ("sentence", "wording", "said"),
    [
        ("Antworte immer auf Deutsch.", "Antworte bitte auf Deutsch!", True),
        ("Antworte nie auf Deutsch.", "Antworte auf Deutsch.", False),
        ("Lance `make lint` avant `make test`.", "Lance make lint avant make test", True),
        ("Lance `make test` avant `make lint`.", "Lance make lint avant make test", False),
        ("No uses npm, usa pnpm.", "No uses nunca npm; usa pnpm", True),
        ("请总是用中文回答。", "用中文回答", True),
        ("不要用中文回答。", "用中文回答", False),
        ("Ask before you push to main.", "Push to main.", False),
        ("Use C++.", "Use C.", False),
        ("Every new screen goes behind a feature flag.", "Put every new screen behind a feature flag.", True),
        ("Drafts go to out/, not to results/.", "Drafts go to results/, not to out/.", False),
    ],
)
def test_the_same_words_say_the_same_in_any_language_unless_denied_or_turned(
    sentence: str, wording: str, *, said: bool
) -> None:
    session = a_session("fix it", instructions=(InForce(path="/p/CLAUDE.md", text=sentence),))
    assert said_already(session, wording) is said


def test_without_instructions_nothing_was_said() -> None:
    assert not said_already(a_session("fix it"), "Use pnpm, never npm.")


def loaded(text: str) -> Document:
    """A document beside another file with this text, which Claude Code loads."""
    files = (InForce(path="/p/style.md", text=text), InForce(path=a_document().path, text=""))
    return a_document(loaded=files, loaded_by="claude_code")


@pytest.mark.parametrize(
    ("text", "rule", "stands"),
    [
        ("- Use pnpm,\n  **never** npm", "- Use pnpm, never npm.", True),
        ("# Tools\nKeep it short. use `pnpm`.", "- Use pnpm.", True),
        ("Always use pnpm instead of npm.", "- Use pnpm, never npm.", True),
        ("- Use tabs.\n- Be brief.", "- Be brief.\n- Use tabs.", True),
        ("Use tabs in Makefiles.", "Use tabs.", False),
        ("In Makefiles, use tabs, never spaces.", "Use tabs, never spaces.", False),
        ("Ask before you push to main.", "Push to main.", False),
        ("Unless it is urgent,\npush to main.", "Push to main.", False),
        ("We used to use pnpm, but not any more.", "Use pnpm.", False),
        ("Old rule (obsolete): use vitest, never jest.", "Use vitest, never jest.", False),
        ("Use jest, never vitest.", "Use vitest, never jest.", False),
        ("- Use C++.", "- Use C.", False),
        ("- Use tabs.", "- Use tabs.\n- Be brief.", False),
    ],
)
def test_a_rule_stands_elsewhere_only_in_the_same_words_or_as_the_same_wish(
    text: str, rule: str, stands: bool
) -> None:
    assert bool(stands_already(loaded(text), [a_task()], rule=rule)) is stands


def test_a_rule_that_an_agent_taught_stands_only_in_what_that_agent_loads() -> None:
    claude, codex = a_task(), a_task(id="t2", source="codex")
    rule = "Use pnpm, never npm."
    assert stands_already(loaded(rule), [claude, a_task(id="t3", source=BY_HAND)], rule=rule)
    assert not stands_already(loaded(rule), [codex], rule=rule)
    assert not stands_already(loaded(rule), [claude, codex], rule=rule)
    assert not stands_already(loaded(rule), [codex])


@pytest.mark.parametrize(
    ("asked", "rule", "followed", "says"),
    [
        ("no, use pnpm here, never npm", "", False, "had it in 2 sessions and didn't follow it"),
        ("no, use pnpm here, never npm", "", True, "stands already in /p/style.md"),
        ("Wrong. Use pnpm here, never npm. Try again!", "", True, "stands already in /p/style.md"),
        ("no, use bun here, never npm", "", False, ""),
        ("something else", "Use pnpm, never npm.", False, "had it in 2 sessions and didn't follow it"),
        ("no, use pnpm here, never npm", "For the api, use pnpm and never npm, not even once.", False, ""),
    ],
)
def test_it_is_told_where_a_rule_stands_and_how_often_the_agent_had_it(
    asked: str, rule: str, followed: bool, says: str
) -> None:
    document = loaded(FILE)
    tasks: list[Task] = []
    for session in ("claude_code:a", "claude_code:b"):
        said = (Evidence(session=session, turn=2, quote=asked),)
        tasks.append(a_task(session=session, evidence=said, not_followed=not followed))
    told = stands_already(document, [*tasks, *tasks], rule=rule)
    assert says in told
    assert bool(says) == bool(told)
    assert ("follow" in told) == (bool(says) and not followed)
    assert not stands_already(a_document(lead=FILE), tasks, rule=rule)
    assert bool(stands_already(document, (), rule=rule)) == bool(rule and says)
