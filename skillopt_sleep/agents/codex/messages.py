"""Read the messages of a Codex rollout, in which each message is written twice.

A message is written as a response item, where the program's own texts have the user's role too, and as an event. The
event tells what was really typed or said. A response item counts only if no event follows for its message.
"""

from skillopt_sleep.agents.codex.records import Part, Payload
from skillopt_sleep.agents.codex.text import (
    instructions,
    is_image,
    is_wrapper,
    joined,
    skill_name,
    typed_command,
    typed_part,
)
from skillopt_sleep.agents.transcripts.draft import Draft, Message, TypedShell, shorten
from skillopt_sleep.agents.transcripts.harness import typed_of
from skillopt_sleep.records import Origin

_FILE = "AGENTS.md"
_SHELL_KIND = "shell.user_command"


class Messages:
    """Adds the messages of one rollout to its draft, each once.

    `trigger` says what began the current turn; `is_headless` whether the whole session was begun by `codex exec`.
    """

    def __init__(self, draft: Draft) -> None:
        self.trigger = ""
        self.is_headless = False
        self.agent_was_heard = False  # by an event
        self._draft = draft
        self._person_was_heard = False  # by an event
        self._announced = ""  # an event's text, whose response item is still to come
        self._unproved: list[Message] = []  # the person's response items without an event so far
        self._unsure: list[Message] = []  # those that only their wording tells from the program's texts
        self._replies: list[Message] = []  # the agent's response items
        self._shells: dict[str, TypedShell] = {}  # commands that only their wording tells, by the whole text

    def add_typed(self, text: str, name: str) -> None:
        """Add what an event says was typed: it proves a response item, or stands for itself."""
        self._drop_shell(text)
        text = shorten(typed_part(text), Origin.USER)
        if not text:
            return
        self._person_was_heard = True
        message = self._response_item_of(text)
        if message is None:
            self._announced = text
            message = Message(Origin.USER, text, name, self._is_by_program())
            self._draft.items.append(message)
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
        self._draft.items.append(Message(Origin.ASSISTANT, text, name))

    def add_response_item(self, payload: Payload) -> None:
        """Add a message that is written as a response item."""
        if payload.role == "user":
            self._add_user_item(payload)
        elif payload.role == "assistant":
            message = Message(Origin.ASSISTANT, joined(payload.content), payload.id or "")
            self._replies.append(message)
            self._draft.items.append(message)

    def settle(self) -> None:
        """Drop the response items that only repeat events, now that the whole rollout was read."""
        if self._person_was_heard:
            for message in self._unsure:
                message.origin = Origin.HARNESS
        if self.agent_was_heard:
            echoes = {id(message) for message in self._replies}
            self._draft.items = [item for item in self._draft.items if id(item) not in echoes]

    def _response_item_of(self, text: str) -> Message | None:
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
            self._draft.items.append(Message(Origin.HARNESS, "\n".join(others), payload.id or ""))
            self._note_shell(others, kinds)
        text = shorten(typed_part("\n".join(typed)), Origin.USER)
        if not text:
            return
        if text == self._announced:
            self._announced = ""
            return
        message = Message(Origin.USER, text, payload.id or "", self._is_by_program())
        self._draft.items.append(message)
        self._unproved.append(message)
        if not kinds:
            self._unsure.append(message)

    def _note_inserted(self, text: str) -> None:
        """Note the skill, or the instructions in force, that the program inserted."""
        if skill := skill_name(text):
            self._draft.skills[skill] = None
        folder, instructed = instructions(text)
        if instructed:
            self._draft.note_instructions(f"{folder or self._draft.cwd}/{_FILE}", instructed)

    def _note_shell(self, others: list[str], kinds: list[str | None] | None) -> None:
        """Note a command that the person ran in the prompt; without a kind, an event may still show it was pasted."""
        if kinds and kinds != [_SHELL_KIND]:
            return
        if len(others) != 1 or not (command := typed_command(others[0])):
            return
        if others[0].strip() == self._announced.strip():
            return
        shell = TypedShell(command)
        self._draft.items.append(shell)
        if not kinds:
            self._shells[others[0].strip()] = shell

    def _drop_shell(self, text: str) -> None:
        """Take back a command of which an event says that its whole note was typed."""
        shell = self._shells.pop(text.strip(), None)
        if shell is not None:
            self._draft.items = [item for item in self._draft.items if item is not shell]

    def _is_by_program(self) -> bool:
        if self.trigger:
            return self.trigger == "exec"
        return self.is_headless


def _told_apart(parts: list[Part], kinds: list[str | None] | None) -> tuple[list[str], list[str]]:
    """Return what the person typed and what the program added; older versions don't name the kind of each part."""
    typed: list[str] = []
    others: list[str] = []
    for number, part in enumerate(parts):
        if not part.text or is_image(part.text):
            continue
        if _is_typed(part.text, number, kinds):
            typed.append(part.text)
        else:
            others.append(part.text)
    return typed, others


def _is_typed(text: str, number: int, kinds: list[str | None] | None) -> bool:
    if not kinds:
        return not is_wrapper(text)
    return number < len(kinds) and kinds[number] == "user.text"
