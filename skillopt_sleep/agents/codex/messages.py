"""Read the messages of a Codex rollout, in which each message is written twice.

A message is written as a response item, where the program's own texts have the user's role too, and as an event. The
event tells what was really typed or said. A response item counts only if no event follows for its message.
"""

import re

from skillopt_sleep.agents.codex.records import ContentPart, Payload, joined
from skillopt_sleep.agents.transcripts.draft import DraftMessage, SessionDraft, TypedShell, shorten
from skillopt_sleep.agents.transcripts.harness import typed_of
from skillopt_sleep.records import Origin

_FILE = "AGENTS.md"
_SHELL_KIND = "shell.user_command"

# What older versions put into the user's role without saying so.
_WRAPPER = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|skill|skills_instructions|turn_aborted"
    r"|user_shell_command|user_shell_output|subagent_notification|codex_internal_context|permissions instructions"
    r"|collaboration_mode|app-context|model_switch|personality_spec|hook_prompt|user_action)\b[^>]*>"
    r"|# AGENTS\.md instructions\b"
    r"|Another language model started to solve this problem and produced a summary\b)"
)
_INSTRUCTIONS = re.compile(
    r"\s*(?:# AGENTS\.md instructions for (?P<folder>[^\n]+)\s+<INSTRUCTIONS>(?P<text>.*)</INSTRUCTIONS>"
    r"|<user_instructions>(?P<older>.*)</user_instructions>)",
    re.DOTALL,
)
_IMAGE = re.compile(r"\s*(?:<image\b[^>]*>|</image>)\s*")
_SKILL = re.compile(r"\s*<skill>\s*<name>([^<\n]+)</name>")
_SHELL = re.compile(r"<user_shell_command>\s*<command>\n(.*?)\n</command>\n<result>\n", re.DOTALL)
_EDITOR = "# Context from my IDE setup:"
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n", re.MULTILINE)


