"""The commands `install` and `uninstall`: the background service and the agents' plugins."""

from typing import Annotated

import typer

from skillopt_sleep.cli.console import BAD, BOLD, GOOD, say, say_hanging
from skillopt_sleep.cli.decisions import confirmed
from skillopt_sleep.daemon.conditions import lacking
from skillopt_sleep.daemon.service.install import InstallPlan, plan_install, plan_uninstall
from skillopt_sleep.daemon.service.machine import keys_file, this_machine
from skillopt_sleep.errors import Exit, SleepError
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.settings import Paths, Settings, load

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")]
_INSTEAD = "add --yes, or --dry-run to see what would be done"


def install(*, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Run nights automatically: install the background service, and a plugin in your agents."""
    machine = this_machine()
    settings = load(machine.paths)  # with invalid settings the service would only fail at night
    plan = plan_install(machine)
    _say_plan(plan)
    left = (*plan.left, *_unready(settings), *_about_keys(machine.paths))
    if dry_run:
        _say_left(plan, left)
        for step in plan.steps:
            if step.text:
                say("The file would be:")
                say(step.text)
        say("Nothing was done.")
        return
    failed = False
    if plan.steps:
        confirmed("Install?", yes=yes, instead=_INSTEAD)
        failed = _do(plan)
    _say_left(plan, left)
    say("To undo: skillopt-sleep uninstall")
    if failed:
        raise typer.Exit(Exit.PARTIAL)


def uninstall(*, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Remove everything `install` added. Nights, proposals and adopted changes stay."""
    plan = plan_uninstall(this_machine())
    _say_plan(plan)
    if dry_run or not plan.steps:
        _say_left(plan, plan.left)
        say("Nothing was done." if plan.steps else "Nothing is installed.")
        return
    confirmed("Uninstall?", yes=yes, instead=_INSTEAD)
    failed = _do(plan)
    _say_left(plan, plan.left)
    say("To install again: skillopt-sleep install")
    if failed:
        raise typer.Exit(Exit.PARTIAL)


def _say_plan(plan: InstallPlan) -> None:
    for step in plan.steps:
        for line in step.plan:
            say_hanging(f"  {line}")


def _do(plan: InstallPlan) -> bool:
    """Do each step and say so; return whether one failed. Those after it are done all the same."""
    failed = False
    for step in plan.steps:
        try:
            done = step.do()
        except SleepError as error:
            failed = True
            say(("✗ ", BAD), error.message)
            say_hanging(f"  → {error.remedy}")
        else:
            if done:
                say(("✓ ", GOOD), done)
    return failed


def _say_left(plan: InstallPlan, left: tuple[str, ...]) -> None:
    """Say what the person has to do; the line for a crontab is never wrapped, so that it can be copied."""
    if plan.no_service:
        say(f"No service can be installed: {plan.no_service}. Let cron start the daemon: run `crontab -e` and add")
        typer.echo(visible(plan.crontab))
        say("Or run it in the foreground: skillopt-sleep daemon")
    if left:
        say(("Left for you to do:", BOLD))
    for line in left:
        say_hanging(f"  - {line}")


def _about_keys(paths: Paths) -> tuple[str, ...]:
    """Return where the service finds API keys, and that others can read them if they can."""
    keys = keys_file(paths)
    if not keys.exists():
        return (f"if a night needs an API key of your shell, write it as NAME=value into {keys}, mode 0600",)
    others = 0o077
    if keys.stat().st_mode & others:
        return (f"others can read your API keys: chmod 600 {keys}",)
    return ()


def _unready(settings: Settings) -> tuple[str, ...]:
    """Return why the daemon can't run a night with these settings, if it can't."""
    reason = lacking(settings)
    return (reason,) if reason else ()
