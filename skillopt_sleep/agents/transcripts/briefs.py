"""Say in a few words what a tool call did, from the input that the model gave it."""

from typing import Any, cast

import msgspec


class ToolInput(msgspec.Struct, gc=False):
    """The parts of a tool's input that tell what the call was for, whatever their types."""

    command: Any = None
    cmd: Any = None
    file_path: Any = None
    notebook_path: Any = None
    path: Any = None
    pattern: Any = None
    url: Any = None
    query: Any = None
    skill: Any = None
    plan: Any = None
    description: Any = None
    old_string: Any = None
    new_string: Any = None

    @property
    def brief(self) -> str:
        """Return the command, file or address, or "" if the input names none."""
        for value in (self.command, self.cmd, self.file_path, self.notebook_path, self.path, self.pattern):
            if text := _text(value):
                return text
        return _text(self.url) or _text(self.query) or _text(self.skill) or _text(self.description)


_inputs = msgspec.json.Decoder(ToolInput)


def brief_of(tool_input: bytes | str | msgspec.Raw) -> str:
    """Return the brief of an input that is still JSON, or "" if it isn't JSON."""
    try:
        return _inputs.decode(tool_input).brief
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def _text(value: Any) -> str:
    if isinstance(value, list) and value:
        # A command given as arguments ends with what the shell is to run.
        value = cast("list[Any]", value)[-1]
    return value if isinstance(value, str) else ""
