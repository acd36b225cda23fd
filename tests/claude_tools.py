"""How Claude Code writes a tool call and its result."""

from typing import Any

from tests.sessions import ToolCall

Fields = dict[str, Any]
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)


def tool_use(name: str, call: ToolCall) -> Fields:
    """The block by which the model asks for a tool."""
    if call.skill:
        tool, given = "Skill", {"skill": call.skill}
    elif call.command:
        tool, given = "Bash", {"command": call.command, "description": "Run it"}
    elif call.before:
        tool, given = "Edit", {"replace_all": False, "file_path": call.path, **_change(call)}
    elif call.content:
        tool, given = "Write", {"file_path": call.path, "content": call.content}
    else:
        tool, given = "Read", {"file_path": call.path}
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def refusal(name: str) -> Fields:
    """The result of a tool call that the person refused."""
    return {"type": "tool_result", "content": REJECTED, "is_error": True, "tool_use_id": name}


def tool_result(name: str, call: ToolCall, *, old: bool) -> tuple[Fields, Any]:
    """A tool's result: the block the model sees, and the fuller copy the program keeps beside it."""
    head = {"tool_use_id": name, "type": "tool_result"}
    if call.skill:
        return {**head, "content": f"Launching skill: {call.skill}"}, {"success": True, "commandName": call.skill}
    if call.command and call.exit_code:
        text = f"Exit code {call.exit_code}\n{call.output}"
        return {"type": "tool_result", "content": text, "is_error": True, "tool_use_id": name}, f"Error: {text}"
    if call.command:
        seen = {"interrupted": False, "isImage": False, "noOutputExpected": False}
        return {**head, "content": call.output, "is_error": False}, {"stdout": call.output, "stderr": "", **seen}
    if call.content:
        content, copy = _written(call, old=old)
    elif call.image:
        source = {"type": "base64", "data": call.image, "media_type": "image/png"}
        file: Fields = {"base64": call.image, "type": "image/png", "originalSize": len(call.image) * 3 // 4}
        content, copy = [{"type": "image", "source": source}], {"type": "image", "file": file}
    else:
        content, copy = _read(call, old=old)
    return {**head, "content": content}, copy


def _change(call: ToolCall) -> Fields:
    return {"old_string": call.before[:200], "new_string": call.content}


def _written(call: ToolCall, *, old: bool) -> tuple[str, Fields]:
    state = "" if old else " (file state is current in your context — no need to Read it back)"
    if not call.before:
        made: Fields = {"type": "create", "filePath": call.path, "content": call.content, "structuredPatch": []}
        return f"File created successfully at: {call.path}{state}", {
            **made,
            "originalFile": None,
            "userModified": False,
        }
    changed = {"filePath": call.path, "oldString": call.before[:200], "newString": call.content}
    lines = [f"-{call.before[:200]}", f"+{call.content}"]
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": lines}]
    flags = {"userModified": False, "replaceAll": False}
    said = f"The file {call.path} has been updated successfully.{state}"
    return said, {**changed, "originalFile": call.before, "structuredPatch": patch, **flags}


def _read(call: ToolCall, *, old: bool) -> tuple[str, Fields]:
    lines = call.output.split("\n")
    mark = "→" if old else "\t"
    shown = "\n".join(
        f"{number:>6}{mark}{line}" if old else f"{number}{mark}{line}" for number, line in enumerate(lines, 1)
    )
    file: Fields = {"filePath": call.path, "content": call.output, "numLines": len(lines)}
    return shown, {"type": "text", "file": {**file, "startLine": 1, "totalLines": len(lines)}}
