"""Tell what a person typed from what Codex wrote in their place, and read its tools' outputs."""

import re

from skillopt_sleep.agents.codex.records import Part

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
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# A tool's output as the line holds it: a JSON string with escaped quotes and line ends.
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
    """Return whether a text in the user's role is the program's."""
    return _WRAPPER.match(text) is not None


def is_image(text: str) -> bool:
    """Return whether the text only marks an image."""
    return _IMAGE.fullmatch(text) is not None


def skill_name(text: str) -> str:
    """Return the name of the skill whose text the program inserted, or "" if this isn't one."""
    skill = _SKILL.match(text)
    return skill[1].strip() if skill else ""


def instructions(text: str) -> tuple[str, str]:
    """Return the folder and the text of the instructions that the program inserted; an older one named no folder."""
    inserted = _INSTRUCTIONS.match(text) if text.lstrip()[:1] in {"#", "<"} else None
    if inserted is None:
        return "", ""
    return inserted["folder"] or "", (inserted["text"] or inserted["older"]).strip()


def typed_command(text: str) -> str:
    """Return the shell command that the person ran in the prompt, or "" if the text isn't the note of one."""
    command = _SHELL.match(text)
    return command[1].strip() if command else ""


def joined(parts: list[Part] | None) -> str:
    """Return the texts of a message's parts as one; nearly always there is a single part."""
    if parts and len(parts) == 1:
        return parts[0].text or ""
    return "\n".join(part.text for part in parts or () if part.text)


def typed_part(text: str) -> str:
    """Return the text without what an editor put in front of the request."""
    if not text.startswith(_EDITOR):
        return text
    heading = _REQUEST.search(text)
    return text[heading.end() :] if heading else text


def patched_files(patch: str) -> str:
    """Return the files a patch touches, or the text itself if it isn't a patch."""
    return ", ".join(_PATCHED.findall(patch[:_PATCH])) or patch


def exit_code(block: bytes, at: int, end: int) -> int | None:
    """Return the exit code in an output: in its head or, if the output is JSON itself, at its end."""
    code = _EXIT.search(block, at, min(at + _HEAD, end))
    if code is None and block.startswith(b'"{', at):
        code = _EXIT_JSON.search(block, max(end - _TAIL, at), end)
    return int(code[1]) if code else None


def trouble(block: bytes, at: int) -> tuple[bool, bool]:
    """Return whether an output says that the call failed, and whether the person refused or stopped it."""
    failure = _TROUBLE.match(block, at)
    if failure is None:
        return False, False
    return True, failure["refused"] is not None
