"""The traps in Codex's rollouts, on lines written here in their shapes."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.records import HalfRead, LeftOut, Origin
from tests.agents.reading import TRANSCRIPTS, only_session, read_all, sessions_of
from tests.sessions import Exchange, ToolCall, codex_session

START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
NAME = "01a1fb91-c719-73f2-b8e0-d4d777a841bc"
META = {"id": NAME, "cwd": "/home/dev/shop", "originator": "codex-tui", "source": "cli", "git": {"branch": "main"}}


class Written:
    """A rollout put together line by line."""

    def __init__(self, home: Path, **meta: Any) -> None:
        self.path = home / "sessions" / "2026" / "11" / "20" / f"rollout-2026-11-20T08-00-00-{NAME}.jsonl"
        self.path.parent.mkdir(parents=True)
        self.lines: list[bytes] = []
        self.add("session_meta", {**META, **meta})

    def add(self, kind: str, payload: dict[str, Any], **more: Any) -> None:
        when = f"2026-11-20T08:00:{len(self.lines):02d}.000Z"
        record = {"timestamp": when, "type": kind, "payload": payload, **more}
        self.lines.append(json.dumps(record, separators=(",", ":")).encode())

    def response(self, role: str, *texts: str, kinds: list[str] | None = None, **more: Any) -> None:
        part = "output_text" if role == "assistant" else "input_text"
        payload: dict[str, Any] = {
            "type": "message",
            "role": role,
            "content": [{"type": part, "text": t} for t in texts],
        }
        if kinds:
            payload["internal_chat_message_metadata_passthrough"] = {"content_item_kinds": kinds}
        self.add("response_item", payload, **more)

    def event(self, text: str, **more: Any) -> None:
        self.add("event_msg", {"type": "user_message", "message": text, **more})

    def item(self, kind: str, *, thread: str = NAME, **fields: Any) -> None:
        item = {"type": kind, "id": f"i{len(self.lines)}", **fields}
        payload = {"type": "item_completed", "thread_id": thread, "turn_id": "t", "item": item}
        self.add("event_msg", payload)

    def typed(self, text: str, *, thread: str = NAME) -> None:
        self.item("UserMessage", thread=thread, content=[{"type": "text", "text": text}])

    def said(self, text: str) -> None:
        self.item("AgentMessage", content=[{"type": "Text", "text": text}])

    def called(self, command: str) -> None:
        arguments = json.dumps({"cmd": command})
        payload = {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": "c1"}
        self.add("response_item", payload)

    def output(self, text: str) -> None:
        self.add("response_item", {"type": "function_call_output", "call_id": "c1", "output": text})

    def save(self, home: Path, ending: bytes = b"\n") -> Codex:
        self.path.write_bytes(b"\n".join(self.lines) + ending)
        return Codex(home)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    return Written(tmp_path)


def test_a_prompt_written_as_response_and_as_event_counts_once(written: Written, tmp_path: Path) -> None:
    written.response("user", "fix it")
    written.event("fix it")
    written.response("user", "fix it")
    written.event("fix it")
    assert only_session(written.save(tmp_path)).typed == ("fix it", "fix it")


def test_an_event_before_its_response_counts_once(written: Written, tmp_path: Path) -> None:
    written.event("fix it")
    written.response("user", "fix it")
    assert only_session(written.save(tmp_path)).typed == ("fix it",)


def test_without_events_a_response_counts_unless_it_is_a_wrapper(written: Written, tmp_path: Path) -> None:
    written.response("user", "<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>")
    written.response(
        "user", "# AGENTS.md instructions for /home/dev/shop\n\n<INSTRUCTIONS>\nuse pnpm\n</INSTRUCTIONS>"
    )
    written.response("user", "fix it")
    written.response("user", "<turn_aborted>\nThe user interrupted\n</turn_aborted>")
    written.response("user", "<user_shell_command>\nls\n</user_shell_command>")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("fix it",)
    assert [turn.origin for turn in session.turns].count(Origin.HARNESS) == 4


def test_the_instructions_in_force_are_kept_with_their_folder(written: Written, tmp_path: Path) -> None:
    given = "# AGENTS.md instructions for /home/dev/shop/api\n\n<INSTRUCTIONS>\nuse pnpm\n\n</INSTRUCTIONS>"
    written.response("user", given, "<environment_context>", kinds=["agents_md.instructions", "environments"])
    written.response("user", "<user_instructions>\n\nanswer in English\n\n</user_instructions>")
    written.response("user", "fix it")
    session = only_session(written.save(tmp_path))
    assert [(file.path, file.text) for file in session.instructions] == [
        ("/home/dev/shop/api/AGENTS.md", "use pnpm"),
        ("/home/dev/shop/AGENTS.md", "answer in English"),
    ]


def test_the_kind_of_a_part_says_what_was_typed(written: Written, tmp_path: Path) -> None:
    written.response("user", "project notes", "fix it", kinds=["agents_md.instructions", "user.text"])
    assert only_session(written.save(tmp_path)).typed == ("fix it",)


def test_where_there_are_events_an_unproved_response_is_harness(written: Written, tmp_path: Path) -> None:
    written.response("user", "notes of a project in a shape we don't know")
    written.response("user", "fix it")
    written.event("fix it")
    assert only_session(written.save(tmp_path)).typed == ("fix it",)


def test_a_typed_response_whose_event_was_never_written_counts(written: Written, tmp_path: Path) -> None:
    written.response("user", "fix it", kinds=["user.text"])
    written.event("fix it")
    written.response("user", "and the other one", kinds=["user.text"])
    assert only_session(written.save(tmp_path)).typed == ("fix it", "and the other one")


def test_a_line_that_is_written_twice_counts_once(written: Written, tmp_path: Path) -> None:
    for number, text in enumerate(("first", "continue")):
        part = {"type": "input_text", "text": text}
        kinds = {"content_item_kinds": ["user.text"]}
        message = {"type": "message", "id": f"m{number}", "role": "user", "content": [part]}
        written.add("response_item", {**message, "internal_chat_message_metadata_passthrough": kinds})
        written.typed(text)
    written.lines += written.lines[1:]
    written.typed("continue")
    assert only_session(written.save(tmp_path)).typed == ("first", "continue", "continue")


def test_an_item_id_that_is_used_again_hides_no_other_text(written: Written, tmp_path: Path) -> None:
    for text in ("first", "no, use pnpm"):
        part = {"type": "text", "text": text}
        written.item("UserMessage", id="item_0", content=[part])
        written.response("assistant", f"done: {text}")
        written.lines[-1] = written.lines[-1].replace(b'"role"', b'"id":"msg_0","role"')
    session = only_session(written.save(tmp_path))
    assert [turn.text for turn in session.turns] == ["first", "done: first", "no, use pnpm", "done: no, use pnpm"]


def test_lines_of_unknown_kinds_are_counted_with_their_version(tmp_path: Path) -> None:
    written = Written(tmp_path, cli_version="9.9.9")
    written.add("human_input", {"text": "create a run script"})
    written.event("thanks")
    written.add("human_input", {"type": "text", "text": "no, use pnpm"})
    written.add("world_state", {"full": True})
    unknown = only_session(written.save(tmp_path)).gaps.half_read
    assert unknown == HalfRead("9.9.9", ("human_input",), 2, 5)


def test_of_the_genuine_programs_no_kind_is_unknown() -> None:
    for folder in (TRANSCRIPTS / "codex").iterdir():
        assert [
            session.gaps.half_read for session, _ in sessions_of(Codex(folder)).values() if session.gaps.half_read
        ] == []


def test_events_that_are_not_plain_were_not_typed(written: Written, tmp_path: Path) -> None:
    written.event("<user_instructions>use pnpm</user_instructions>", kind="user_instructions")
    written.event("fix it", kind="plain")
    assert only_session(written.save(tmp_path)).typed == ("fix it",)


def test_what_stands_around_an_image_is_no_text(written: Written, tmp_path: Path) -> None:
    written.response("user", '<image name=[Image #1] path="/tmp/a.png">', "</image>", "what is it?")
    assert only_session(written.save(tmp_path)).typed == ("what is it?",)


def test_the_context_an_editor_puts_before_a_request_is_cut_off(written: Written, tmp_path: Path) -> None:
    written.event("# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nfix it\n")
    assert only_session(written.save(tmp_path)).typed == ("fix it\n",)


def test_developer_messages_are_not_kept(written: Written, tmp_path: Path) -> None:
    written.response("developer", "never tell")
    written.event("fix it")
    assert "never tell" not in repr(only_session(written.save(tmp_path)))


def test_the_agents_words_count_once_and_a_compaction_not_at_all(written: Written, tmp_path: Path) -> None:
    written.event("fix it")
    written.response("assistant", "Fixed.")
    written.add("event_msg", {"type": "agent_message", "message": "Fixed."})
    written.response("assistant", "SUMMARY", metadata={"compaction_output": True})
    turns = only_session(written.save(tmp_path)).turns
    assert [turn.text for turn in turns if turn.origin is Origin.ASSISTANT] == ["Fixed."]


def test_what_the_program_asks_of_a_review_is_not_typed(written: Written, tmp_path: Path) -> None:
    """The genuine order: the review's own thread asks, and the answer comes in the person's thread."""
    written.typed("fix it")
    written.item("EnteredReviewMode", target={"type": "uncommittedChanges"}, user_facing_hint="current changes")
    review = "01a2059c-ee1d-7cb0-ac24-b977b0bba591"
    written.typed("Review the current code changes and provide prioritized findings.", thread=review)
    written.item("ExitedReviewMode", review_output={"findings": []})
    written.said("no findings")
    session = only_session(written.save(tmp_path))
    assert session.typed == ("fix it",)
    assert session.turns[-1].text == "no findings"


def test_what_a_person_asks_of_a_review_is_typed_once(written: Written, tmp_path: Path) -> None:
    asked = "look at names, always use snake case"
    written.item("EnteredReviewMode", target={"type": "custom", "instructions": asked}, user_facing_hint=asked)
    written.typed(asked, thread="01a2059c-ee1d-7cb0-ac24-b977b0bba591")
    assert only_session(written.save(tmp_path)).typed == (asked,)


def test_a_plan_is_an_answer(written: Written, tmp_path: Path) -> None:
    written.typed("plan the move")
    written.item("Plan", text="# Plan\n1. use npm")
    written.said("Here it is.")
    written.response("assistant", "<proposed_plan>\n# Plan\n1. use npm\n</proposed_plan>\nHere it is.")
    written.typed("no, pnpm")
    session = only_session(written.save(tmp_path))
    answers = [turn.text for turn in session.turns if turn.origin is Origin.ASSISTANT]
    assert answers == ["# Plan\n1. use npm", "Here it is."]


def test_a_plan_told_by_the_tool_is_an_answer_until_a_step_is_done(written: Written, tmp_path: Path) -> None:
    written.typed("move it")
    for status in ("in_progress", "completed"):
        steps = [{"step": "install with npm", "status": status}, {"step": "run it", "status": "pending"}]
        arguments = json.dumps({"explanation": "Two steps.", "plan": steps})
        written.add("response_item", {"type": "function_call", "name": "update_plan", "arguments": arguments})
    written.add("response_item", {"type": "function_call", "name": "update_plan", "arguments": '{"plan": "x"}'})
    session = only_session(written.save(tmp_path))
    answers = [turn.text for turn in session.turns if turn.origin is Origin.ASSISTANT]
    assert answers == ["Two steps.\n1. install with npm\n2. run it"]


def test_without_events_the_agents_responses_count(written: Written, tmp_path: Path) -> None:
    written.response("user", "fix it")
    written.response("assistant", "Fixed.")
    assert [turn.text for turn in only_session(written.save(tmp_path)).turns] == ["fix it", "Fixed."]


@pytest.mark.parametrize(
    ("output", "code", "rejected"),
    [
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nboom", 3, False),
        ("Process exited with code 0\nOutput:\n" + "Process exited with code 9\n" * 2000, 0, False),
        (json.dumps({"output": "x" * 9000, "metadata": {"exit_code": 2}}), 2, False),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\n", 1, False),
        ("Wall time: 3.7 seconds\naborted by user", None, True),
        ("exec command rejected by user", None, True),
        ("the log says: aborted by user", None, False),
        ("Output:\n" + '{"exit_code": 7}', None, False),
    ],
)
def test_exit_codes_and_refusals_are_read_from_outputs(
    output: str, code: int | None, written: Written, tmp_path: Path, *, rejected: bool
) -> None:
    written.event("fix it")
    written.called("make test")
    written.output(output)
    (event,) = only_session(written.save(tmp_path)).tools
    assert (event.brief, event.exit_code, event.rejected) == ("make test", code, rejected)
    assert event.error == (bool(code) or rejected)


@pytest.mark.parametrize("reason", ["interrupted", "replaced", "review_ended"])
def test_where_a_person_stops_the_agent_is_known(reason: str, written: Written, tmp_path: Path) -> None:
    written.event("explain it")
    written.add("event_msg", {"type": "agent_message", "message": "At length: "})
    written.add("event_msg", {"type": "turn_aborted", "turn_id": "t", "reason": reason})
    written.event("shorter")
    session = only_session(written.save(tmp_path))
    stopped = [session.turns[number].text for number in session.stops]
    assert stopped == (["At length: "] if reason == "interrupted" else [])


def test_a_long_prompt_written_as_response_and_as_event_counts_once(written: Written, tmp_path: Path) -> None:
    text = "go on and on " * 9000
    for _ in range(50):
        written.response("user", text)
        written.event(text)
        written.event(text)
        written.response("user", text)
    (first, *others) = only_session(written.save(tmp_path)).typed
    assert len(others) == 99
    assert set(others) == {first}


def test_a_command_run_from_within_another_tool_is_an_event_of_its_own(written: Written, tmp_path: Path) -> None:
    item = {
        "type": "CommandExecution",
        "id": "inner",
        "command": ["/bin/bash", "-lc", "make"],
        "source": "agent",
        "exit_code": 2,
    }
    written.event("fix it")
    written.add("event_msg", {"type": "item_completed", "thread_id": NAME, "item": item})
    (event,) = only_session(written.save(tmp_path)).tools
    assert (event.brief, event.exit_code, event.error) == ("make", 2, True)


def test_a_shell_command_of_the_user_is_no_tool_call(written: Written, tmp_path: Path) -> None:
    item = {"type": "CommandExecution", "id": "mine", "command": ["ls"], "source": "user_shell", "exit_code": 0}
    written.event("fix it")
    written.add("event_msg", {"type": "item_completed", "thread_id": NAME, "item": item})
    assert only_session(written.save(tmp_path)).tools == ()


@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "x"}}}},
        {"source": {"subagent": "review"}},
        {"thread_source": "subagent"},
    ],
)
def test_a_rollout_of_a_sub_agent_is_left_out(meta: dict[str, Any], tmp_path: Path) -> None:
    written = Written(tmp_path, **meta)
    written.event("find the csv import")
    ((session, why),) = sessions_of(written.save(tmp_path)).values()
    assert why is LeftOut.SUBAGENT
    assert session.turns == ()


def test_a_session_of_a_person_that_exec_went_on_with_keeps_only_the_persons_prompts(
    written: Written, tmp_path: Path
) -> None:
    written.add("event_msg", {"type": "task_started", "turn_attribution": {"turn_trigger": "user"}})
    written.event("typed by me")
    written.add("event_msg", {"type": "task_started", "turn_attribution": {"turn_trigger": "exec"}})
    written.event("sent by a script")
    assert only_session(written.save(tmp_path)).typed == ("typed by me",)


def test_skills_are_known_by_the_part_and_by_the_text_the_program_inserts(written: Written, tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "do it"}, {"type": "skill", "name": "release", "path": "/s/release/SKILL.md"}]
    written.response("user", "<skill>\n<name>review</name>\n<path>/s</path>\nbe strict\n</skill>")
    written.add("event_msg", {"type": "item_completed", "item": {"type": "UserMessage", "id": "u", "content": parts}})
    session = only_session(written.save(tmp_path))
    assert session.skills == ("review", "release")
    assert session.typed == ("do it",)


def test_a_rollout_whose_head_is_lost_is_named_by_its_file(written: Written, tmp_path: Path) -> None:
    written.lines[0] = b'{"timestamp":"2026-11-20T08:00:00.000Z","type":"session_me'
    written.add("turn_context", {"cwd": "/home/dev/shop", "model": "gpt-5.5"})
    written.event("fix it")
    session = only_session(written.save(tmp_path))
    assert session.id == f"codex:{NAME}"
    assert session.cwd == "/home/dev/shop"
    assert session.gaps.damaged == 1


def test_garbage_is_counted_and_a_torn_end_is_not(written: Written, tmp_path: Path) -> None:
    written.event("before")
    written.lines += [b"garbage", b"[]", b"\x00\x00", b'{"timestamp":5}', b'{"type":7}']
    written.event("after")
    written.lines.append(b'{"timestamp":"2026-11-20T08:00:59.000Z","type":"event_msg","payload":{"type":"user_mess')
    session = only_session(written.save(tmp_path, ending=b""))
    assert session.typed == ("before", "after")
    assert session.gaps.damaged == 4


def test_live_and_archived_rollouts_are_read(tmp_path: Path) -> None:
    for archived in (False, True):
        name = f"01a1fb91-0000-7000-8000-00000000000{int(archived)}"
        codex_session(
            tmp_path, cwd="/home/dev/shop", started=START, exchanges=[Exchange("fix it", "Fixed.")], session_id=name,
            archived=archived,
        )  # fmt: skip
    assert len(read_all(Codex(tmp_path))) == 2


@pytest.mark.parametrize("version", ["0.169.0", "0.47.0"])
def test_a_written_session_reads_as_it_was_meant(version: str, tmp_path: Path) -> None:
    exchanges = [
        Exchange("fix it", "Fixed.", tools=[ToolCall(command="make", output="boom", exit_code=2)], opening="Looking.", meanwhile="fast"),
        Exchange("publish", tools=[ToolCall(command="git push -f")], rejected=True),
        Exchange("no, open a PR", "Done.", tools=[ToolCall(path="/home/dev/shop/a.py", content="a = 1\n")], thought="c2ln"),
        Exchange("explain", interrupted=True),
    ]  # fmt: skip
    codex_session(tmp_path, cwd="/home/dev/shop", started=START, exchanges=exchanges, version=version)
    session = only_session(Codex(tmp_path))
    assert session.typed == ("fix it", "fast", "publish", "no, open a PR", "explain")
    assert [(event.brief, event.exit_code, event.rejected) for event in session.tools] == [
        ("make", 2, False), ("git push -f", None, True), ("/home/dev/shop/a.py", 0 if version == "0.47.0" else None, False),
    ]  # fmt: skip
    said = [turn.text for turn in session.turns if turn.origin is Origin.ASSISTANT]
    assert said == ["Looking.", "Fixed.", "Done."]
    assert session.gaps.damaged == 0


def test_a_written_exec_session_is_headless(tmp_path: Path) -> None:
    codex_session(
        tmp_path, cwd="/home/dev/shop", started=START, exchanges=[Exchange("fix it", "Fixed.")], headless=True
    )
    ((session, why),) = sessions_of(Codex(tmp_path)).values()
    assert why is LeftOut.HEADLESS
    assert session.typed == ("fix it",)


def test_of_a_sub_agents_rollout_only_place_and_times_are_read(tmp_path: Path) -> None:
    exchanges = [Exchange("find it", "Found.", tools=[ToolCall(path="/a", output="x\n" * 50_000)])]
    path = codex_session(tmp_path, cwd="/home/dev/shop", started=START, exchanges=exchanges, subagent_of=NAME)
    ((session, why),) = sessions_of(Codex(tmp_path)).values()
    assert why is LeftOut.SUBAGENT
    assert session.cwd == "/home/dev/shop"
    assert session.ended == datetime.fromisoformat(json.loads(path.read_bytes().splitlines()[-1])["timestamp"])


@pytest.mark.parametrize("version", ["0.169.0", "0.47.0"])
def test_a_rollout_in_another_spacing_reads_the_same(version: str, tmp_path: Path) -> None:
    exchanges = [
        Exchange(
            "fix it",
            "Fixed.",
            tools=[ToolCall(command="make", output="boom\n" * 2000, exit_code=2)],
            opening="Looking.",
        ),
        Exchange("publish", tools=[ToolCall(command="git push -f")], rejected=True),
    ]
    path = codex_session(tmp_path, cwd="/home/dev/shop", started=START, exchanges=exchanges, version=version)
    before = only_session(Codex(tmp_path))
    path.write_text("\n".join(json.dumps(json.loads(line)) for line in path.read_text().splitlines()) + "\n")
    assert only_session(Codex(tmp_path)) == before


HANDOVER = "This session is being continued from a previous conversation that ran out of context. The summary: …"


@pytest.mark.parametrize(
    ("text", "typed", "stops"),
    [
        ("[Request interrupted by user]", "", 0),
        ("[Request interrupted by user for tool use]", "", 0),
        ("<bash-input>make test</bash-input>", "", 0),
        ("<bash-stdout>3 passed</bash-stdout><bash-stderr></bash-stderr>", "", 0),
        ("<command-name>/clear</command-name>\n  <command-message>clear</command-message>", "", 0),
        ("<local-command-stdout>Compacted</local-command-stdout>", "", 0),
        (HANDOVER, "", 0),
        ("<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the tax</command-args>",
         "the tax", 0),
        ("why does [Request interrupted by user] appear?", "why does [Request interrupted by user] appear?", 0),
    ],
)  # fmt: skip
def test_what_claude_code_wrote_in_an_imported_session_was_not_typed(
    text: str, typed: str, stops: int, written: Written, tmp_path: Path
) -> None:
    for told in ("fix it", text, "use pnpm"):
        written.event(told)
        written.response("user", told)
        written.add("event_msg", {"type": "agent_message", "message": "Done."})
    session = only_session(written.save(tmp_path))
    assert session.typed == tuple(part for part in ("fix it", typed, "use pnpm") if part)
    assert len(session.stops) == stops
