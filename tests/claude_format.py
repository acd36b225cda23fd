"""How Claude Code writes a session: record shapes and key order of 2.1.329 (interactive and headless) and 1.0.128."""

import hashlib
from collections.abc import Sequence
from uuid import UUID, uuid5

import msgspec

from tests.claude_tools import Fields, refusal, tool_result, tool_use
from tests.sessions import Clock, Exchange, ToolCall

TOOLS = [
    "CronCreate",
    "CronDelete",
    "EnterPlanMode",
    "ExitPlanMode",
    "Monitor",
    "NotebookEdit",
    "WebFetch",
    "WebSearch",
]
AGENTS = ["claude", "Explore", "general-purpose", "Plan"]
BETAS = [
    "claude-code-20250219",
    "interleaved-thinking-2025-05-14",
    "context-management-2025-06-27",
    "effort-2025-11-24",
]


class ClaudeWriter:
    """One session file, record by record; every record's parent is the one before it."""

    def __init__(
        self,
        *,
        session: str,
        cwd: str,
        branch: str,
        version: str,
        model: str,
        headless: bool,
        clock: Clock,
        vendor_text: str,
        subagent_of: str,
    ) -> None:
        self.session = subagent_of or session
        self.side: Fields = {"agentId": session[:17].replace("-", "")} if subagent_of else {}
        self.cwd = cwd
        self.model = model
        self.headless = headless
        self.clock = clock
        self.vendor_text = vendor_text
        self.old = version.startswith("1.")
        self.common: Fields = {"userType": "external"}
        if not self.old:
            self.common["entrypoint"] = "sdk-cli" if headless else "cli"
        self.common |= {"cwd": cwd, "sessionId": self.session, "version": version, "gitBranch": branch}
        self.lines: list[bytes] = []
        self.parent: str | None = None
        self.prompt = ""
        self.count = 0
        self.seed = uuid5(UUID(int=0), session)

    def session_bytes(self, exchanges: Sequence[Exchange]) -> bytes:
        """The whole file."""
        for number, exchange in enumerate(exchanges, start=1):
            if exchange.in_shell:
                self._shell(exchange, number)
            else:
                self._prompt(exchange, number)
            self._work(exchange)
            self._end(exchange, number)
            self.clock.rest()
        return b"\n".join(self.lines) + b"\n" if self.lines else b""

    # one exchange -------------------------------------------------------------------------------------------

    def _prompt(self, exchange: Exchange, number: int) -> None:
        self.prompt = self.unique()
        extra: Fields = {}
        if not self.old and not self.side:
            self._before(exchange.user)
            sent: Fields = {"promptSource": "sdk", "turnOrigin": "sdk"}
            typed: Fields = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
            position = {"promptIndex": 0 if self.headless else number, "turnIndex": number}
            extra = {"permissionMode": "acceptEdits", **(sent if self.headless else typed), "turnPosition": position}
        self.chained({"type": "user", "message": {"role": "user", "content": exchange.user}}, extra)
        if not self.old and number == 1:
            self._attachments()
            self._request_shape()
        if not self.old:
            self._request(exchange.user)

    def _shell(self, exchange: Exchange, number: int) -> None:
        self.prompt = self.unique()
        command = f"<bash-input>{exchange.user}</bash-input>"
        printed = f"<bash-stdout>{exchange.printed}</bash-stdout><bash-stderr></bash-stderr>"
        extra: Fields = {}
        if not self.old:
            self._before(exchange.user)
            extra = {"turnOrigin": "human", "turnPosition": {"promptIndex": number, "turnIndex": number}}
        self.chained({"type": "user", "message": {"role": "user", "content": command}})
        self.chained({"type": "user", "message": {"role": "user", "content": printed}}, extra)
        if not self.old:
            self._request(f"{command}\n{printed}")

    def _work(self, exchange: Exchange) -> None:
        first: list[Fields] = []
        if exchange.thought:
            first.append({"type": "thinking", "thinking": "", "signature": exchange.thought})
        if exchange.opening:
            first.append({"type": "text", "text": exchange.opening})
        if first and not exchange.tools:
            self._message(first, stop=None)
        for index, call in enumerate(exchange.tools):
            name = f"toolu_{self.unique()[:20].replace('-', '')}"
            self._message([*first, tool_use(name, call)], stop="tool_use")
            asked_by = self.parent or ""
            if exchange.meanwhile and index == 0:
                self._queued(exchange.meanwhile)
            last = index == len(exchange.tools) - 1
            self._result(name, call, asked_by, rejected=exchange.rejected and last)
            if not self.old and not (exchange.rejected and last):
                self._request("")
            first = []

    def _message(self, blocks: Sequence[Fields], *, stop: str | None) -> None:
        message = self.unique()
        for index, block in enumerate(blocks):
            self.say(message, block, index, stop)

    def _end(self, exchange: Exchange, number: int) -> None:
        if exchange.rejected or exchange.interrupted:
            what = " for tool use" if exchange.rejected else ""
            content = [{"type": "text", "text": f"[Request interrupted by user{what}]"}]
            self.chained({"type": "user", "message": {"role": "user", "content": content}})
        elif exchange.assistant:
            self._message([{"type": "text", "text": exchange.assistant}], stop="end_turn")
        if self.old or self.side:
            return
        if not self.headless:
            took: Fields = {"subtype": "turn_duration", "durationMs": 400 + number, "messageCount": 15}
            self.chained({"type": "system", **took}, {"isMeta": False})
        typed = f"! {exchange.user}" if exchange.in_shell else exchange.user
        last = {"lastPrompt": typed, "leafUuid": self.parent, "sessionId": self.session}
        self.loose({"type": "last-prompt", **last})
        cost = {"totalCostUSD": 0.0212, "totalDuration": 5431, "hasUnknownModelCost": False}
        self.loose({"type": "cost-state", "sessionId": self.session, **cost})

    # records ------------------------------------------------------------------------------------------------

    def unique(self) -> str:
        """The next of the file's uuids."""
        self.count += 1
        return str(uuid5(self.seed, str(self.count)))

    def chained(self, body: Fields, extra: Fields | None = None, *, prompt: bool = True) -> None:
        """A record of the conversation, after the last one."""
        name = self.unique()
        head: Fields = {"parentUuid": self.parent, "isSidechain": bool(self.side)}
        tail: Fields = {"uuid": name, "timestamp": self.clock.stamp()}
        if self.old:
            self.lines.append(encode({**head, **self.common, **body, **tail, **(extra or {})}))
        else:
            asked: Fields = {"promptId": self.prompt} if prompt and body["type"] == "user" else {}
            self.lines.append(encode({**head, **asked, **self.side, **body, **tail, **(extra or {}), **self.common}))
        self.parent = name

    def loose(self, body: Fields) -> None:
        """A record of the program's own bookkeeping, outside of the conversation."""
        self.lines.append(encode(body))

    def say(self, message: str, block: Fields, index: int, stop: str | None) -> None:
        """One content block of an API message; each block's record repeats the message's usage."""
        body: Fields = {
            "id": f"msg_{message[:20].replace('-', '')}", "type": "message", "role": "assistant", "model": self.model,
            "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage(old=self.old),
        }  # fmt: skip
        record: Fields = {"message": body}
        if self.old:
            record |= {"requestId": f"req_{message[:12]}"}
        else:
            body["stop_details"] = None
            record |= {"apiBlockIndex": index, "requestId": f"req_{message[:12]}", "requestRef": message}
            record |= {"requestedModel": self.model, "promptCacheRequested": "5m"}
        made = {"effort": "medium", "perTurnEffort": "medium", "madeBy": "model", "session_id": self.session}
        self.chained({**record, "type": "assistant"}, {} if self.old else made)

    def _result(self, name: str, call: ToolCall, parent: str, *, rejected: bool) -> None:
        block, result = (
            (refusal(name), "User rejected tool use") if rejected else tool_result(name, call, old=self.old)
        )
        extra: Fields = {"toolUseResult": result}
        if not self.old:
            if rejected:
                extra |= {
                    "toolDenialKind": "user-rejected",
                    "toolDenialBeforeRun": True,
                    "sourceToolAssistantUUID": parent,
                }
            else:
                decision = {"decision": "accept", "source": "config", "reasonType": "mode"}
                extra |= {"sourceToolAssistantUUID": parent, "permissionDecision": decision}
            extra["session_id"] = self.session
        self.chained({"type": "user", "message": {"role": "user", "content": [block]}}, extra)
        if call.skill and not rejected:
            text = f"Base directory for this skill: {self.cwd}/.claude/skills/{call.skill}\n\n{self.vendor_text}"
            content = [{"type": "text", "text": text}]
            self.chained({"type": "user", "message": {"role": "user", "content": content}, "isMeta": True})

    def _queued(self, text: str) -> None:
        self.queue("enqueue", {"content": text})
        self.queue("remove", {})
        queued: Fields = {"type": "queued_command", "prompt": text, "origin": {"kind": "human"}, "humanTurn": True}
        self.chained({"attachment": queued, "type": "attachment"}, prompt=False)

    def _before(self, text: str) -> None:
        if self.headless:
            self.queue("enqueue", {"content": text})
            self.queue("dequeue", {})
            return
        self.loose({"type": "mode", "mode": "normal", "sessionId": self.session})
        self.loose({"type": "permission-mode", "permissionMode": "acceptEdits", "sessionId": self.session})
        snapshot = {"messageId": self.prompt, "trackedFileBackups": {}, "timestamp": self.clock.stamp()}
        about = {"messageId": self.prompt, "snapshot": snapshot, "isSnapshotUpdate": False}
        self.loose({"type": "file-history-snapshot", **about})

    def queue(self, operation: str, more: Fields) -> None:
        """A change of the queue of prompts."""
        when = {"operation": operation, "timestamp": self.clock.stamp(), "sessionId": self.session}
        self.loose({"type": "queue-operation", **when, **more})

    def _attachments(self) -> None:
        told = {"rendered": [{"content": "[vendor text removed]"}], "renderedRole": "system"}
        where = {
            "workingDirectory": self.cwd,
            "isWorktree": False,
            "isGitRepo": True,
            "platform": "linux",
            "shell": "bash",
        }
        identity = {"modelId": self.model, "marketingName": "Opus 5.5", "knowledgeCutoff": "June 2026"}
        today = self.clock.now.date().isoformat()
        for attachment in (
            {"type": "environment", "snapshot": where},
            {"type": "model", "identity": identity, "text": "[vendor text removed]"},
            {
                "type": "skill_listing",
                "content": self.vendor_text[:2000],
                "skillCount": 1,
                "isInitial": True,
                "names": ["init"],
            },
            {"type": "session_context", "context": {"gitStatus": "[vendor text removed]"}},
            {"type": "date", "date": today},
            {"type": "prompt_snapshot", "systemPrompt": [self.vendor_text[:20000]], "contextRendering": "announced"},
        ):
            self.chained({"attachment": attachment, "type": "attachment"}, told, prompt=False)

    def _request_shape(self) -> None:
        tool = {
            "name": "Agent",
            "description": self.vendor_text,
            "input_schema": {"type": "object", "properties": {}},
        }
        shape = {"system": [{"type": "text", "text": self.vendor_text}], "tools": [tool]}
        when = {"shapeHash": digest(self.session), "timestamp": self.clock.stamp(), "version": self.common["version"]}
        self.loose({"type": "api-request-shape", "sessionId": self.session, **when, "shape": shape})

    def _request(self, text: str) -> None:
        if text:
            content = [{"type": "text", "text": "[vendor text removed]"}, {"type": "text", "text": text}]
            blob = {"hash": digest(text), "message": {"role": "user", "content": content}}
            self.loose({"type": "api-request-blob", "sessionId": self.session, **blob})
        when = {"id": self.unique(), "timestamp": self.clock.stamp(), "version": self.common["version"]}
        keep = {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}
        asked = {"model": self.model, "betas": BETAS, "max_tokens": 128000, "context_management": keep}
        more = {"querySource": "repl_main_thread", "shapeHash": digest(self.session), "params": asked, "keep": 0}
        self.loose({"type": "api-request", "sessionId": self.session, **when, **more, "tail": [digest(text)]})


def encode(record: Fields) -> bytes:
    """One line, without its end."""
    return msgspec.json.encode(record)


def digest(text: str) -> str:
    """A SHA-256 in hex, as the program names request parts."""
    return hashlib.sha256(text.encode()).hexdigest()


def usage(*, old: bool) -> Fields:
    """The usage of one API message."""
    counts: Fields = {
        "input_tokens": 1200,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 25,
    }
    if old:
        return {**counts, "service_tier": "standard"}
    asked = {"web_search_requests": 0, "web_fetch_requests": 0}
    more: Fields = {
        "output_tokens_details": {"thinking_tokens": 0},
        "server_tool_use": asked,
        "service_tier": "standard",
    }
    cache = {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}
    return {**counts, **more, "cache_creation": cache, "inference_geo": "", "iterations": [], "speed": "standard"}
