"""How Codex writes a tool call and its output."""

import json
from typing import Any

from tests.sessions import ToolCall

Fields = dict[str, Any]


def function_call(call: ToolCall, *, old: bool) -> Fields:
    """The name and arguments of a call that isn't a patch."""
    if call.image:
        return {"name": "view_image", "arguments": json.dumps({"path": call.path})}
    command = call.command or f"cat {call.path}"
    if old:
        return {"name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", command]})}
    return {"name": "exec_command", "arguments": json.dumps({"cmd": command})}


def call_output(call: ToolCall, *, old: bool) -> Any:
    """What the tool gave back, as each version wraps it."""
    if call.image:
        return [{"type": "input_image", "image_url": f"data:image/png;base64,{call.image}", "detail": "original"}]
    text = f"Success. Updated the following files:\nA {call.path}\n" if call.content else call.output
    if old:
        metadata = {"exit_code": call.exit_code, "duration_seconds": 0.0}
        return json.dumps({"output": text, "metadata": metadata}, separators=(",", ":"))
    head = f"Chunk ID: a7c099\nWall time: 0.0000 seconds\nProcess exited with code {call.exit_code}\n"
    return text if call.content else f"{head}Original token count: {len(text) // 4}\nOutput:\n{text}"
