"""Tell which home of ours an install belongs to: one user may have several, but only one service."""

import os
import plistlib
import re
import shlex
from pathlib import Path
from xml.parsers.expat import ExpatError

from skillopt_sleep.daemon.service import cron, hooks_json, hooks_toml, systemd
from skillopt_sleep.daemon.service.hook_files import is_ours
from skillopt_sleep.daemon.service.launch import OWN_HOME
from skillopt_sleep.daemon.service.launchd import LABEL
from skillopt_sleep.daemon.service.manifest import Kind

_SET = re.compile(rf"{OWN_HOME}=(.*)", re.DOTALL)


def owner(kind: Kind, data: bytes | None) -> str | None:
    """Return the home that installed what is there, "" for the default home, None if it can't be told."""
    if not data:
        return None
    try:
        match kind:
            case Kind.OWN if b"<plist" in data:
                return _of_plist(data)
            case Kind.OWN:
                return systemd.variable(data.decode(), OWN_HOME)
            case Kind.CRON:
                return _of_script(cron.script(os.fsdecode(data)))
            case Kind.HOOKS_JSON:
                return _of_hooks(hooks_json.ours(data.decode()))
            case Kind.HOOKS_TOML:
                return _of_hooks(hooks_toml.ours(data.decode()))
    except (ValueError, ExpatError):
        return None


def home_name(home: str) -> str:
    """Return a home's name for messages."""
    if not home:
        return f"the home without {OWN_HOME}"
    return f"{OWN_HOME}={shlex.quote(home)}"


def _of_plist(data: bytes) -> str | None:
    plist = plistlib.loads(data)
    if plist.get("Label") != LABEL:
        return None
    return plist.get("EnvironmentVariables", {}).get(OWN_HOME, "")


def _of_script(script: Path | None) -> str | None:
    """Return the home a script belongs to: it is below the home's `data`, a name the default home doesn't use."""
    if script is None:
        return None
    data = script.parents[2]
    if data.name != "data":
        return ""
    return str(data.parent)


def _of_hooks(groups: list[dict[str, list[dict[str, str]]]]) -> str | None:
    for group in groups:
        for handler in group["hooks"]:
            if is_ours(handler):
                return _of_command(handler["command"])
    return None


def _of_command(command: str) -> str:
    for word in shlex.split(command):
        assignment = _SET.fullmatch(word)
        if assignment:
            return assignment[1]
    return ""
