"""Rules that the guard must refuse or warn of, and rules that people really write, from the files beside this one."""

import json
from pathlib import Path
from typing import Any

_GUARD: dict[str, Any] = json.loads(Path(__file__).with_name("guard_cases.json").read_text(encoding="utf-8"))
_WARNING: dict[str, Any] = json.loads(Path(__file__).with_name("warning_cases.json").read_text(encoding="utf-8"))

# What the guard must refuse, by class, and the rules that people write; the nearby ones look like an attack.
ATTACKS: dict[str, list[str]] = _GUARD["attacks"]
ATTACK_SIBLINGS: dict[str, list[str]] = _GUARD["siblings"]
MORE_ATTACKS: list[str] = _GUARD["more_attacks"]
HARMLESS: list[str] = _GUARD["harmless"]
MORE_HARMLESS: list[str] = _GUARD["more_harmless"]
NEARBY_ATTACKS: list[str] = _GUARD["nearby"]

# Bad advice by the kind of its warning, and advice without one.
HARMFUL: dict[str, list[str]] = _WARNING["harmful"]
HARMFUL_SIBLINGS: dict[str, list[str]] = _WARNING["siblings"]
QUIET: list[str] = _WARNING["quiet"]
NEARBY_ADVICE: list[str] = _WARNING["nearby"]
