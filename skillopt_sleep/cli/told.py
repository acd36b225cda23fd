"""Say what a decision did, and the command that takes it back."""

from typing import assert_never

from skillopt_sleep.cli.console import say
from skillopt_sleep.deciding.happened import Adopted, CanComeBack, Event, TakenBack
from skillopt_sleep.kit.markdown import spelled
from skillopt_sleep.reporters.statistics import cautions


def say_event(event: Event) -> None:
    """Say in lines what happened."""
    match event:
        case Adopted():
            _say_adopted(event)
        case TakenBack():
            for path, state in event.files.items():
                say(f"Undid {event.name}: {spelled(path)} {state}")
            if event.folder_left:
                folder = spelled(event.folder_left)
                say(f"  could not remove the empty folder {folder}; the next command tries again")
        case CanComeBack():
            say(f"  adopt it again: skillopt-sleep redo {event.name}")
        case _:
            assert_never(event)


def _say_adopted(event: Adopted) -> None:
    path = " and ".join(map(spelled, event.paths))
    if event.proposal.label:
        say(f"{event.name} is {event.proposal.label}")
    for line in cautions(event.proposal):
        say(line)
    if event.already:
        say(f"{event.name} was already adopted: {path}")
    else:
        say(f"Adopted {event.name}: wrote {path}")
    say(f"  undo: skillopt-sleep undo {event.name}")
