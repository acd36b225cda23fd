"""A scripted model that calls tools, and keeps a rule only if the rule was in what it was asked."""

import json
from typing import Any

from tests.server import Asked
from tests.server_protocols import Call, Said

RULE = "Always run `sh lint.sh` before you say that you are done."
LINT = "sh lint.sh; exit 3"


class RuleKeeper:
    """Edits app.txt in the first step, lints in the second if the rule was told, and says that it is done."""

    def __init__(self, rule: str = RULE, *, lint: str = LINT) -> None:
        self.rule = rule
        self.lint = lint

    def __call__(self, asked: Asked) -> Said:
        steps = steps_of(asked.body)
        if steps == 0:
            return Said("I'll change it.", calls=(_edit(asked),))
        if steps == 1 and self.rule in told(asked.body):
            return Said(calls=(run(asked, self.lint),))
        return Said("Done.")


def calling(*calls: str, words: str = "Done.", forever: bool = False) -> Any:
    """A model that runs these commands one after the other, and then says these words."""

    def act(asked: Asked) -> Said:
        steps = steps_of(asked.body)
        if steps < len(calls) or forever:
            return Said(calls=(run(asked, calls[steps % len(calls)]),))
        return Said(words)

    return act


def _is_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return message.get("type", "").endswith("_output") or any(block.get("type") == "tool_result" for block in blocks)


def _edit(asked: Asked) -> Call:
    if asked.protocol == "messages":
        return Call("Write", {"file_path": f"{_folder(asked.body)}/app.txt", "content": "new\n"})
    return Call("apply_patch", words="*** Begin Patch\n*** Update File: app.txt\n@@\n-old\n+new\n*** End Patch\n")


def run(asked: Asked, command: str) -> Call:
    if asked.protocol == "messages":
        return Call("Bash", {"command": command, "description": "Run it"})
    # The longest that Codex waits: a first `go vet` in a new home can take more than its usual ten seconds.
    return Call("exec_command", {"cmd": command, "yield_time_ms": 30_000})


def steps_of(body: dict[str, Any]) -> int:
    """How many results of tools there are after what the person last said."""
    steps = 0
    for message in body.get("messages") or body["input"]:
        if _is_result(message):
            steps += 1
        elif message.get("role") == "user":
            steps = 0
    return steps


def printed(body: dict[str, Any]) -> str:
    """What the last tool that was called gave back."""
    results = [message for message in body.get("messages") or body["input"] if _is_result(message)]
    return "\n".join(_strings(results[-1])) if results else ""


def told(body: dict[str, Any]) -> str:
    asked = {name: body.get(name) for name in ("system", "messages", "input", "instructions")}
    return json.dumps(asked, ensure_ascii=False)


def _folder(body: dict[str, Any]) -> str:
    """The folder in which the agent says that it stands."""
    for line in "\n".join(_strings(body.get("messages"))).splitlines():
        if "Primary working directory:" in line:
            return line.rpartition(":")[2].strip()
    return ""


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    return [text for part in inner for text in _strings(part)]
