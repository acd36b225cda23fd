"""The traps in Claude Code's sessions, on records written here in their shapes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.records import HalfRead, LeftOut, Origin
from tests.agents.reading import TRANSCRIPTS, only_session, read_all, sessions_of
from tests.sessions import Exchange, ToolCall, claude_session

START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
COMMON = {"userType": "external", "entrypoint": "cli", "cwd": "/home/dev/shop", "sessionId": "s", "gitBranch": "main"}
HUMAN = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)."
)


class Written:
    """A session put together record by record, each after the one before unless told otherwise."""

    def __init__(self, home: Path, name: str = "s") -> None:
        self.path = home / "projects" / "-home-dev-shop" / f"{name}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.lines: list[bytes] = []
        self.last: str | None = None

    def add(self, kind: str, *, parent: str | None = "", **fields: Any) -> str:
        name = f"u{len(self.lines)}"
        when = (START + timedelta(seconds=len(self.lines))).isoformat().replace("+00:00", "Z")
        head = {"parentUuid": self.last if parent == "" else parent, "isSidechain": False, "type": kind}
        self.lines.append(json.dumps({**head, **fields, "uuid": name, "timestamp": when, **COMMON}).encode())
        self.last = name
        return name

    def typed(self, text: str, **fields: Any) -> str:
        about: dict[str, Any] = {**HUMAN, **fields}
        return self.add("user", message={"role": "user", "content": text}, **about)

    def said(self, text: str, **fields: Any) -> str:
        content = [{"type": "text", "text": text}]
        return self.add(
            "assistant", message={"id": f"m{len(self.lines)}", "role": "assistant", "content": content}, **fields
        )

    def called(self, name: str, **given: Any) -> str:
        call = f"t{len(self.lines)}"
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        self.add("assistant", message={"id": f"m{len(self.lines)}", "role": "assistant", "content": [block]})
        return call

    def result(self, call: str, text: str, *, error: bool = False, **fields: Any) -> str:
        block = {"type": "tool_result", "content": text, "is_error": error, "tool_use_id": call}
        return self.add("user", message={"role": "user", "content": [block]}, **fields)

    def save(self, home: Path, ending: bytes = b"\n") -> ClaudeCode:
        self.path.write_bytes(b"\n".join(self.lines) + ending)
        return ClaudeCode(home)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    return Written(tmp_path)


def test_a_prompt_typed_while_the_agent_works_is_a_turn(tmp_path: Path) -> None:
    exchange = Exchange(
        "run the tests", "All pass.", tools=[ToolCall(command="make test")], meanwhile="only the fast ones"
    )
    claude_session(tmp_path / "projects", cwd="/home/dev/shop", started=START, exchanges=[exchange])
    assert only_session(ClaudeCode(tmp_path)).typed == ("run the tests", "only the fast ones")


def test_a_queued_notice_of_a_task_is_not_typed(written: Written, tmp_path: Path) -> None:
    written.typed("go")
    notice = {
        "type": "queued_command",
        "prompt": "<task-notification>done</task-notification>",
        "commandMode": "task-notification",
    }
    written.add("attachment", attachment=notice)
    assert only_session(written.save(tmp_path)).typed == ("go",)


def test_a_prompt_taken_back_and_edited_in_mid_session_vanishes_with_its_branch(
    written: Written, tmp_path: Path
) -> None:
    written.typed("first")
    answer = written.said("done")
    written.typed("second, wrong")
    written.said("on it")
    written.called("Bash", command="rm -r build")
    written.typed("and this belongs to the wrong one")
    written.typed("second, right", parent=answer)
    written.said("ok")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("first", "second, right")
    assert session.tools == ()
    assert [turn.text for turn in session.turns if turn.origin is Origin.ASSISTANT] == ["done", "ok"]


def test_a_prompt_that_was_only_taken_back_stays(written: Written, tmp_path: Path) -> None:
    root = written.typed("first")
    written.typed("second", parent=root)
    written.add("user", parent=root, message={"role": "user", "content": "<bash-input>ls</bash-input>"})
    assert only_session(written.save(tmp_path)).typed == ("first", "second")


def test_a_missing_parent_drops_nothing(written: Written, tmp_path: Path) -> None:
    written.typed("first")
    written.said("done")
    written.typed("second", parent="a record that isn't in the file")
    at = written.last
    written.typed("third, wrong")
    written.typed("third, right", parent=at)
    assert only_session(written.save(tmp_path)).typed == ("first", "second", "third, right")


def test_a_chain_that_breaks_in_the_middle_drops_only_what_was_taken_back_before_any_answer(
    written: Written, tmp_path: Path
) -> None:
    written.typed("taken back")
    written.typed("first", parent=None)
    written.said("done")
    written.typed("no, with pnpm")
    written.said("done")
    written.typed("second", parent=None)
    written.said("done")
    assert only_session(written.save(tmp_path)).typed == ("first", "no, with pnpm", "second")


def test_two_conversations_in_one_file_are_two_each_with_its_own_folder(written: Written, tmp_path: Path) -> None:
    def went_on(folder: str, *, parent: str | None, at: str = "") -> None:
        first = len(written.lines)
        written.typed(f"write the {folder} notes", parent=parent)
        written.said("done")
        written.typed(f"no, {folder} notes are short")
        for number, line in enumerate(written.lines[first:], start=first):
            written.lines[number] = line.replace(b"/home/dev/shop", f"/home/dev/{folder}".encode())
            if at:
                written.lines[number] = written.lines[number].replace(b"2026-11-20T", at.encode())

    went_on("shop", parent=None)
    went_on("bakery", parent=None)
    written.add("system", parent=None, subtype="compact_boundary", logicalParentUuid=written.last)
    written.lines[-1] = written.lines[-1].replace(b"/home/dev/shop", b"/home/dev/bakery/src")
    went_on("bakery/src", parent="")  # the agent changed the folder
    went_on("garage", parent="lost", at="2026-11-18T")  # the rest of a file that was written over
    (found,) = read_all(written.save(tmp_path)).values()
    sessions = [packed.session for packed in found.sessions]
    assert [(session.id, session.cwd, len(session.typed)) for session in sessions] == [
        ("claude_code:s", "/home/dev/shop", 2),
        ("claude_code:s#2", "/home/dev/bakery", 4),
        ("claude_code:s#3", "/home/dev/garage", 2),
    ]
    assert [session.ended.day for session in sessions] == [20, 20, 18]


def test_a_record_goes_on_in_the_conversation_of_the_one_it_follows(written: Written, tmp_path: Path) -> None:
    ends: dict[str, str | None] = {"shop": None, "bakery": None}
    for text in ("first", "second", "third"):
        for folder, end in ends.items():
            ends[folder] = written.typed(f"{folder} {text}", parent=end)
            written.lines[-1] = written.lines[-1].replace(b"/home/dev/shop", f"/home/dev/{folder}".encode())
    written.typed("the rest of a file that was written over", parent=ends["shop"])
    early = written.lines[-1].replace(b"2026-11-20T", b"2026-11-19T")
    written.lines[-1] = early.replace(b"/home/dev/shop", b"/home/dev/garage")
    (found,) = read_all(written.save(tmp_path)).values()
    assert [packed.session.typed for packed in found.sessions] == [
        ("shop first", "shop second", "shop third"),
        ("bakery first", "bakery second", "bakery third"),
        ("the rest of a file that was written over",),
    ]


def test_a_damaged_line_in_the_chain_drops_nothing(written: Written, tmp_path: Path) -> None:
    written.typed("first")
    written.said("done")
    written.lines[1] = b'{"parentUuid":"u0","type":"assistant","mess'
    written.typed("second")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("first", "second")
    assert session.gaps.damaged == 1


def test_the_live_chain_passes_through_a_compaction(written: Written, tmp_path: Path) -> None:
    written.typed("first")
    before = written.said("done")
    boundary = written.add("system", parent=None, subtype="compact_boundary", logicalParentUuid=before)
    summary = {"role": "user", "content": "This session is being continued from a previous conversation."}
    written.add("user", parent=boundary, message=summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    at = written.typed("second, wrong")
    written.typed("second, right", parent="u3")
    assert at == "u4"
    assert only_session(written.save(tmp_path)).typed == ("first", "second, right")


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args>x</command-args>",
        "<local-command-stdout>ok</local-command-stdout>",
        "<bash-input>ls</bash-input>",
        "<system-reminder>Today's date is 2026-11-21.</system-reminder>",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "[Image: source: /tmp/1.png]",
        "Caveat: The messages below were generated by the user while running local commands. DO NOT respond.",
    ],
)
def test_what_the_program_writes_in_the_users_place_is_harness(text: str, written: Written, tmp_path: Path) -> None:
    written.typed("go")
    written.add("user", message={"role": "user", "content": [{"type": "text", "text": text}]})
    session = only_session(written.save(tmp_path))
    assert session.typed == ("go",)
    assert session.turns[-1].origin is Origin.HARNESS


@pytest.mark.parametrize(
    "text",
    [
        "<command-name> is parsed wrongly, mend it",
        "[Request interrupted by user] is shown twice, why?",
        "<div>make this</div>\na button",
        "  indented\n\tand ending in space  ",
        "/not a command, a path",
    ],
)
def test_what_a_person_typed_stays_as_it_is_however_it_looks(text: str, written: Written, tmp_path: Path) -> None:
    written.typed(text)
    assert only_session(written.save(tmp_path)).typed == (text,)


def a_command(name: str, args: str, *, running: str = "") -> str:
    """What the program writes for a custom command; older versions said that it is running."""
    parts = {"message": running or name, "name": f"/{name}", "args": args}
    return "\n".join(f"<command-{part}>{text}</command-{part}>" for part, text in parts.items())


@pytest.mark.parametrize("about", [{"origin": {"kind": "human"}, "turnOrigin": "human"}, {}])
def test_words_typed_behind_a_custom_command_are_a_turn(
    about: dict[str, Any], written: Written, tmp_path: Path
) -> None:
    written.typed("fix it")
    written.said("done")
    ship = a_command("ship", "no, from now on\ntag it with <v>", running="ship is running…")
    written.add("user", message={"role": "user", "content": ship}, **about)
    expanded = [{"type": "text", "text": "Ship it. no, from now on tag it with v"}]
    written.add("user", message={"role": "user", "content": expanded}, isMeta=True, turnCompanion=True)
    session = only_session(written.save(tmp_path))
    assert session.typed == ("fix it", "no, from now on\ntag it with <v>")
    before = session.turns[2]
    assert (before.origin, before.text) == (
        Origin.HARNESS,
        "<command-message>ship is running…</command-message>\n<command-name>/ship</command-name>",
    )


@pytest.mark.parametrize(
    "text",
    [
        a_command("ship", ""),
        a_command("ship", "  "),
        "<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args>x</command-args>",
        a_command("ship", "always use evil") + "\n<local-command-stdout>ok</local-command-stdout>",
    ],
)
def test_a_command_without_words_or_of_the_program_itself_is_no_turn(
    text: str, written: Written, tmp_path: Path
) -> None:
    written.typed("fix it")
    written.add("user", message={"role": "user", "content": text})
    assert only_session(written.save(tmp_path)).typed == ("fix it",)


def test_a_command_that_the_agent_began_is_no_turn(written: Written, tmp_path: Path) -> None:
    written.typed("fix it")
    call = written.called("SlashCommand", command="/ship always use evil")
    written.result(call, "Launching command: ship")
    written.add("user", message={"role": "user", "content": a_command("ship", "always use evil")})
    assert only_session(written.save(tmp_path)).typed == ("fix it",)


def test_a_command_that_a_program_typed_is_no_persons(written: Written, tmp_path: Path) -> None:
    written.add("user", message={"role": "user", "content": a_command("ship", "now")}, promptSource="sdk")
    assert [why for _, why in sessions_of(written.save(tmp_path)).values()] == [LeftOut.HEADLESS]


@pytest.mark.parametrize("padding", [0, 9_000])
def test_the_instructions_in_force_are_kept_with_their_files(padding: int, written: Written, tmp_path: Path) -> None:
    """As 2.1.330 writes them; a large line is looked at before it is decoded."""
    secret = "sk-ant-" + "api03-" + "Ab1" * 20
    house = "Always use pnpm, never npm.\n" + " " * padding + secret
    files = [
        {"path": "/home/dev/.claude/CLAUDE.md", "type": "User", "content": "Answer in English."},
        {"path": "/home/dev/shop/CLAUDE.md", "type": "Project", "content": house},
    ]
    sub = {"path": "/home/dev/shop/sub/CLAUDE.md", "type": "Project", "content": "In sub: tabs.\n"}
    written.typed("fix it")
    written.add("attachment", attachment={"type": "instructions", "files": files})
    written.add("attachment", attachment={"type": "nested_memory", "path": sub["path"], "content": sub})
    written.add("attachment", attachment={"type": "instructions", "files": ["in another shape"]})
    written.add("attachment", attachment={"type": "file", "filename": "a.py", "content": {"type": "text"}})
    session = only_session(written.save(tmp_path))
    assert session.gaps.damaged == 0
    assert [file.path for file in session.instructions] == [
        "/home/dev/.claude/CLAUDE.md",
        "/home/dev/shop/CLAUDE.md",
        "/home/dev/shop/sub/CLAUDE.md",
    ]
    assert session.instructions[0].text == "Answer in English."
    assert secret not in session.instructions[1].text
    assert session.typed == ("fix it",)


def test_meta_records_and_other_origins_are_harness(written: Written, tmp_path: Path) -> None:
    written.typed("go")
    written.add("user", message={"role": "user", "content": "a note"}, isMeta=True)
    written.typed("a timer went off", origin={"kind": "cron"})
    written.typed("a task ended", origin=None, turnOrigin="task_notification")
    assert only_session(written.save(tmp_path)).typed == ("go",)


@pytest.mark.parametrize(
    "about",
    [
        *({"rowSource": source} for source in ("harness", "hook", "recorded")),
        {"turnCompanion": True},
        {"promptSource": "system"},
        {"scheduledTaskId": "task-1"},
        {"turnCompanion": {"of": "task-1"}},
    ],
)
def test_what_the_program_marks_as_its_own_is_not_the_persons(
    about: dict[str, Any], written: Written, tmp_path: Path
) -> None:
    written.typed("first", rowSource="local")
    written.said("done")
    written.add("user", message={"role": "user", "content": "no, wrong - never use tabs"}, **about)
    queued = {"type": "queued_command", "prompt": "no, never use semicolons", "rowSource": "harness"}
    written.add("attachment", attachment=queued)
    written.add("user", message={"role": "user", "content": "[Request interrupted by user]"}, rowSource="harness")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("first",)
    assert session.stops == (1,)


def test_a_record_that_is_written_twice_counts_once(written: Written, tmp_path: Path) -> None:
    written.typed("first")
    written.called("Bash", command="make")
    written.said("done")
    written.typed("continue")
    written.lines += [*written.lines]
    written.typed("continue", parent="u3")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("first", "continue", "continue")
    assert len(session.tools) == 1


def test_a_record_of_another_session_hides_none_of_the_same_id(written: Written, tmp_path: Path) -> None:
    written.typed("of another session", parent=None)
    written.said("done")
    written.lines = [line.replace(b'"sessionId": "s"', b'"sessionId": "t"') for line in written.lines]
    own = Written(tmp_path)
    own.typed("fix it", parent=None)
    own.said("done")
    own.typed("no, use pnpm")
    own.lines = [*written.lines, *own.lines]
    session = only_session(own.save(tmp_path))
    assert (session.typed, session.gaps.damaged) == (("fix it", "no, use pnpm"), 2)


@pytest.mark.parametrize("about", [{"rowSource": 5}, {"version": 3}, {"version": None}])
def test_a_field_of_another_type_loses_no_record(about: dict[str, Any], written: Written, tmp_path: Path) -> None:
    written.typed("fix it", **about)
    session = only_session(written.save(tmp_path))
    assert (session.typed, session.gaps.damaged) == (("fix it",), 0)


def test_records_of_unknown_kinds_are_counted_with_their_version(written: Written, tmp_path: Path) -> None:
    written.add("human_input", input="create a run script", version="9.9.8")
    written.said("done", version="9.9.9")
    written.typed("thanks", version="9.9.9")
    for kind in ("model_trace", "model_trace", "mode", "last-prompt", "queue-operation"):
        written.lines.append(f'{{"type":"{kind}","sessionId":"s","state":{{}}}}'.encode())
    unknown = only_session(written.save(tmp_path)).gaps.half_read
    assert unknown == HalfRead("9.9.9", ("human_input", "model_trace"), 3, 8)


def test_a_prompt_in_blocks_of_an_unknown_kind_is_counted_once(written: Written, tmp_path: Path) -> None:
    for typed in ("create a run script", "no, use pnpm"):
        blocks = [{"type": "image"}, *[{"type": "typed_text", "value": typed}] * 3]
        written.add("user", message={"role": "user", "content": blocks}, version="9.9.9")
        written.said("done", version="9.9.9")
    ((session, why),) = sessions_of(written.save(tmp_path)).values()
    assert why is LeftOut.NO_USER_TURN
    assert session.gaps.half_read == HalfRead("9.9.9", ("typed_text",), 2, 4)


def test_of_the_genuine_programs_no_kind_is_unknown() -> None:
    for folder in (TRANSCRIPTS / "claude").iterdir():
        assert [
            session.gaps.half_read
            for session, _ in sessions_of(ClaudeCode(folder)).values()
            if session.gaps.half_read
        ] == []


def test_reminders_glued_to_a_prompt_of_an_older_version_are_cut_off(written: Written, tmp_path: Path) -> None:
    glued = "<system-reminder>a</system-reminder>\nfix it\n<system-reminder>b</system-reminder>"
    written.add("user", message={"role": "user", "content": glued})
    assert only_session(written.save(tmp_path)).typed == ("fix it",)


def test_words_typed_with_a_refusal_are_a_turn(written: Written, tmp_path: Path) -> None:
    written.typed("publish")
    call = written.called("Bash", command="git push -f")
    said = f"{REFUSED} To tell you how to proceed, the user said:\nopen a PR instead"
    written.result(call, said, error=True, toolDenialKind="user-rejected")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("publish", "open a PR instead")
    assert session.tools[0].rejected


def test_a_plan_that_is_refused_is_an_answer(written: Written, tmp_path: Path) -> None:
    written.typed("plan it")
    call = written.called("ExitPlanMode", plan="# Plan\n1. use npm")
    written.result(call, f"{REFUSED} To tell you how to proceed, the user said:\nno, pnpm", error=True)
    session = only_session(written.save(tmp_path))
    assert [turn.text for turn in session.turns] == ["plan it", "# Plan\n1. use npm", "no, pnpm"]
    assert [event.rejected for event in session.tools] == [True]


def test_a_denial_by_configuration_is_an_error_and_no_refusal(written: Written, tmp_path: Path) -> None:
    written.typed("publish")
    decision = {"decision": "reject", "source": "config"}
    call = written.called("Bash", command="git push")
    written.result(call, "This command requires approval", error=True, permissionDecision=decision)
    other = written.called("Bash", command="git push -f")
    written.result(other, REFUSED, error=True, toolDenialKind="user-rejected", permissionDecision=decision)
    assert [(event.error, event.rejected) for event in only_session(written.save(tmp_path)).tools] == [
        (True, False)
    ] * 2


def answered(written: Written, answers: dict[str, Any], *, padding: str = "", **fields: Any) -> None:
    """The agent asks in a dialog and the person answers."""
    questions = [{"question": question, "options": [{"label": "A", "description": padding}]} for question in answers]
    call = written.called("AskUserQuestion", questions=questions)
    block = {"type": "tool_result", "content": f"User has answered: {answers} {padding}", "tool_use_id": call}
    about = {"parentUuid": written.last, "isSidechain": False, "type": "user"}
    record = {
        **about, "message": {"role": "user", "content": [block]}, "uuid": f"u{len(written.lines)}",
        "timestamp": "2026-11-20T08:01:00Z", "toolUseResult": {"questions": questions, "answers": answers}, **COMMON, **fields,
    }  # fmt: skip
    written.lines.append(json.dumps(record, separators=(",", ":")).encode())


@pytest.mark.parametrize("padding", ["", "what this choice means, at length. " * 300])
def test_what_a_person_answers_in_a_dialog_is_a_turn(padding: str, written: Written, tmp_path: Path) -> None:
    written.typed("set it up")
    answered(written, {"Which database?": "SQLite", "And the tests?": "none of these, use pytest"}, padding=padding)
    assert only_session(written.save(tmp_path)).typed == (
        "set it up",
        "Which database?: SQLite\nAnd the tests?: none of these, use pytest",
    )


def test_a_dialog_that_a_program_answered_or_nobody_is_no_turn(written: Written, tmp_path: Path) -> None:
    written.typed("set it up")
    answered(written, {"Which database?": "SQLite"}, promptSource="sdk")
    answered(written, {})
    answered(written, {"Which?": ["not", "a", "text"]})
    written.result(written.called("AskUserQuestion"), REFUSED, error=True)
    session = only_session(written.save(tmp_path))
    assert session.typed == ("set it up",)
    assert [event.rejected for event in session.tools] == [False, False, False, True]


def test_answers_in_the_result_of_another_tool_are_no_turn(written: Written, tmp_path: Path) -> None:
    written.typed("look it up")
    result = {"answers": {"what to do": "always obey this page"}}
    written.result(written.called("WebFetch", url="https://example.org"), "a page", toolUseResult=result)
    assert only_session(written.save(tmp_path)).typed == ("look it up",)


@pytest.mark.parametrize("note", ["[Request interrupted by user]", "[Request interrupted by user for tool use]"])
def test_where_a_person_stops_the_agent_is_known(note: str, written: Written, tmp_path: Path) -> None:
    written.typed("explain it")
    written.said("At length: ")
    written.add("user", message={"role": "user", "content": [{"type": "text", "text": note}]})
    written.typed("shorter")
    session = only_session(written.save(tmp_path))
    assert [session.turns[number].text for number in session.stops] == ["At length: "]


def test_a_stop_on_a_branch_that_was_taken_back_is_gone_with_it(written: Written, tmp_path: Path) -> None:
    written.typed("wrong", parent=None)
    note = {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}
    written.add("user", message=note)
    written.typed("right", parent=None)
    written.said("ok")
    session = only_session(written.save(tmp_path))
    assert (session.typed, session.stops) == (("right",), ())


def test_a_denial_by_configuration_is_no_stop(written: Written, tmp_path: Path) -> None:
    written.typed("publish")
    decision = {"decision": "reject", "source": "config"}
    call = written.called("Bash", command="git push")
    written.result(call, REFUSED, error=True, toolDenialKind="user-rejected", permissionDecision=decision)
    session = only_session(written.save(tmp_path))
    assert (session.stops, session.tools[0].rejected) == ((), False)


def test_a_large_failing_result_still_tells_its_exit_code(written: Written, tmp_path: Path) -> None:
    written.typed("test")
    written.result(written.called("Bash", command="make test"), "Exit code 2\n" + "log line\n" * 4000, error=True)
    (event,) = only_session(written.save(tmp_path)).tools
    assert (event.error, event.exit_code) == (True, 2)


@pytest.mark.parametrize("with_copy", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_text_typed_beside_a_large_tool_result_is_found(
    written: Written, tmp_path: Path, *, first: bool, with_copy: bool
) -> None:
    written.typed("read it")
    call = written.called("Read", file_path="/home/dev/shop/big.py")
    big = 'x = "a"\n' * 4000
    blocks = [
        {"tool_use_id": call, "type": "tool_result", "content": big},
        {"type": "text", "text": "now shorten it"},
    ]
    record = {
        "parentUuid": written.last, "isSidechain": False, "promptId": "p", "type": "user",
        "message": {"role": "user", "content": blocks if first else blocks[::-1]},
        "uuid": "both", "timestamp": "2026-11-20T08:00:09Z",
        **({"toolUseResult": {"type": "text", "file": {"content": big}}} if with_copy else {}), **COMMON,
    }  # fmt: skip
    written.lines.append(json.dumps(record, separators=(",", ":")).encode())
    assert only_session(written.save(tmp_path)).typed == ("read it", "now shorten it")


def test_a_session_that_ends_in_a_large_result_ends_when_that_was_written(tmp_path: Path) -> None:
    exchange = Exchange("read it", tools=[ToolCall(path="/home/dev/shop/a.py", output="line\n" * 3000)])
    path = claude_session(
        tmp_path / "projects", cwd="/home/dev/shop", started=START, exchanges=[exchange], version="1.0.128"
    )
    last = json.loads(path.read_bytes().splitlines()[-1])
    assert last["type"] == "user"
    assert only_session(ClaudeCode(tmp_path)).ended == datetime.fromisoformat(last["timestamp"])


def test_a_session_of_a_person_that_a_program_went_on_with_keeps_only_the_persons_prompts(
    written: Written, tmp_path: Path
) -> None:
    written.typed("typed by me")
    sent = {"origin": None, "promptSource": "sdk", "turnOrigin": "sdk"}
    written.typed("sent by a script", **sent)
    assert only_session(written.save(tmp_path)).typed == ("typed by me",)


def test_a_headless_session_without_any_prompt_is_headless(written: Written, tmp_path: Path) -> None:
    written.said("hello", entrypoint="sdk-cli")
    written.lines = [line.replace(b'"entrypoint": "cli"', b'"entrypoint": "sdk-cli"') for line in written.lines]
    ((_, why),) = sessions_of(written.save(tmp_path)).values()
    assert why is LeftOut.HEADLESS


def test_errors_of_the_api_are_nothing_the_agent_said(written: Written, tmp_path: Path) -> None:
    written.typed("hello")
    written.said("API Error: 529", isApiErrorMessage=True)
    assert [turn.origin for turn in only_session(written.save(tmp_path)).turns] == [Origin.USER]


def test_a_flat_sub_agent_file_beside_the_session_is_a_sub_agent(tmp_path: Path) -> None:
    written = Written(tmp_path, "agent-1")
    written.typed("Warmup")
    ((_, why),) = sessions_of(written.save(tmp_path)).values()
    assert why is LeftOut.SUBAGENT


def test_skills_are_known_by_the_tool_and_by_the_text_the_program_inserts(tmp_path: Path) -> None:
    exchange = Exchange("release it", "Released.", tools=[ToolCall(skill="release")])
    claude_session(tmp_path / "projects", cwd="/home/dev/shop", started=START, exchanges=[exchange])
    session = only_session(ClaudeCode(tmp_path))
    assert session.skills == ("release",)
    assert session.typed == ("release it",)


def test_garbage_of_every_kind_is_counted_and_ends_nothing(written: Written, tmp_path: Path) -> None:
    written.typed("before")
    garbage = [
        b"not json", b"[]", b"3", b"null", b'"text"', b"{", b"\x00\x00\x00", b'{"type":"user","message":5}',
        b'{"type":"user","message":{"role":"user","content":"\xff\xfe"}}', b'{"type":"mode","mode":"nor',
        b'{"type":"user","x":' + b"[" * 50_000,
    ]  # fmt: skip
    written.lines += garbage
    written.lines += [b"", b"   "]
    written.typed("after")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("before", "after")
    assert session.gaps.damaged == len(garbage)


def test_a_last_line_still_being_written_is_no_damage(written: Written, tmp_path: Path) -> None:
    written.typed("done")
    written.lines.append(b'{"parentUuid":"u0","isSidechain":false,"type":"user","message":{"role":"us')
    session = only_session(written.save(tmp_path, ending=b""))
    assert session.typed == ("done",)
    assert session.gaps.damaged == 0


def test_a_whole_last_line_without_its_end_counts(written: Written, tmp_path: Path) -> None:
    written.typed("one")
    written.typed("two")
    assert only_session(written.save(tmp_path, ending=b"")).typed == ("one", "two")


def test_half_a_surrogate_pair_as_javascript_writes_it_loses_no_prompt(written: Written, tmp_path: Path) -> None:
    written.typed("cut here: CUT, and go on")
    written.lines = [line.replace(b"CUT", b"\\ud83d") for line in written.lines]
    session = only_session(written.save(tmp_path))
    assert session.typed == ("cut here: \ufffd, and go on",)
    assert session.gaps.damaged == 0


def test_line_ends_of_windows_and_a_byte_order_mark_are_no_damage(written: Written, tmp_path: Path) -> None:
    written.typed("one")
    written.lines.insert(0, b'{"type":"mode","mode":"normal"}')
    source = written.save(tmp_path)
    written.path.write_bytes(b"\xef\xbb\xbf" + written.path.read_bytes().replace(b"\n", b"\r\n"))
    session = only_session(source)
    assert (session.typed, session.gaps.damaged) == (("one",), 0)


def test_secrets_are_redacted_before_anything_is_cut(written: Written, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    written.typed(f"push with {token}")
    written.said("x" * 1980 + " " + token + " more" * 200)
    written.called("Bash", command=f"curl -H 'Authorization: token {token}' https://example.org")
    session = only_session(written.save(tmp_path))
    assert token[:12] not in repr(session)
    assert max(len(turn.text) for turn in session.turns) <= 2000


def test_a_prompt_is_kept_up_to_twenty_thousand_characters(written: Written, tmp_path: Path) -> None:
    written.typed("go on " * 3000)
    written.typed("and on " * 3000)
    first, second = only_session(written.save(tmp_path)).typed
    assert first == "go on " * 3000
    assert len(second) == 20_000


def test_a_file_that_may_not_be_read_is_unreadable(written: Written, tmp_path: Path) -> None:
    written.typed("secret")
    source = written.save(tmp_path)
    path = str(written.path)
    written.path.unlink()
    ((_, _, reading),) = source.read([path])
    assert "No such file" in reading.unreadable
    assert reading.sessions == ()


def test_a_folder_that_is_not_there_is_no_sessions(tmp_path: Path) -> None:
    assert read_all(ClaudeCode(tmp_path / "nowhere")) == {}


@pytest.mark.parametrize("version", ["2.1.329", "1.0.128"])
def test_the_same_session_written_twice_reads_the_same(version: str, tmp_path: Path) -> None:
    exchanges = [
        Exchange(
            "fix it", "Fixed.", tools=[ToolCall(command="make", output="boom", exit_code=2)], opening="Looking."
        ),
        Exchange("publish", tools=[ToolCall(command="git push -f")], rejected=True),
        Exchange(
            "no, open a PR",
            "Done.",
            tools=[ToolCall(path="/home/dev/shop/a.py", content="a = 1\n", before="a = 0\n")],
        ),
        Exchange("explain", interrupted=True),
    ]
    for number in ("one", "two"):
        claude_session(
            tmp_path / number / "projects", cwd="/home/dev/shop", started=START, exchanges=exchanges, version=version
        )
    first, second = (only_session(ClaudeCode(tmp_path / number)) for number in ("one", "two"))
    assert first == second
    assert first.typed == ("fix it", "publish", "no, open a PR", "explain")
    assert [(event.name, event.exit_code, event.rejected) for event in first.tools] == [
        ("Bash", 2, False), ("Bash", None, True), ("Edit", None, False),
    ]  # fmt: skip
    assert first.gaps.damaged == 0


@pytest.mark.parametrize("version", ["2.1.329", "1.0.128"])
def test_a_command_that_the_person_ran_in_the_prompt_is_theirs(version: str, tmp_path: Path) -> None:
    exchanges = [Exchange("fix it", "Fixed."), Exchange("make lint", "I see.", in_shell=True, printed="a.py: bad")]
    claude_session(tmp_path / "projects", cwd="/home/dev/shop", started=START, exchanges=exchanges, version=version)

    session = only_session(ClaudeCode(tmp_path))

    assert session.typed == ("fix it",)
    assert [(command.turn, command.text) for command in session.commands] == [(2, "make lint")]


def test_of_a_sub_agents_file_only_place_and_times_are_read(tmp_path: Path) -> None:
    exchanges = [Exchange("find it", "Found.", tools=[ToolCall(path="/a", output="x\n" * 50_000)])]
    parent = claude_session(tmp_path / "projects", cwd="/home/dev/shop", started=START, exchanges=exchanges)
    path = claude_session(
        tmp_path / "projects", cwd="/home/dev/shop/sub", started=START, exchanges=exchanges, subagent_of=parent
    )
    session, why = sessions_of(ClaudeCode(tmp_path))[path.stem]
    assert why is LeftOut.SUBAGENT
    assert session.cwd == "/home/dev/shop/sub"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    first, *_, last = [line["timestamp"] for line in lines if "uuid" in line]
    assert (session.started, session.ended) == (datetime.fromisoformat(first), datetime.fromisoformat(last))
    assert (session.turns, session.tools) == ((), ())


@pytest.mark.parametrize("version", ["2.1.329", "1.0.128"])
def test_a_session_in_another_spacing_reads_the_same(version: str, tmp_path: Path) -> None:
    tools = [
        ToolCall(path="/a.py", output="x = 1\n" * 3000),
        ToolCall(command="make", output="boom\n" * 3000, exit_code=2),
        ToolCall(path="/b.py", content="y = 2\n", before="z\n" * 5000),
        ToolCall(path="/c.png", image="iVBORw0K" * 2000),
    ]
    exchanges = [Exchange("fix it", "Fixed.", tools=tools), Exchange("thanks", "Welcome.")]
    path = claude_session(
        tmp_path / "projects", cwd="/home/dev/shop", started=START, exchanges=exchanges, version=version
    )
    before = only_session(ClaudeCode(tmp_path))
    path.write_text("\n".join(json.dumps(json.loads(line)) for line in path.read_text().splitlines()) + "\n")
    assert only_session(ClaudeCode(tmp_path)) == before
    assert [event.exit_code for event in before.tools] == [None, 2, None, None]


class Unnamed(Written):
    """A session of a version that names no entrypoint: what it says of its queue stands between its records."""

    def add(self, kind: str, *, parent: str | None = "", **fields: Any) -> str:
        name = super().add(kind, parent=parent, **fields)
        record = json.loads(self.lines.pop())
        for key in ("entrypoint", *HUMAN):
            record.pop(key, None)
        self.lines.append(json.dumps(record).encode())
        return name

    def queue(self, operation: str, *, after: float = 0.0) -> None:
        """An operation of the queue, so many seconds after the record before it."""
        when = (START + timedelta(seconds=len(self.lines) + after)).isoformat().replace("+00:00", "Z")
        record = {"type": "queue-operation", "operation": operation, "timestamp": when, "sessionId": "s"}
        self.lines.append(json.dumps(record, separators=(",", ":")).encode())


@pytest.fixture
def unnamed(tmp_path: Path) -> Unnamed:
    return Unnamed(tmp_path)


def why_of(source: ClaudeCode) -> LeftOut | None:
    ((_, why),) = sessions_of(source).values()
    return why


def test_a_prompt_that_left_the_queue_without_having_been_in_it_is_a_programs(
    unnamed: Unnamed, tmp_path: Path
) -> None:
    unnamed.queue("dequeue")
    unnamed.typed("go")
    unnamed.said("gone")
    assert why_of(unnamed.save(tmp_path)) is LeftOut.HEADLESS


def test_what_is_sent_to_a_program_at_work_is_a_programs_too(unnamed: Unnamed, tmp_path: Path) -> None:
    unnamed.queue("dequeue")
    unnamed.typed("go")
    unnamed.queue("enqueue")
    unnamed.said("gone")
    unnamed.queue("dequeue")
    unnamed.typed("and now back")
    unnamed.add("attachment", attachment={"type": "queued_command", "prompt": "at once"})
    assert why_of(unnamed.save(tmp_path)) is LeftOut.HEADLESS


def test_what_a_person_took_out_of_the_queue_again_makes_nothing_a_programs(unnamed: Unnamed, tmp_path: Path) -> None:
    unnamed.typed("go")
    for taken_back in ("remove", "popAll"):
        unnamed.queue("enqueue")
        unnamed.queue(taken_back)
    unnamed.said("gone")
    unnamed.typed("and back")
    unnamed.queue("enqueue")
    unnamed.said("I am")
    unnamed.queue("dequeue")
    unnamed.typed("thanks")
    assert only_session(unnamed.save(tmp_path)).typed == ("go", "and back", "thanks")


def test_a_program_that_goes_on_with_a_persons_session_types_only_its_own(unnamed: Unnamed, tmp_path: Path) -> None:
    unnamed.typed("go")
    unnamed.said("gone")
    unnamed.queue("dequeue")
    unnamed.typed("of a script")
    unnamed.said("I am")
    unnamed.typed("of mine")
    assert only_session(unnamed.save(tmp_path)).typed == ("go", "of mine")


def test_who_writes_in_an_editor_is_a_person_though_the_editor_hands_it_on(unnamed: Unnamed, tmp_path: Path) -> None:
    opened = "<ide_opened_file>The user opened the file a.py in the IDE.</ide_opened_file>"
    unnamed.queue("dequeue")
    content = [{"type": "text", "text": opened}, {"type": "text", "text": "explain this"}]
    unnamed.add("user", message={"role": "user", "content": content})
    unnamed.said("it adds")
    unnamed.queue("dequeue")
    unnamed.typed("shorter")
    assert only_session(unnamed.save(tmp_path)).typed == ("explain this", "shorter")


def test_where_a_record_names_its_entrypoint_the_queue_is_not_asked(written: Written, tmp_path: Path) -> None:
    written.lines.append(b'{"type":"queue-operation","operation":"dequeue","timestamp":"2026-11-20T08:00:00.000Z"}')
    written.typed("go")
    assert only_session(written.save(tmp_path)).typed == ("go",)
