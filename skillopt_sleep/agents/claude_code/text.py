"""Tell what a person typed from what Claude Code wrote in their place."""

import re

_SHELL = re.compile(r"<bash-input>((?:(?!</bash-input>).)*)</bash-input>\s*", re.DOTALL)
_SHELL_OUTPUT = re.compile(r"<bash-(?:stdout|stderr)>")
_SKILL = re.compile(r"\s*Base directory for this skill: (\S[^\n]*)")
_SAID = "the user said:\n"
_AFTER_SAID = "\n\nNote: The user's next message"

REFUSED = "The user doesn't want to proceed with this tool use."
_DECLINED = "The user doesn't want to take this action right now."


def typed_command(text: str) -> str:
    """Return the shell command that the person ran in the prompt, or "" if the text isn't the note of one."""
    command = _SHELL.fullmatch(text)
    return command[1].strip() if command else ""


def is_command_output(text: str) -> bool:
    """Return whether the text is what a command that the person ran gave back."""
    return _SHELL_OUTPUT.match(text) is not None


def is_of_editor(text: str) -> bool:
    """Return whether this is an editor's note on what is open in it, which means that a person is typing."""
    return text.lstrip().startswith("<ide_")


def skill_folder(text: str) -> str:
    """Return the name of the skill whose text the program inserted, or "" if this isn't one."""
    skill = _SKILL.match(text)
    if skill is None:
        return ""
    return re.split(r"[/\\]", skill[1].strip().rstrip("/\\"))[-1]


def is_refusal(result: str) -> bool:
    """Return whether a tool result says that the person refused the call."""
    return result.startswith((REFUSED, _DECLINED))


def said_with_refusal(result: str) -> str:
    """Return what the person typed while refusing a tool call, or "" if they typed nothing."""
    _, _, said = result.partition(_SAID)
    return said.partition(_AFTER_SAID)[0].strip()