class MessageReader:
    """Adds the messages of one rollout to its draft, each once.

    `trigger` says what began the current turn; `is_headless` whether the whole session was begun by `codex exec`.
    """

    def __init__(self, draft: SessionDraft) -> None:
        self.trigger = ""
        self.is_headless = False
        self.agent_was_heard = False  # by an event
        self._draft = draft
        self._person_was_heard = False  # by an event
        self._announced = ""  # an event's text, whose response item is still to come
        self._unproved: list[DraftMessage] = []  # the person's response items without an event so far
        self._unsure: list[DraftMessage] = []  # those that only their wording tells from the program's texts
        self._replies: list[DraftMessage] = []  # the agent's response items
        self._shells: dict[str, TypedShell] = {}  # commands that only their wording tells, by the whole text

    def add_typed(self, text: str, name: str) -> None:
        """Add what an event says was typed: it proves a response item, or stands for itself."""
        shell = self._shells.pop(text.strip(), None)  # the whole note of a command was typed: nobody ran it
        self._draft.items = [item for item in self._draft.items if item is not shell]
        text = shorten(_typed_part(text), Origin.USER)
        if not text:
            return
        self._person_was_heard = True
        message = self._response_item_of(text)
        if message is None:
            self._announced = text
            message = DraftMessage(Origin.USER, text, name, self._is_by_program())
            self._draft.add(message)
        self._unproved = [other for other in self._unproved if other is not message]
        self._unsure = [other for other in self._unsure if other is not message]
        typed = typed_of(text)
        message.text = typed or text
        message.id = name or message.id
        if not typed:
            message.origin = Origin.HARNESS

    def add_reply(self, text: str, name: str = "") -> None:
        """Add what an event says the agent replied."""
        self.agent_was_heard = True
        self._draft.add(DraftMessage(Origin.ASSISTANT, text, name))

    def add_response_item(self, payload: Payload) -> None:
        """Add a message that is written as a response item."""
        if payload.role == "user":
            self._add_user_item(payload)
        elif payload.role == "assistant":
            message = DraftMessage(Origin.ASSISTANT, joined(payload.content), payload.id or "")
            self._replies.append(message)
            self._draft.add(message)

    def settle(self) -> None:
        """Drop the response items that only repeat events, now that the whole rollout was read."""
        if self._person_was_heard:
            for message in self._unsure:
                message.origin = Origin.HARNESS
        if self.agent_was_heard:
            echoes = {id(message) for message in self._replies}
            self._draft.items = [item for item in self._draft.items if id(item) not in echoes]

    def _response_item_of(self, text: str) -> DraftMessage | None:
        """Return the unproved response item that an event's text belongs to: the same text, else the last item."""
        for message in self._unproved:
            if message.text == text:
                return message
        if self._unproved and self._draft.items and self._unproved[-1] is self._draft.items[-1]:
            return self._unproved[-1]
        return None

    def _add_user_item(self, payload: Payload) -> None:
        parts = payload.content or []
        passed = payload.internal_chat_message_metadata_passthrough
        kinds = passed.content_item_kinds if passed else None
        typed, others = _told_apart(parts, kinds)
        for text in others:
            self._note_inserted(text)
        if others:
            self._draft.add(DraftMessage(Origin.HARNESS, "\n".join(others), payload.id or ""))
            self._note_shell(others, kinds)
        text = shorten(_typed_part("\n".join(typed)), Origin.USER)
        if not text:
            return
        if text == self._announced:
            self._announced = ""
            return
        message = DraftMessage(Origin.USER, text, payload.id or "", self._is_by_program())
        self._draft.add(message)
        self._unproved.append(message)
        if not kinds:
            self._unsure.append(message)

    def _note_inserted(self, text: str) -> None:
        """Note the skill, or the instructions in force, that the program inserted."""
        if skill := _SKILL.match(text):
            self._draft.skills[skill[1].strip()] = None
        folder, instructed = _instructions(text)
        if instructed:
            self._draft.note_instructions(f"{folder or self._draft.cwd}/{_FILE}", instructed)

    def _note_shell(self, others: list[str], kinds: list[str | None] | None) -> None:
        """Note a command that the person ran in the prompt; without a kind, an event may still show it was pasted."""
        if kinds and kinds != [_SHELL_KIND]:
            return
        command = _SHELL.match(others[0])
        if len(others) != 1 or command is None or not command[1].strip():
            return
        if others[0].strip() == self._announced.strip():
            return
        shell = TypedShell(command[1].strip())
        self._draft.add(shell)
        if not kinds:
            self._shells[others[0].strip()] = shell

    def _is_by_program(self) -> bool:
        if self.trigger:
            return self.trigger == "exec"
        return self.is_headless


def _told_apart(parts: list[ContentPart], kinds: list[str | None] | None) -> tuple[list[str], list[str]]:
    """Return what the person typed and what the program added; older versions don't name the kind of each part."""
    typed: list[str] = []
    others: list[str] = []
    for number, part in enumerate(parts):
        if not part.text or _IMAGE.fullmatch(part.text):
            continue
        if _is_typed(part.text, number, kinds):
            typed.append(part.text)
        else:
            others.append(part.text)
    return typed, others


def _is_typed(text: str, number: int, kinds: list[str | None] | None) -> bool:
    if not kinds:
        return _WRAPPER.match(text) is None
    return number < len(kinds) and kinds[number] == "user.text"


def _instructions(text: str) -> tuple[str, str]:
    """Return the folder and the text of the instructions that the program inserted; an older one named no folder."""
    inserted = _INSTRUCTIONS.match(text) if text.lstrip()[:1] in {"#", "<"} else None
    if inserted is None:
        return "", ""
    return inserted["folder"] or "", (inserted["text"] or inserted["older"]).strip()


def _typed_part(text: str) -> str:
    """Return the text without what an editor put in front of the request."""
    if not text.startswith(_EDITOR):
        return text
    heading = _REQUEST.search(text)
    return text[heading.end() :] if heading else text
