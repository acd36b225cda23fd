"""Build a session from the lines of one Codex rollout."""

from collections import Counter

from skillopt_sleep.agents.codex.messages import MessageReader
from skillopt_sleep.agents.codex.records import (
    CALL_TYPES,
    KINDS,
    OUTPUT_TYPES,
    Attribution,
    FinishedItem,
    Payload,
    RecordLine,
    asked_of_review,
    joined,
)
from skillopt_sleep.agents.codex.tools import Tools
from skillopt_sleep.agents.transcripts.draft import SessionDraft
from skillopt_sleep.records import LeftOut


class RolloutReader:
    """Takes the lines of a rollout in order; `unknown` counts those of kinds that we don't know."""

    def __init__(self) -> None:
        self.draft = SessionDraft()
        self.name = ""
        self.version = ""
        self.unknown = Counter[str]()
        self._is_subagent = False
        self._messages = MessageReader(self.draft)
        self._tools = Tools(self.draft)
        self._records: set[tuple[str, str | None, str, str | None, str]] = set()

    def take(self, line: RecordLine, payload: Payload) -> None:
        """Use one line."""
        self.draft.saw(line.timestamp)
        self.draft.at = line.timestamp
        if not self._is_repeated(line, payload):
            self._use(line, payload)

    def _is_repeated(self, line: RecordLine, payload: Payload) -> bool:
        """Return whether the same record was written before, as in a file that was put together from others."""
        item = payload.item
        name = payload.id or (item and item.id)
        if not name:
            return False
        content = payload.content or (item and item.content)
        record = (line.type, payload.type, name, payload.call_id, joined(content))
        if record in self._records:
            return True
        self._records.add(record)
        return False

    def _use(self, line: RecordLine, payload: Payload) -> None:
        if line.type == "session_meta":
            self._take_meta(payload)
        elif line.type == "turn_context":
            self.draft.cwd = self.draft.cwd or payload.cwd or ""
        elif line.type == "event_msg":
            self._take_event(payload)
        elif line.type == "response_item" and not (line.metadata and line.metadata.compaction_output):
            self._take_response_item(payload)
        elif line.type not in KINDS:
            self.unknown[line.type] += 1

    def left_out(self) -> LeftOut | None:
        """Settle which texts count, and return why the session by itself is left out, if it is."""
        if self._is_subagent:
            return LeftOut.SUBAGENT
        self._messages.settle()
        if self.draft.by_program():
            return LeftOut.HEADLESS
        if self.draft.prompts:
            return None
        return LeftOut.HEADLESS if self._messages.is_headless else LeftOut.NO_USER_TURN

    def _take_meta(self, payload: Payload) -> None:
        if self.name:
            return
        self.name = payload.id or ""
        self.draft.cwd = payload.cwd or self.draft.cwd
        self.draft.entrypoint = payload.originator or ""
        self.version = payload.cli_version or ""
        if payload.git:
            self.draft.commit = payload.git.commit_hash or ""
        source = bytes(payload.source)
        self._is_subagent = payload.thread_source == "subagent" or b'"subagent"' in source
        self._messages.is_headless = payload.originator == "codex_exec" or source == b'"exec"'

    def _take_event(self, payload: Payload) -> None:
        match payload.type:
            case "task_started":
                self._messages.trigger = (payload.turn_attribution or Attribution()).turn_trigger or ""
            case "turn_aborted" if payload.reason == "interrupted":
                self.draft.stop()
            case "user_message" if payload.kind in {None, "plain"}:
                self._messages.add_typed(payload.message or "", "")
            case "agent_message" if payload.message:
                self._messages.add_reply(payload.message)
            case _:
                if payload.item is not None and not self._is_of_another(payload.thread_id):
                    self._take_item(payload.item)

    def _is_of_another(self, thread: str | None) -> bool:
        """Return whether an item belongs to another thread, such as that of a review, which the program writes to."""
        return bool(thread and self.name) and thread != self.name

    def _take_item(self, item: FinishedItem) -> None:
        if item.type == "UserMessage":
            self._take_user_message(item)
        elif item.type == "AgentMessage":
            self._messages.add_reply(joined(item.content), item.id or "")
        elif item.type == "Plan":
            self._messages.add_reply(item.text or "", item.id or "")
        elif item.type == "EnteredReviewMode":
            self._messages.add_typed(asked_of_review(item.target), item.id or "")
        elif item.type == "CommandExecution" and item.source != "user_shell":
            self._tools.note_command(item)

    def _take_user_message(self, item: FinishedItem) -> None:
        texts: list[str] = []
        for part in item.content or []:
            if part.type == "skill" and part.name:
                self.draft.skills[part.name] = None
            elif part.type == "text" and part.text:
                texts.append(part.text)
        self._messages.add_typed("\n".join(texts), item.id or "")

    def _take_response_item(self, payload: Payload) -> None:
        if payload.type == "message":
            self._messages.add_response_item(payload)
        elif payload.type in OUTPUT_TYPES:
            self._tools.note_output(payload.call_id or "", bytes(payload.output))
        elif payload.type in CALL_TYPES:
            self._tools.add_call(payload)
