"""Telling what a person typed from what Codex wrote in their place, and reading its tools' outputs."""

import re

from skillopt_sleep.agents.codex.records import Part

# What older versions put into the user's role, without saying so.
_WRAPPER = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|skill|skills_instructions|turn_aborted"
    r"|user_shell_command|user_shell_output|subagent_notification|codex_internal_context|permissions instructions"
    r"|collaboration_mode|app-context|model_switch|personality_spec|hook_prompt|user_action)\b[^>]*>"
    r"|# AGENTS\.md instructions\b"
    r"|Another language model started to solve this problem and produced a summary\b)"
)
_IMAGE = re.compile(r"\s*(?:<image\b[^>]*>|</image>)\s*")
_SKILL = re.compile(r"\s*<skill>\s*<name>([^<\n]+)</name>")
_EDITOR = "# Context from my IDE setup:"
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n", re.MULTILINE)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# A tool's output as it stands in the line: a JSON string, its quotes and line ends escaped.
_EXIT = re.compile(rb"(?:Process exited with code|Exit code:) (-?\d+)")
_EXIT_JSON = re.compile(rb'\\"exit_code\\":\s*(-?\d+)')
_TROUBLE = re.compile(
    rb'"(?:(?P<refused>(?:Wall time: [\d.]+ seconds\\n)?'
    rb'(?:aborted by user|(?:exec command|patch) rejected by user)[^"\\]{0,40}")'
    rb"|unsupported call|failed to parse function arguments|apply_patch verification failed)"
)
_HEAD = 400
_PATCH = 8_000
_TAIL = 300


def is_wrapper(text: str) -> bool:
    """Whether a text in the user's role is the program's."""
    return _WRAPPER.match(text) is not None


def is_image(text: str) -> bool:
    """Whether the text only stands around an image."""
    return _IMAGE.fullmatch(text) is not None


def skill_name(text: str) -> str:
    """The skill whose text the program inserted; empty where it didn't."""
    found = _SKILL.match(text)
    return found[1].strip() if found else ""


def joined(parts: list[Part] | None) -> str:
    """The texts of a message's parts; nearly always there is one."""
    if parts and len(parts) == 1:
        return parts[0].text or ""
    return "\n".join(part.text for part in parts or () if part.text)


def typed_part(text: str) -> str:
    """The text without what an editor put in front of the request."""
    if not text.startswith(_EDITOR):
        return text
    found = _REQUEST.search(text)
    return text[found.end() :] if found else text


def patched_files(patch: str) -> str:
    """The files a patch touches, or the text itself where it isn't a patch."""
    return ", ".join(_PATCHED.findall(patch[:_PATCH])) or patch


def exit_code(block: bytes, at: int, end: int) -> int | None:
    """The exit code in the output at this place: in its head or, where the output is JSON itself, at its end."""
    found = _EXIT.search(block, at, min(at + _HEAD, end))
    if found is None and block.startswith(b'"{', at):
        found = _EXIT_JSON.search(block, max(end - _TAIL, at), end)
    return int(found[1]) if found else None


def trouble(block: bytes, at: int) -> tuple[bool, bool]:
    """Whether the output at this place says that the call failed, and whether the person refused or stopped it."""
    found = _TROUBLE.match(block, at)
    return found is not None, found is not None and found["refused"] is not None
