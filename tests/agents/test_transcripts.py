"""The genuine transcripts, session by session, against what their README and the programs' own histories say."""

import json
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.records import LeftOut, Origin, Session
from tests.agents.reading import TRANSCRIPTS, read_all, sessions_of, typed_by_session

CLAUDE = TRANSCRIPTS / "claude"
CODEX = TRANSCRIPTS / "codex"
ANY_PROMPT = frozenset({None, LeftOut.HEADLESS})

INTERACTIVE_CLAUDE = {
    "591cf910": ("create a run script", "no, that's wrong - we always use pnpm here, never npm"),
    "d918f745": ("publish my branch", "don't ever force push, open a PR instead"),
    "37d7b06d": ("explain the whole filetoo long, just one line please",),
    "b9c69ea7": ("what do you see?", "continue please"),
    "a48061b5": ("new topic",),
}
HEADLESS_CLAUDE = {
    "c0ffee00-0000-4000-8000-000000000002": ("The cart test fails, please fix it and run the test.",),
    "c0ffee00-0000-4000-8000-000000000003": (
        "Add a script that installs the dependencies.",
        "No, that's wrong. We never use pip in this repo, use uv instead. Always use uv here.",
    ),
    "c0ffee00-0000-4000-8000-000000000004": (
        "Run the slow import job.",
        "The import was too slow, use the --fast flag next time.",
    ),
    "c0ffee00-0000-4000-8000-000000000006": ("Use a subagent to find where csv is imported.",),
    "c0ffee00-0000-4000-8000-000000000007": ("Summarise data.csv for me.", "And how many rows again?"),
    "c0ffee00-0000-4000-8000-000000000009": ("What colour is shot.png?",),
    "c0ffee00-0000-4000-8000-000000000010": ("What is in this image?",),
    "c0ffee00-0000-4000-8000-000000000011": ("Créez un fichier « naïve-日本語.txt » avec 🙂 dedans — спасибо",),
    "c0ffee00-0000-4000-8000-000000000013": ("hello?",),
    "c0ffee00-0000-4000-8000-000000000017": ("Read both files.",),
    "c0ffee00-0000-4000-8000-000000000018": ("loop",),
    "c0ffee00-0000-4000-8000-000000000020": ("Plan a refactor.",),
    "d9f8424c-a59b-44a2-8ff3-3f0033861c9b": ("What does HTTP status 409 mean?", "Try the alternative.", "thanks"),
}
OLD_CLAUDE = {
    "1": ("What does HTTP status 409 mean?",),
    "2": ("Write and run a script.",),
    "3": ("Add an install script.", "No, that's wrong, use uv instead of pip."),
    "5": ("Use a subagent.",),
    "6": ("hello",),
}
TUI_CODEX = {
    "c719": ("create a run script", "no, that's wrong - we always use pnpm here, never npm"),
    "e075": ("publish my branch", "don't ever force push, open a PR instead"),
    "1645": ("explain the whole file", "too long, just one line please"),
}
EXEC_CODEX = (
    ("What does HTTP status 409 mean?",),
    ("Create notes.txt",),
    ("Create notes2.txt",),
    ("Run the slow import job.", "Too slow, use --fast next time."),
    ("Think hard.",),
    ("What colour is it?",),
    ("View shot.png",),
    ("Break things.",),
    ("Two at once",),
    ("Read README",),
    ("Use a subagent",),
    ("What is in data.csv?",),
    ("forked question",),
)
OLD_EXEC_CODEX = (
    ("What does HTTP status 409 mean?",),
    ("Write and run a script.",),
    ("Add an install script.", "No, that's wrong, use uv instead of pip."),
    ("Think.",),
    ("Read README",),
)


def test_interactive_claude_sessions_hold_exactly_what_was_typed() -> None:
    found = typed_by_session(ClaudeCode(CLAUDE / "v2.1.329_interactive"))
    assert {name[:8]: typed for name, typed in found.items()} == INTERACTIVE_CLAUDE


