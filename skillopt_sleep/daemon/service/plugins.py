"""Install our plugin in an agent, remove it and look at it, by the commands of the agent's own program."""

import re
from pathlib import Path

import msgspec

import skillopt_sleep
from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service.machine import Machine, last_words
from skillopt_sleep.daemon.service.services import Command
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.agent import Agent

CATALOGUE = "skillopt-sleep"
PLUGIN = f"skillopt-sleep@{CATALOGUE}"

_GONE = re.compile(r"not found|not configured|not installed")


class _Entry(msgspec.Struct):
    """A plugin in the list of an agent's program; Claude Code reads one from its folder, whatever was installed."""

    version: str = ""
    id: str = ""
    plugin_id: str = msgspec.field(default="", name="pluginId")
    folder_version: str = msgspec.field(default="", name="folderVersion")
    enabled: bool = True
    errors: list[str] = []


class _List(msgspec.Struct):
    installed: list[_Entry]


def catalogue() -> Path:
    """Return the folder that agents install our plugin from: in the package, or in the checkout around it."""
    package = Path(skillopt_sleep.__file__).absolute().parent
    for folder in (package / "_hooks", package.parent / "hooks"):
        if (folder / "scripts").is_dir():
            return folder
    raise ConfigError("the plugin that comes with skillopt-sleep is gone", remedy="install skillopt-sleep again")


def agents_here(machine: Machine) -> tuple[Agent, ...]:
    """Return the agents whose program is in PATH."""
    return tuple(agent for agent in AGENTS.values() if machine.has(agent.program.program))


def agents_elsewhere(machine: Machine) -> tuple[Agent, ...]:
    """Return the agents that were used here but whose program isn't in PATH."""
    return tuple(
        agent
        for agent in AGENTS.values()
        if not machine.has(agent.program.program) and agent.home(machine.environ, machine.home).is_dir()
    )


def install_commands(agent: Agent) -> tuple[Command, Command]:
    """Return the commands that install our plugin; both may be run again."""
    program = agent.program.program
    return (
        (program, "plugin", "marketplace", "add", str(catalogue())),
        (program, "plugin", agent.plugin.install, PLUGIN),
    )


def remove_commands(agent: Agent) -> tuple[Command, Command]:
    """Return the commands that remove our plugin, and the catalogue that it came from."""
    program = agent.program.program
    return (
        (program, "plugin", agent.plugin.remove, PLUGIN),
        (program, "plugin", "marketplace", "remove", CATALOGUE),
    )


def install(agent: Agent, machine: Machine) -> None:
    """Install our plugin, or the version that we have in place of another; raises SleepError if that fails."""
    add, install_it = install_commands(agent)
    if machine.run(*add).status != 0:
        # Codex refuses a catalogue of this name that it knows from another folder.
        machine.run(*remove_commands(agent)[1])
        _must(machine, add)
    _must(machine, install_it)


def remove(agent: Agent, machine: Machine) -> bool:
    """Remove our plugin and its catalogue; return whether there was one. Raises SleepError if that fails."""
    found = False
    for command in remove_commands(agent):
        ran = machine.run(*command)
        found = ran.status == 0  # the last one says it: Codex also removes a plugin that isn't there
        if not found and not _GONE.search((ran.stdout + ran.stderr).decode(errors="replace")):
            raise _failed(command, ran)
    return found


def installed_version(agent: Agent, machine: Machine) -> str:
    """Return the version of our plugin that the agent runs, or "" if it runs none.

    Raises SleepError if the program doesn't tell.
    """
    command = (agent.program.program, "plugin", "list", "--json")
    ran = machine.run(*command)
    try:
        listed = msgspec.json.decode(ran.stdout, type=list[_Entry] | _List)
    except msgspec.DecodeError as error:
        raise _failed(command, ran) from error
    entries = listed.installed if isinstance(listed, _List) else listed
    for entry in entries:
        if PLUGIN in (entry.id, entry.plugin_id) and entry.enabled and not entry.errors:
            return entry.folder_version or entry.version
    return ""


def _must(machine: Machine, command: Command) -> None:
    ran = machine.run(*command)
    if ran.status != 0:
        raise _failed(command, ran)


def _failed(command: Command, ran: ProcessResult) -> SleepError:
    return SleepError(f"`{' '.join(command)}` failed: {last_words(ran)}", remedy="run it yourself to see why")
