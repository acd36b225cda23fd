"""Read from Claude Code's events what it did: the tools it called, the commands it ran and how they ended."""

import re
from io import BytesIO

import msgspec

from skillopt_sleep.agents.sealed import bounded
from skillopt_sleep.records import CommandRun

_SHELL = "Bash"
_SYNTHETIC = "<synthetic>"  # the model of messages that the program wrote itself
_EXIT = re.compile(r"\AExit code (\d{1,3})\b\n?")
_NOTED_EXIT = re.compile(r"\(exit code (\d{1,3})\)")
_IN_BACKGROUND = "Command running in background"
_NOT_RUN = "<tool_use_error>"


class _Input(msgspec.Struct):
    command: str = ""


class _Block(msgspec.Struct):
    type: str
    id: str = ""
    name: str = ""
    input: msgspec.Raw = msgspec.Raw(b"{}")
    tool_use_id: str = ""
    content: msgspec.Raw = msgspec.Raw(b'""')
    is_error: bool | None = None


class _Message(msgspec.Struct):
    id: str = ""
    model: str = ""
    content: str | list[_Block] = ""


class _Event(msgspec.Struct):
    """The parts of an output line that we read."""

    type: str
    subtype: str = ""
    message: _Message | None = None
    session_id: str = ""
    tool_use_result: msgspec.Raw = msgspec.Raw(b"null")
    tool_use_id: str = ""
    summary: str = ""


class _Interpreted(msgspec.Struct):
    meaning: str | None = msgspec.field(default=None, name="returnCodeInterpretation")


class _Text(msgspec.Struct):
    text: str = ""


_event = msgspec.json.Decoder(_Event)
_input = msgspec.json.Decoder(_Input)
_interpreted = msgspec.json.Decoder(_Interpreted)
_content = msgspec.json.Decoder(str | list[_Text])


class Deeds:
    """What the events tell, run after run."""

    def __init__(self) -> None:
        self.tool_calls: list[str] = []
        self.model = ""
        self.session = ""
        self._answers: set[str] = set()
        self._commands: dict[str, CommandRun] = {}

    @property
    def commands(self) -> tuple[CommandRun, ...]:
        """Return the commands that ran, in order."""
        return tuple(self._commands.values())

    @property
    def turns(self) -> int:
        """Return how often the model answered."""
        return len(self._answers)

    def read(self, stdout: bytes) -> None:
        """Read the events of one run; what isn't one is left out."""
        for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
            try:
                event = _event.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            self.session = event.session_id or self.session
            if event.subtype == "task_notification":
                self._note_end(event)
            message = event.message
            if message is None or isinstance(message.content, str):
                continue
            if event.type == "assistant" and message.model != _SYNTHETIC:
                self._answers.add(message.id)
                self.model = message.model or self.model
                self._begin(message.content)
            elif event.type == "user":
                self._end(message.content, event)

    def _begin(self, blocks: list[_Block]) -> None:
        for block in blocks:
            if block.type != "tool_use":
                continue
            if len(self.tool_calls) < bounded.MOST_TOOL_CALLS:
                self.tool_calls.append(block.name)
            if block.name == _SHELL and len(self._commands) < bounded.MOST_COMMANDS:
                self._commands[block.id] = bounded.command(_command(block.input), None, "")

    def _end(self, blocks: list[_Block], event: _Event) -> None:
        for block in blocks:
            begun = self._commands.get(block.tool_use_id)
            if block.type != "tool_result" or begun is None:
                continue
            text = _text(block.content)
            if text.startswith(_NOT_RUN):
                del self._commands[block.tool_use_id]
                continue
            status = _status(text, block, event)
            output = bounded.ending(_EXIT.sub("", text))
            self._commands[block.tool_use_id] = CommandRun(text=begun.text, status=status, output=output)

    def _note_end(self, event: _Event) -> None:
        """Note how a command in the background ended."""
        begun = self._commands.get(event.tool_use_id)
        if begun and (exit_code := _NOTED_EXIT.search(event.summary)):
            self._commands[event.tool_use_id] = CommandRun(text=begun.text, status=int(exit_code[1]))


def _status(text: str, block: _Block, event: _Event) -> int | None:
    if exit_code := _EXIT.match(text):
        return int(exit_code[1])
    if block.is_error or text.startswith(_IN_BACKGROUND):
        return None
    try:
        meaning = _interpreted.decode(event.tool_use_result).meaning
    except msgspec.DecodeError:
        meaning = None
    # A 1 that says something, such as that grep found nothing, isn't reported as an error.
    return 1 if meaning else 0


def _command(given: msgspec.Raw) -> str:
    try:
        return _input.decode(given).command
    except msgspec.DecodeError:
        return ""


def _text(content: msgspec.Raw) -> str:
    try:
        value = _content.decode(content)
    except msgspec.DecodeError:
        return ""
    return value if isinstance(value, str) else "\n".join(block.text for block in value)