def test_interactive_claude_sessions_agree_with_the_programs_own_history() -> None:
    typed: dict[str, list[str]] = {}
    for line in (CLAUDE / "v2.1.329_interactive" / "history.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["display"][0] not in "/!":
            typed.setdefault(entry["sessionId"], []).append(entry["display"])
    # This one was taken back into the input line and edited there.
    typed["37d7b06d-977c-4f5d-b1f6-575422a3954f"].remove("explain the whole file")
    found = typed_by_session(ClaudeCode(CLAUDE / "v2.1.329_interactive"))
    assert {name: list(texts) for name, texts in found.items()} == typed


def test_tui_codex_sessions_hold_exactly_what_was_typed() -> None:
    found = typed_by_session(Codex(CODEX / "v0.169.0_tui"))
    assert {name.split("-")[1]: typed for name, typed in found.items()} == TUI_CODEX


def test_a_rewound_codex_session_is_one_with_its_plan_and_without_what_was_rewound() -> None:
    """In the first file "add tests" was rewound; in the second a review and a plan follow."""
    readings = read_all(Codex(CODEX / "v0.169.0_rewound"))
    session = max((packed.session for reading in readings.values() for packed in reading.sessions), key=_last)
    history = (CODEX / "v0.169.0_rewound" / "history.jsonl").read_text().splitlines()
    typed = [json.loads(line)["text"] for line in history]
    typed.remove("add tests")
    assert list(session.typed) == typed
    answers = [turn.text for turn in session.turns if turn.origin is Origin.ASSISTANT]
    assert "# Plan\n1. move the packages\n2. install with npm\n" in answers
    assert "I added tests with jest." not in answers
    assert session.gaps.damaged == 0
    assert [file.path for file in session.instructions] == ["/home/dev/work/shop/AGENTS.md"]
    assert "Always use pnpm, never npm." in session.instructions[0].text


def _last(session: Session) -> tuple[datetime, int]:
    return session.ended, len(session.turns)


def test_words_behind_claudes_commands_and_the_instructions_in_force_are_read() -> None:
    ((session, why),) = sessions_of(ClaudeCode(CLAUDE / "v2.1.330_interactive")).values()
    assert why is None
    assert session.typed == ("explain a.txt", "no, from now on tag it with v", "to staging please")
    assert [(Path(file.path).name, file.text) for file in session.instructions] == [
        ("CLAUDE.md", "Answer in English."),
        ("CLAUDE.md", "# House rules\n\nAlways use pnpm, never npm."),
        ("style.md", "Use ruff."),
    ]


def _by_history() -> dict[str, tuple[str, ...]]:
    typed: dict[str, tuple[str, ...]] = {}
    for line in (CODEX / "v0.169.0_tui" / "history.jsonl").read_text().splitlines():
        entry = json.loads(line)
        typed[entry["session_id"]] = (*typed.get(entry["session_id"], ()), entry["text"])
    return typed


def test_tui_codex_sessions_agree_with_the_programs_own_history() -> None:
    assert typed_by_session(Codex(CODEX / "v0.169.0_tui")) == _by_history()


def test_claude_sessions_started_by_a_program_are_headless_and_their_prompts_are_right() -> None:
    source = ClaudeCode(CLAUDE / "v2.1.329_headless")
    assert typed_by_session(source) == {}
    assert typed_by_session(source, reasons=ANY_PROMPT) == HEADLESS_CLAUDE


def test_claude_2_1_100_is_told_by_its_entrypoint() -> None:
    source = ClaudeCode(CLAUDE / "v2.1.100_headless")
    assert typed_by_session(source) == {}
    found = typed_by_session(source, reasons=ANY_PROMPT)
    assert {name[-1]: typed for name, typed in found.items()} == {**OLD_CLAUDE, "4": ("Think.",)}


def test_claude_1_0_128_has_no_entrypoint_and_reads_as_a_person() -> None:
    source = ClaudeCode(CLAUDE / "v1.0.128_headless")
    found = typed_by_session(source)
    assert {name[-1]: typed for name, typed in found.items()} == OLD_CLAUDE


@pytest.mark.parametrize("version", ["v2.0.45", "v2.0.76", "v2.1.20"])
def test_where_claude_names_no_entrypoint_its_queue_tells_what_a_program_asked(version: str) -> None:
    """`-p`, a stream and a fork against what was typed at once, ahead, as an argument, and into a program's session."""
    source = ClaudeCode(CLAUDE / version)
    assert set(typed_by_session(source).values()) == {
        ("typed at first", "typed ahead", "typed at last"),
        ("typed as an argument", "typed while a tool ran"),
        ("typed after it was resumed",),
    }
    assert set(typed_by_session(source, reasons=frozenset({LeftOut.HEADLESS})).values()) == {
        ("create a run script", "no, we use pnpm"),
        ("first of a stream", "second of a stream"),
        ("create a run script", "no, we use pnpm", "forked by a program"),
    }


def test_files_that_hold_only_a_summary_have_no_user_turn() -> None:
    found = sessions_of(ClaudeCode(CLAUDE / "v1.0.128_headless"))
    summaries = {name[:8] for name, (_, why) in found.items() if why is LeftOut.NO_USER_TURN}
    assert summaries == {"990b2ea1", "ba2b5900", "c0ffee10"}


@pytest.mark.parametrize("version", ["v2.1.329_headless", "v2.1.100_headless"])
def test_sub_agents_of_claude_are_left_out_whole(version: str) -> None:
    found = sessions_of(ClaudeCode(CLAUDE / version))
    (session,) = [session for session, why in found.values() if why is LeftOut.SUBAGENT]
    assert session.turns == ()


def test_an_inline_side_chain_is_no_part_of_the_session() -> None:
    found = sessions_of(ClaudeCode(CLAUDE / "v1.0.128_headless"))
    session, _ = found["c0ffee10-0000-4000-8000-000000000005"]
    assert [turn.text for turn in session.turns] == ["Use a subagent.", "Delegating.", "Found."]


@pytest.mark.parametrize("folder", ["v0.47.0_exec", "v0.142.0_exec"])
def test_older_codex_sessions_are_headless_and_their_prompts_are_right(folder: str) -> None:
    source = Codex(CODEX / folder)
    assert typed_by_session(source) == {}
    assert Counter(typed_by_session(source, reasons=ANY_PROMPT).values()) == Counter(OLD_EXEC_CODEX)


def test_codex_exec_sessions_are_headless_and_their_prompts_are_right() -> None:
    source = Codex(CODEX / "v0.169.0_exec")
    assert typed_by_session(source) == {}
    assert Counter(typed_by_session(source, reasons=ANY_PROMPT).values()) == Counter(EXEC_CODEX)


def test_a_codex_review_thread_is_a_sub_agent() -> None:
    found = sessions_of(Codex(CODEX / "v0.169.0_exec"))
    (name,) = [name for name, (_, why) in found.items() if why is LeftOut.SUBAGENT]
    assert name == "01a1fb8b-636f-7a62-8c23-aae729e2c055"


@pytest.mark.parametrize("folder", sorted(CLAUDE.iterdir()), ids=lambda folder: folder.name)
def test_no_genuine_claude_line_counts_as_damage(folder: Path) -> None:
    assert all(session.gaps.damaged == 0 for session, _ in sessions_of(ClaudeCode(folder)).values())
    assert not any(reading.unreadable for reading in read_all(ClaudeCode(folder)).values())


@pytest.mark.parametrize("folder", sorted(CODEX.iterdir()), ids=lambda folder: folder.name)
def test_no_genuine_codex_line_counts_as_damage(folder: Path) -> None:
    assert all(session.gaps.damaged == 0 for session, _ in sessions_of(Codex(folder)).values())


def test_a_tool_call_the_user_refused_is_rejected_in_both_agents() -> None:
    claude, _ = sessions_of(ClaudeCode(CLAUDE / "v2.1.329_interactive"))["d918f745-eb29-49d5-baa2-cafa7f938743"]
    codex, _ = sessions_of(Codex(CODEX / "v0.169.0_tui"))["01a1fb91-e075-75a1-81ec-092443f59a06"]
    for session in (claude, codex):
        (event,) = session.tools
        assert event.rejected
        assert event.error
        assert event.brief == "git push --force origin main"


def test_what_the_harness_wrote_is_kept_apart_from_what_was_typed() -> None:
    session, _ = sessions_of(ClaudeCode(CLAUDE / "v2.1.329_interactive"))["b9c69ea7-8670-48c7-a797-46e975371110"]
    harness = [turn.text for turn in session.turns if turn.origin is Origin.HARNESS]
    assert harness[0] == "<bash-input>ls -1</bash-input>"
    assert any(text.startswith("This session is being continued") for text in harness)
    assert any(text.startswith("<command-name>/compact") for text in harness)


def test_exit_codes_and_errors_of_tools_are_known() -> None:
    claude, _ = sessions_of(ClaudeCode(CLAUDE / "v2.1.329_headless"))["c0ffee00-0000-4000-8000-000000000002"]
    assert [(event.name, event.error, event.exit_code) for event in claude.tools] == [
        ("Bash", True, 1), ("Read", False, None), ("Edit", False, None), ("Bash", False, None),
    ]  # fmt: skip
    codex, _ = sessions_of(Codex(CODEX / "v0.169.0_exec"))["01a1fb8b-5919-70e3-acf6-58b5c3d64e72"]
    assert [(event.name, event.error, event.exit_code) for event in codex.tools] == [
        ("exec_command", True, 3), ("exec_command", True, 1), ("no_such_tool", True, None),
        ("exec_command", True, None), ("apply_patch", True, None),
    ]  # fmt: skip


def test_a_session_knows_its_place_commit_and_time() -> None:
    session, _ = sessions_of(Codex(CODEX / "v0.169.0_tui"))["01a1fb91-c719-73f2-b8e0-d4d777a841bc"]
    assert session.id == "codex:01a1fb91-c719-73f2-b8e0-d4d777a841bc"
    assert (session.cwd, session.project) == ("/home/dev/work/shop-api", "/home/dev/work/shop-api")
    assert session.commit == "7756c23c9294a41fbd681b1e8dac1087902598d2"
    assert session.entrypoint == "codex-tui"
    assert session.started.isoformat() == "2026-11-21T00:46:40.876000+00:00"
    assert session.ended.isoformat() == "2026-11-21T00:46:42.786000+00:00"


def test_where_the_person_stopped_the_agent_is_known_and_a_programs_denial_is_no_stop() -> None:
    sources = [ClaudeCode(folder) for folder in CLAUDE.iterdir()] + [Codex(folder) for folder in CODEX.iterdir()]
    stopped = {
        name: [session.turns[number].text for number in session.stops]
        for source in sources
        for name, (session, why) in sessions_of(source).items()
        if why is None and session.stops
    }
    assert stopped == {
        "d918f745-eb29-49d5-baa2-cafa7f938743": ["Pushing."],
        "52197da8-cfff-4719-9fd9-0a58f771209f": ["Pushing."],
        "01a1fb91-e075-75a1-81ec-092443f59a06": ["publish my branch"],
        "01a1fb92-1645-77f2-9e39-5490d714e922": ["explain the whole file"],
        "01a205d1-b4b6-7c03-9dfe-f360476ccfba": ["publish my branch"],
    }


def test_only_the_calls_that_a_person_refused_are_rejected() -> None:
    sources = [ClaudeCode(folder) for folder in CLAUDE.iterdir()] + [Codex(folder) for folder in CODEX.iterdir()]
    refused = {
        name: [event.brief for event in session.tools if event.rejected]
        for source in sources
        for name, (session, why) in sessions_of(source).items()
        if why is None and any(event.rejected for event in session.tools)
    }
    assert refused == {
        "d918f745-eb29-49d5-baa2-cafa7f938743": ["git push --force origin main"],
        "52197da8-cfff-4719-9fd9-0a58f771209f": ["git push --force origin main"],
        "01a1fb91-e075-75a1-81ec-092443f59a06": ["git push --force origin main"],
        "01a205d1-b4b6-7c03-9dfe-f360476ccfba": ["git push --force origin main"],
    }
