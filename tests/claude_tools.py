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
    elif call.content:
        tool, given = "Write", {"file_path": call.path, "content": call.content}
    else:
        tool, given = "Read", {"file_path": call.path}
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def refusal(name: str) -> Fields:
    """The result of a tool call that the person refused."""
    return {"type": "tool_result", "content": REJECTED, "is_error": True, "tool_use_id": name}


def tool_result(name: str, call: ToolCall) -> tuple[Fields, Any]:
    """A tool's result: the block the model sees, and the fuller copy the program keeps beside it."""
    head = {"tool_use_id": name, "type": "tool_result"}
    if call.skill:
        return {**head, "content": f"Launching skill: {call.skill}"}, {"success": True, "commandName": call.skill}
    if call.command and call.exit_code:
        text = f"Exit code {call.exit_code}\n{call.output}"
        return {"type": "tool_result", "content": text, "is_error": True, "tool_use_id": name}, f"Error: {text}"
    if call.command:
        kept = {
            "stdout": call.output,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }
        return {**head, "content": call.output, "is_error": False}, kept
    if call.content:
        said = f"File created successfully at: {call.path} (file state is current in your context — no need to Read it back)"
        made = {
            "type": "create",
            "filePath": call.path,
            "content": call.content,
            "structuredPatch": [],
            "originalFile": None,
        }
        return {**head, "content": said}, {**made, "userModified": False}
    if call.image:
        source = {"type": "base64", "data": call.image, "media_type": "image/png"}
        file: Fields = {"base64": call.image, "type": "image/png", "originalSize": len(call.image) * 3 // 4}
        return {**head, "content": [{"type": "image", "source": source}]}, {"type": "image", "file": file}
    lines = call.output.split("\n")
    shown = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start=1))
    file = {
        "filePath": call.path,
        "content": call.output,
        "numLines": len(lines),
        "startLine": 1,
        "totalLines": len(lines),
    }
    return {**head, "content": shown}, {"type": "text", "file": file}
