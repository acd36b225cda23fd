"""Simulate a small household in text, with ALFWorld's commands, six kinds of tasks and interface."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

Infos = Mapping[str, Sequence[Any]]

NOTHING = "Nothing happens."
STATES = {"clean": "sinkbasin", "heat": "microwave", "cool": "fridge"}
_PAST = {"clean": "clean", "heat": "hot", "cool": "cool"}
_KINDS = {
    "pick_and_place_simple": "put some {thing} on {place}",
    "look_at_obj_in_light": "look at {thing} under the desklamp",
    "pick_clean_then_place_in_recep": "put a clean {thing} in {place}",
    "pick_heat_then_place_in_recep": "put a hot {thing} in {place}",
    "pick_cool_then_place_in_recep": "put a cool {thing} in {place}",
    "pick_two_obj_and_place": "put two {thing} in {place}",
}
_STATE_OF = {f"pick_{how}_then_place_in_recep": state for how, state in _PAST.items()}
_TWO = 2
_COMMAND = re.compile(
    r"(?P<go>go to) (?P<where>.+)|(?P<open>open|close|examine) (?P<what>.+)"
    r"|(?P<take>take) (?P<thing>.+?) from (?P<source>.+)"
    r"|(?P<put>move|put) (?P<put_thing>.+?) (?:to|in/on|in|on) (?P<into>.+)"
    r"|(?P<make>clean|heat|cool) (?P<made>.+?) with (?P<tool>.+)|(?P<use>use) (?P<lamp>.+)"
    r"|(?P<see>look|inventory)"
)


class Game(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A task in a household: its kind, the kind of thing and place it is about, and what each holder contains.

    `closed` names the holders with a door, which is shut at the start.
    """

    kind: str
    thing: str
    holders: dict[str, tuple[str, ...]]
    place: str = ""
    closed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"kind must be one of {', '.join(_KINDS)}")

    @property
    def goal(self) -> str:
        """Return the task in words."""
        return _KINDS[self.kind].format(thing=self.thing, place=self.place)


class Household:
    """One game; `reset` and `step` take and return lists of one, like ALFWorld's batches."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.reset()

    def reset(self) -> tuple[list[str], Infos]:
        """Start over; return the description of room and task, and the infos."""
        self._holds = {name: list(things) for name, things in self._game.holders.items()}
        self._shut = set(self._game.closed)
        self._at = ""
        self._carried = ""
        self._lit = False
        self._states: dict[str, str] = {}
        holders = ", ".join(f"a {name}" for name in self._holds)
        text = f"You are in the middle of a room. You see {holders}.\n\nYour task is to: {self._game.goal}."
        return [text], self._infos()

    def step(self, commands: Sequence[str]) -> tuple[list[str], list[float], list[bool], Infos]:
        """Run the command; return what happened, the score, whether the game is over, and the infos."""
        match = _COMMAND.fullmatch(" ".join(commands[0].lower().split()))
        outcome = NOTHING
        if match:
            outcome = self._do({name: value for name, value in match.groupdict().items() if value})
        return [outcome], [float(self._won())], [self._won()], self._infos()

    def close(self) -> None:
        """Do nothing: a household holds no resources."""

    def _do(self, command: Mapping[str, str]) -> str:  # noqa: C901 - one arm for each command
        match command:
            case {"go": _, "where": name} if name in self._holds and name != self._at:
                self._at = name
                return f"You arrive at {name}. {self._seen()}"
            case {"open": "open", "what": name} if name == self._at and name in self._shut:
                self._shut.remove(name)
                return f"You open the {name}. {self._seen()}"
            case {"open": "close", "what": name} if name == self._at and self._has_door(name):
                self._shut.add(name)
                return f"You close the {name}."
            case {"open": "examine", "what": name} if name == self._at:
                return self._seen()
            case {"take": _, "thing": thing, "source": name} if self._can_take(thing, name):
                self._holds[name].remove(thing)
                self._carried = thing
                return f"You pick up the {thing} from the {name}."
            case {"put": _, "put_thing": thing, "into": name} if self._can_put(thing, name):
                self._holds[name].append(thing)
                self._carried = ""
                return f"You move the {thing} to the {name}."
            case {"make": how, "made": thing, "tool": name} if self._can_make(how, thing, name):
                self._states[thing] = _PAST[how]
                return f"You {how} the {thing} using the {name}."
            case {"use": _, "lamp": name} if _kind(name) == "desklamp" and name in self._holds.get(self._at, ()):
                self._lit = True
                return f"You turn on the {name}."
            case {"see": "look"}:
                return self._view()
            case {"see": "inventory"}:
                return f"You are carrying: a {self._carried}." if self._carried else "You are not carrying anything."
            case _:
                return NOTHING

    def _view(self) -> str:
        if not self._at:
            return "You are in the middle of a room."
        return f"You are facing the {self._at}. {self._seen()}"

    def _seen(self) -> str:
        if self._at in self._shut:
            return f"The {self._at} is closed."
        things = [f"a {thing}" for thing in self._holds[self._at]]
        if not things:
            return "You see nothing in it."
        return f"In it, you see {', '.join(things)}."

    def _has_door(self, name: str) -> bool:
        return name in self._game.closed and name not in self._shut

    def _can_take(self, thing: str, name: str) -> bool:
        if self._carried or _kind(thing) == "desklamp":
            return False
        return name == self._at and name not in self._shut and thing in self._holds[name]

    def _can_put(self, thing: str, name: str) -> bool:
        return name == self._at and name not in self._shut and thing == self._carried

    def _can_make(self, how: str, thing: str, name: str) -> bool:
        return name == self._at and thing == self._carried and _kind(name) == STATES[how]

    def _won(self) -> bool:
        game = self._game
        if game.kind == "look_at_obj_in_light":
            lamp_here = "desklamp" in map(_kind, self._holds.get(self._at, ()))
            return self._lit and lamp_here and _kind(self._carried) == game.thing
        return self._in_place() >= (_TWO if game.kind == "pick_two_obj_and_place" else 1)

    def _in_place(self) -> int:
        """Count the things that are where the task wants them, in the state it wants."""
        state = _STATE_OF.get(self._game.kind)
        count = 0
        for name, things in self._holds.items():
            if _kind(name) != self._game.place:
                continue
            for thing in things:
                if _kind(thing) == self._game.thing and (state is None or self._states.get(thing) == state):
                    count += 1
        return count

    def _infos(self) -> Infos:
        return {"won": [self._won()], "admissible_commands": [self._admissible()]}

    def _admissible(self) -> list[str]:
        here = self._at
        carried = self._carried
        commands = ["look", "inventory"]
        commands += [f"go to {name}" for name in self._holds if name != here]
        if not here:
            return commands
        commands.append(f"examine {here}")
        if here in self._shut:
            return [*commands, f"open {here}"]
        if self._has_door(here):
            commands.append(f"close {here}")
        commands += self._commands_for_things(here)
        if carried:
            commands.append(f"move {carried} to {here}")
            commands += [f"{how} {carried} with {here}" for how in STATES if self._can_make(how, carried, here)]
        return commands

    def _commands_for_things(self, here: str) -> list[str]:
        """Return the commands for what is in or on this holder."""
        takes: list[str] = []
        uses: list[str] = []
        for thing in self._holds[here]:
            if self._can_take(thing, here):
                takes.append(f"take {thing} from {here}")
            if _kind(thing) == "desklamp":
                uses.append(f"use {thing}")
        return takes + uses


def _kind(name: str) -> str:
    """Return the kind of a thing or holder: "mug" for "mug 1"."""
    return name.rpartition(" ")[0] or name
