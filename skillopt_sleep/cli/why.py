"""The commands `why` and `why-not`: where a rule comes from, and why something you said is no rule."""

from collections.abc import Sequence
from typing import Annotated

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.why_shown import absence_rows, origin_rows, show
from skillopt_sleep.deciding.chosen import file_named
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.likeness import LIKE, likeness
from skillopt_sleep.proposals.origins import Origin, managed_lines, origins
from skillopt_sleep.stores.bank import WITHDRAWN
from skillopt_sleep.stores.sqlite import SqliteStore

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def why(
    rule: Annotated[
        list[str],
        typer.Argument(
            metavar="RULE|FILE:LINE", help="Words of a rule, a proposal as in P-0001, or a line as in CLAUDE.md:12."
        ),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Show why a rule is there or was proposed: your words, what was tried, and what you decided."""
    asked = " ".join(rule)
    with opened_to_read() as store:
        known = list(origins(store.bank.proposals(), store.lessons.every()))
        found = _of_place(store, asked, known) or rules_of(asked, known) or _of_words(asked, known)
    if not found:
        raise ConfigError(
            f"no rule is like {asked!r}", remedy=f"see why there is none: skillopt-sleep why-not {asked!r}"
        )
    if as_json:
        say_json(found)
        return
    now = utc_now()
    for number, origin in enumerate(found):
        if number:
            say("")
        show(origin_rows(origin, now=now))


def why_not(
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS|LESSON", help="Something you said to an agent, or a lesson's id.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Show why something you said is no rule: how far it came, what stopped it, and what to do."""
    from skillopt_sleep.cli.why_typed import typed_like
    from skillopt_sleep.proposals.absence import Looked, absence

    asked = " ".join(words)
    with opened_to_read() as store:
        lessons = store.lessons.every()
        rules = list(origins(store.bank.proposals(), lessons))
        found = absence(
            asked,
            rules,
            lessons,
            store.reports,
            lambda said: typed_like(said, store.index),
            looked=Looked(sessions=len(store.index.lines(unread=False)), purged=store.index.purged.has_any()),
        )
    nearest_first = sorted(found.said, key=lambda piece: -likeness(asked, piece.quote))
    found = replace(found, said=tuple(nearest_first))
    if as_json:
        say_json(found)
        return
    show(absence_rows(found, now=utc_now()))


def _of_place(store: SqliteStore, asked: str, known: Sequence[Origin]) -> list[Origin]:
    """Return the origin of the line that is named as FILE:LINE, none if it isn't named so."""
    name, colon, number = asked.rpartition(":")
    path = file_named(store, name)
    if not colon or not number.isdecimal() or not path.is_file():
        return []
    for line in managed_lines(path, known):
        if line.number == int(number):
            if line.origin is None:
                raise ConfigError(f"no proposal is known that brought {asked}", remedy="someone wrote it by hand")
            return [line.origin]
    raise ConfigError(
        f"{asked} isn't a line of ours: skillopt-sleep manages other lines of that file, or none",
        remedy=f"see which: skillopt-sleep blame {name}",
    )


def rules_of(asked: str, known: Sequence[Origin]) -> list[Origin]:
    """Return the rules of the proposal with this id; those taken by themselves, if it was divided."""
    name = asked.upper()
    parts = [origin for origin in known if origin.proposal.startswith(f"{name}.")]
    rules = [origin for origin in parts if origin.state != WITHDRAWN] or parts
    rules = rules or [origin for origin in known if origin.proposal == name]
    if rules:
        return rules
    name, _, number = name.partition(".")
    rules = [origin for origin in known if origin.proposal == name]
    return rules[int(number) - 1 : int(number)] if number.isdecimal() and int(number) else []


def _of_words(asked: str, known: Sequence[Origin]) -> list[Origin]:
    """Return the rule that is most like these words, or that is for this lesson; of equals the latest."""
    best: list[Origin] = []
    nearest = LIKE
    for origin in known:
        near = float("inf") if asked in origin.lessons else likeness(asked, origin.rule)
        if near >= nearest:
            best, nearest = [origin], near
    # Words that were withdrawn may have been replaced by others.
    return rules_of(best[0].proposal, known) if best and best[0].state == WITHDRAWN else best
