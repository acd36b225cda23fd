"""Say in words what a deed says, so that what a model makes of it can be held against something the person said.

A command that the person typed is their own. What a rejected or stopped call holds was written by the agent, so it
only ever says what is unwanted.
"""

from collections.abc import Iterable, Mapping

from skillopt_sleep.records import Deed, DeedKind

LONGEST = 200
# Deeds that are a command which the person typed.
TYPED = frozenset({DeedKind.RAN, DeedKind.CHECKED, DeedKind.UNDONE})

_SAYS = {
    DeedKind.REJECTED: "Don't use `{what}`. Never run that unasked: ask me before you do.",
    DeedKind.STOPPED: "Don't use `{what}`. Stop, never run that unasked: ask me before you do.",
    DeedKind.RAN: "Always use `{what}`: run it yourself, instead of anything else.",
    DeedKind.CHECKED: "Always use `{what}`: run it yourself, before you say that it is done.",
    DeedKind.UNDONE: "I undid it with `{what}`. Never edit or change that. Don't touch it: leave it alone.",
    DeedKind.EDITED: "Change `{what}` the way I did.",
}

_NAMES = {
    DeedKind.REJECTED: "Don't use `{what}` unasked",
    DeedKind.STOPPED: "Don't use `{what}` unasked",
    DeedKind.RAN: "Use `{what}`",
    DeedKind.CHECKED: "Use `{what}` before saying that it is done",
    DeedKind.UNDONE: "Don't change what was undone with `{what}`",
    DeedKind.EDITED: "Change `{what}` the way the person did",
}


def in_words(deeds: Iterable[Deed]) -> list[str]:
    """Return what each deed says; one without a command, a call or a file says nothing by itself."""
    return _filled(_SAYS, deeds)


def as_names(deeds: Iterable[Deed]) -> list[str]:
    """Return what each deed says as a short command that can name a lesson, what the person typed first."""
    return _filled(_NAMES, sorted(deeds, key=lambda deed: deed.kind not in TYPED))


def _filled(wordings: Mapping[DeedKind, str], deeds: Iterable[Deed]) -> list[str]:
    said: list[str] = []
    for deed in deeds:
        what = deed.what.replace("`", "").strip()
        if deed.kind in wordings and 0 < len(what) <= LONGEST and "\n" not in what:
            said.append(wordings[deed.kind].format(what=what))
    return said
