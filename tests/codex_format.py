"""How Codex writes a rollout: record shapes and key order of 0.169.0 (TUI and exec) and 0.47.0."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid5

import msgspec

from tests.codex_tools import Fields, call_output, function_call
from tests.sessions import Clock, Exchange, ToolCall, stamp

ABORTED = (
    "<turn_aborted>\nThe user interrupted the previous turn on purpose. Any running unified exec processes may still be "
    "running in the background. If any tools/commands were aborted, they may have partially executed.\n</turn_aborted>"
)
TOKENS: Fields = {
    "input_tokens": 1200, "cached_input_tokens": 100, "output_tokens": 25, "reasoning_output_tokens": 5, "total_tokens": 1225,
}  # fmt: skip

# What the developer is made to say at first in a project with an AGENTS.md, and how much of it there is.
TOLD = {
    "host_skills.instructions": 6_000,
    "permissions.instructions": 3_000,
    "collaboration_mode.instructions": 2_000,
    "tools.deferred_namespaces": 1_000,
}


class CodexWriter:
    """One rollout file, line by line."""

    def __init__(
        self,
        *,
        session: str,
        cwd: str,
        branch: str,
        commit: str,
        version: str,
        model: str,
        headless: bool,
        clock: Clock,
        vendor_text: str,
        project_text: str,
        subagent_of: str,
    ) -> None:
        self.subagent_of = subagent_of
        self.session = session
        self.cwd = cwd
        self.version = version
        self.model = model
        self.headless = headless
        self.clock = clock
        self.vendor_text = vendor_text
        self.project_text = project_text
        self.git = {"commit_hash": commit, "branch": branch}
        self.old = version.startswith("0.4")
        self.lines: list[bytes] = []
        self.turn = ""
        self.count = 0
        self.used = 0
        self.seed = uuid5(UUID(int=1), session)

    def session_bytes(self, exchanges: Sequence[Exchange]) -> bytes:
        """The whole file."""
        self._meta()
        for number, exchange in enumerate(exchanges, start=1):
            self._open_turn(first=number == 1)
            self.user(exchange.user)
            if exchange.thought:
                self._reason(exchange.thought)
            if exchange.opening:
                self.agent(exchange.opening)
            for index, call in enumerate(exchange.tools):
                self._call(call, rejected=exchange.rejected and index == len(exchange.tools) - 1)
            if exchange.meanwhile:
                self.user(exchange.meanwhile)
            self._end(exchange)
            self.clock.rest()
        return b"\n".join(self.lines) + b"\n"

    # one turn -----------------------------------------------------------------------------------------------

    def _open_turn(self, *, first: bool) -> None:
        self.turn = self.unique()
        if not self.old:
            trigger = {
                "turn_id": self.turn,
                "turn_trigger": "exec" if self.headless else "user",
                "root_turn_id": self.turn,
            }
            when = {
                "turn_id": self.turn,
                "started_at": int(self.clock.now.timestamp()),
                "model_context_window": 258400,
            }
            self.event({"type": "task_started", "turn_attribution": trigger, **when})
        if first:
            self._tell()
        if not self.old:
            self._turn_context()

    def _tell(self) -> None:
        context = f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
        where = "environments.environment_context"
        if self.project_text:
            self._message("developer", [self.vendor_text[:size] for size in TOLD.values()], *TOLD)
            text = f"# AGENTS.md instructions for {self.cwd}\n\n<INSTRUCTIONS>\n{self.project_text}\n</INSTRUCTIONS>"
            self._message("user", [text, context], "agents_md.instructions", where)
            skills = {"body": self.vendor_text[: TOLD["host_skills.instructions"]], "includeInstructions": True}
            state = {"agents_md": {"text": self.project_text}, "host_skills": skills, "model": self.model}
            self.line("world_state", {"full": True, "state": state})
            return
        if not self.old:
            self._message("developer", [self.vendor_text], "host_skills.instructions")
        self._message("user", [context], where)

    def _end(self, exchange: Exchange) -> None:
        if exchange.rejected or exchange.interrupted:
            if self.old:
                return
            self._message("user", [ABORTED], "generic.turn_aborted")
            self.event({"type": "turn_aborted", "turn_id": self.turn, "reason": "interrupted", "duration_ms": 3804})
            return
        if exchange.assistant:
            self.agent(exchange.assistant)
        self._token_count()
        if not self.old:
            last = {"turn_id": self.turn, "last_agent_message": exchange.assistant or None, "duration_ms": 266}
            self.event({"type": "task_complete", **last})

    def user(self, text: str) -> None:
        """What the person typed, in both of its forms."""
        self._message("user", [text], "user.text")
        if self.old:
            self.event({"type": "user_message", "message": text, "kind": "plain"})
            self._turn_context()
        else:
            item = {"id": self.unique(), "client_id": self.unique()}
            content = [{"type": "text", "text": text, "text_elements": []}]
            self._item({"type": "UserMessage", **item, "content": content})

    def agent(self, text: str) -> None:
        """What the agent said, in both of its forms."""
        name = f"msg_{self.unique()[:12].replace('-', '')}"
        if self.old:
            self.event({"type": "agent_message", "message": text})
        else:
            self._item({"type": "AgentMessage", "id": name, "content": [{"type": "Text", "text": text}]})
        self._message("assistant", [text], "unknown", name=name)

    def _reason(self, sealed: str) -> None:
        name = f"rs_{self.unique()[:12].replace('-', '')}"
        summary = [{"type": "summary_text", "text": "Thinking"}]
        known: Fields = {} if self.old else {"id": name}
        if self.old:
            self.event({"type": "agent_reasoning", "text": "Thinking"})
        else:
            self._item({"type": "Reasoning", "id": name, "summary_text": ["Thinking"], "raw_content": []})
        self._response(
            {"type": "reasoning", **known, "summary": summary, "content": None, "encrypted_content": sealed}
        )

    def _call(self, call: ToolCall, *, rejected: bool) -> None:
        name = f"call_{self.unique()[:13].replace('-', '')}"
        kind = "custom_tool_call" if call.content else "function_call"
        if call.content:
            added = "".join(f"+{line}\n" for line in call.content.splitlines())
            verb = "Update" if call.before else "Add"
            patch = f"*** Begin Patch\n*** {verb} File: {call.path}\n{added}*** End Patch"
            asked: Fields = {"status": "completed", "call_id": name, "name": "apply_patch", "input": patch}
        else:
            asked = {**function_call(call, old=self.old), "call_id": name}
        prefix = "ctc" if call.content else "fc"
        known: Fields = {} if self.old else {"id": f"{prefix}_{name[5:]}"}
        self._response({"type": kind, **known, **asked})
        self.clock.tick(3700 if rejected else 60)
        if not (rejected or self.old or call.content or call.image):
            self._item(self._execution(name, call))
        output = "Wall time: 3.7 seconds\naborted by user" if rejected else call_output(call, old=self.old)
        self._response({"type": f"{kind}_output", "call_id": name, "output": output})
        self._token_count()

    def _execution(self, name: str, call: ToolCall) -> Fields:
        command = call.command or f"cat {call.path}"
        return {
            "type": "CommandExecution", "id": name, "process_id": "15950", "command": ["/bin/bash", "-lc", command],
            "cwd": f"file://{self.cwd}", "parsed_cmd": [{"type": "unknown", "cmd": command}],
            "source": "unified_exec_startup", "status": "failed" if call.exit_code else "completed",
            "aggregated_output": call.output, "exit_code": call.exit_code, "duration": {"secs": 0, "nanos": 15764},
        }  # fmt: skip

    # records ------------------------------------------------------------------------------------------------

    def unique(self) -> str:
        """The next of the file's uuids."""
        self.count += 1
        return str(uuid5(self.seed, str(self.count)))

    def line(self, kind: str, payload: Fields, more: Fields | None = None) -> None:
        """One line of the file."""
        ordinal: Fields = {} if self.old else {"ordinal": len(self.lines)}
        record: Fields = {
            "timestamp": self.clock.stamp(),
            **ordinal,
            "type": kind,
            "payload": payload,
            **(more or {}),
        }
        self.lines.append(msgspec.json.encode(record))

    def event(self, payload: Fields) -> None:
        """An event of the program."""
        self.line("event_msg", payload)

    def _item(self, item: Fields) -> None:
        moment = int(self.clock.now.timestamp() * 1000)
        when = {"started_at_ms": moment, "completed_at_ms": moment}
        self.event({"type": "item_completed", "thread_id": self.session, "turn_id": self.turn, "item": item, **when})

    def _response(self, payload: Fields, more: Fields | None = None) -> None:
        if self.old:
            self.line("response_item", payload)
            return
        passed = {"turn_id": self.turn, **(more or {})}
        metadata: Fields = {"history_sequence": len(self.lines), "sampled_through_sequence": 0}
        if payload["type"] == "message":
            retained = {"message_id": payload["id"], "turn_id": self.turn, "role": payload["role"]}
            metadata["retained_source"] = {"id": retained, "revision": f"retained_{self.turn}", "complete": True}
        metadata["client_authored"] = False
        self.line(
            "response_item", {**payload, "internal_chat_message_metadata_passthrough": passed}, {"metadata": metadata}
        )

    def _message(self, role: str, texts: list[str], *kinds: str, name: str = "") -> None:
        part = "output_text" if role == "assistant" else "input_text"
        known: Fields = {} if self.old else {"id": name or f"msg_{self.unique()}"}
        content = [{"type": part, "text": text} for text in texts]
        body: Fields = {"type": "message", **known, "role": role, "content": content}
        self._response(body, {"content_item_kinds": kinds})

    def _meta(self) -> None:
        when: datetime = self.clock.now
        head: Fields = {"id": self.session, "timestamp": stamp(when), "cwd": self.cwd}
        program = {"originator": "codex_exec" if self.headless else "codex-tui", "cli_version": self.version}
        if self.old:
            program["originator"] = "codex_exec" if self.headless else "codex_cli_rs"
        source: Fields = {"source": "exec" if self.headless else "cli"}
        if self.old:
            self.line("session_meta", {**head, **program, "instructions": None, **source, "git": self.git})
            return
        head = {"session_id": self.subagent_of or self.session, **head, "runtime_workspace_roots": [self.cwd]}
        if self.subagent_of:
            source = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": self.subagent_of, "depth": 1}}}}
        instructions = {"text": self.vendor_text, "provenance": {"type": "model", "model": self.model}}
        thread = "subagent" if self.subagent_of else "user"
        about: Fields = {"thread_source": thread, "model_provider": "openai", "base_instructions": instructions}
        self.line(
            "session_meta", {**head, **program, **source, **about, "history_mode": "paginated", "git": self.git}
        )

    def _turn_context(self) -> None:
        if self.old:
            policy = {"mode": "workspace-write", "network_access": False, "exclude_tmpdir_env_var": False}
            more = {"cwd": self.cwd, "approval_policy": "on-request", "sandbox_policy": policy, "model": self.model}
            self.line("turn_context", {**more, "summary": "auto"})
            return
        profile = {"type": "managed", "file_system": {"type": "restricted", "entries": self._permissions()}}
        mode = {
            "mode": "default",
            "settings": {"model": self.model, "developer_instructions": "[vendor text removed]"},
        }
        shared = {"cwd": self.cwd, "approval_policy": "on-request", "approvals_reviewer": "user"}
        context = {"turn_id": self.turn, "root_turn_id": self.turn, "disabled_plugin_ids": [], **shared}
        context |= {"permission_profile": profile, "model": self.model, "collaboration_mode": mode, "summary": "none"}
        self.line("turn_context", {**context, "sandbox_policy": {"type": "workspace-write"}})
        settings = {"model": self.model, "service_tier": "default", **shared, "permission_profile": profile}
        self.event({"type": "thread_settings_applied", "thread_id": self.session, "thread_settings": settings})

    def _permissions(self) -> list[Fields]:
        special = [
            {"path": {"type": "special", "value": {"kind": kind}}, "access": "read"} for kind in ("root", "tmpdir")
        ]
        names = ("", "/.git", "/.agents", "/.codex")
        paths = [{"path": {"type": "path", "path": self.cwd + name}, "access": "write"} for name in names]
        return [*special, *paths]

    def _token_count(self) -> None:
        self.used += 1
        total = {key: value * self.used for key, value in TOKENS.items()}
        if not self.old:
            record = {"thread_id": self.session, "turn_id": self.turn, "session_id": self.session, "usage": TOKENS}
            self.line("token_usage_record", {**record, "turn_token_usage": total, "thread_token_usage": total})
        info = {"total_token_usage": total, "last_token_usage": TOKENS, "model_context_window": 258400}
        limits: Fields = {"primary": None, "secondary": None}
        if not self.old:
            limits = {"limit_id": "codex", "limit_name": None, **limits, "credits": None, "plan_type": None}
        self.event({"type": "token_count", "info": info, "rate_limits": limits})
