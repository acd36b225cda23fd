"""The steps of `install` and `uninstall`, and what is left for the person to do.

Every step can be run again after a run that was killed.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from shlex import join
from typing import NamedTuple

from skillopt_sleep.daemon.service import plugins
from skillopt_sleep.daemon.service.machine import (
    MODULE,
    Machine,
    crontab_line,
    keys_file,
    launch_of,
    service_environment,
)
from skillopt_sleep.daemon.service.service_file import half_written, owner, refuse_foreign
from skillopt_sleep.daemon.service.services import (
    Command,
    Service,
    put_in_place,
    service_of,
    take_away,
    why_no_service,
)
from skillopt_sleep.protocols.agent import Agent

_TEMPORARY = ("archive-v0", "builds-v0", "environments-v2")  # where uvx keeps what it throws away


class InstallStep(NamedTuple):
    """One step: its plan in lines, and what does it and says what was done, "" if there was nothing to do.

    `text` is what will be in the file that it writes.
    """

    plan: tuple[str, ...]
    do: Callable[[], str]
    text: str = ""


class InstallPlan(NamedTuple):
    """The steps, and what they leave to the person.

    Where no service can be installed, `no_service` says why and `crontab` is the line that starts the daemon instead.
    """

    steps: tuple[InstallStep, ...]
    left: tuple[str, ...] = ()
    no_service: str = ""
    crontab: str = ""


def plan_install(machine: Machine) -> InstallPlan:
    """Plan an install; raises SleepError if another program's file is where the service belongs."""
    why = why_no_service(machine)
    steps: list[InstallStep] = []
    service = service_of(machine)
    if service and not why:
        stop = _runs(service.stop) if owner(service.path) else ()
        plan = (*stop, _writes(service.path, machine), *_runs(service.start))
        steps.append(InstallStep(plan, partial(_install_service, service, machine), service.data.decode()))
    for agent in plugins.agents_here(machine):
        plan = _runs(plugins.install_commands(agent))
        steps.append(InstallStep(plan, partial(_install_plugin, agent, machine)))
    left = _left_after_install(machine)
    if why:
        return InstallPlan(tuple(steps), left, why, crontab_line(launch_of(machine)))
    if machine.platform == "linux":
        left = (*left, "for nights while you are logged out, run: loginctl enable-linger")
    return InstallPlan(tuple(steps), left)


def plan_uninstall(machine: Machine) -> InstallPlan:
    """Plan an uninstall; a service that belongs to other settings of ours stays, and the plugins with it."""
    steps: list[InstallStep] = []
    service = service_of(machine)
    whose = owner(service.path) if service else None
    if service and whose not in (None, str(machine.paths.config)):
        kept = f"{service.path} belongs to the settings in {whose}: it stays, and the plugins stay with it"
        return InstallPlan((), (kept,))
    if service and (whose is not None or half_written(service.path)):
        plan = (*_runs(service.stop), f"remove   {service.path}")
        steps.append(InstallStep(plan, partial(_remove_service, service, machine)))
    for agent in plugins.agents_here(machine):
        plan = _runs(plugins.remove_commands(agent))
        steps.append(InstallStep(plan, partial(_remove_plugin, agent, machine)))
    left: list[str] = []
    for agent in plugins.agents_elsewhere(machine):
        by_hand = " && ".join(join(command) for command in plugins.remove_commands(agent))
        left.append(f"{agent.program.program} isn't in PATH; if {agent.title} has the plugin, remove it: {by_hand}")
    if machine.has("crontab") and join(MODULE).encode() in machine.run("crontab", "-l").stdout:
        left.append("your crontab still starts the daemon: delete its line with `crontab -e`")
    return InstallPlan(tuple(steps), tuple(left))


def _left_after_install(machine: Machine) -> tuple[str, ...]:
    _, left_out = service_environment(machine.environ)
    keys = keys_file(machine.paths)
    lines = [f"{name} may hold a secret and is left out of the service: write it into {keys}" for name in left_out]
    if set(Path(machine.python).parts) & set(_TEMPORARY):
        lines.append(
            f"{machine.python} is in a temporary cache and may vanish; better, from the checkout: uv tool install ."
        )
    for agent in plugins.agents_here(machine):
        if agent.plugin.then:
            lines.append(agent.plugin.then)
    for agent in plugins.agents_elsewhere(machine):
        by_hand = " && ".join(join(command) for command in plugins.install_commands(agent))
        lines.append(f"{agent.program.program} isn't in PATH; to install the plugin in {agent.title}: {by_hand}")
    return tuple(lines)


def _writes(path: Path, machine: Machine) -> str:
    refuse_foreign(path)
    before = owner(path)
    if before is None:
        return f"write    {path}"
    if before == str(machine.paths.config):
        return f"replace  {path}"
    return f"replace  {path}, which belongs to the settings in {before}"


def _runs(commands: tuple[Command, ...]) -> tuple[str, ...]:
    return tuple(f"run      {join(command)}" for command in commands)


def _install_service(service: Service, machine: Machine) -> str:
    put_in_place(service, machine)
    return f"wrote {service.path} and started the daemon"


def _remove_service(service: Service, machine: Machine) -> str:
    take_away(service, machine)
    return f"stopped the daemon and removed {service.path}"


def _install_plugin(agent: Agent, machine: Machine) -> str:
    plugins.install(agent, machine)
    return f"installed the plugin in {agent.title}"


def _remove_plugin(agent: Agent, machine: Machine) -> str:
    return f"removed the plugin from {agent.title}" if plugins.remove(agent, machine) else ""
