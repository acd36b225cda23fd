"""The command `why`: where a rule, a line or a task comes from, and why something you said is no rule."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.decisions import consistent_journal
from skillopt_sleep.cli.tasks import as_data
from skillopt_sleep.cli.tasks_why import task_blocks
from skillopt_sleep.cli.why_typed import typed_like
from skillopt_sleep.deciding.chosen import file_named
from skillopt_sleep.deciding.origin import decision, heard, often, origin_blocks, place, tried, words
from skillopt_sleep.deciding.passport import passport
from skillopt_sleep.deciding.quotes import opened
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.deciding.tasks import find
from skillopt_sleep.deciding.why import Absence, absence
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.likeness import likeness
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.pages.blocks import Block, Item, Items, Sentence
from skillopt_sleep.proposals.origins import Managed, RuleOrigin, adopted_files, managed_lines, origins
from skillopt_sleep.records import Evidence
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.status import HAND_WRITTEN, NO_RULE, PURGED
from skillopt_sleep.stores.bank import WITHDRAWN
from skillopt_sleep.stores.bank_rows import Banked
from skillopt_sleep.stores.sqlite import SqliteStore

_PROPOSAL = re.compile(r"P-\d+(?:\.\w+)?", re.IGNORECASE)
_TASK_CHARS = 8  # of a task's id, so that no word is taken for one


def why(
    about: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORDS|RULE|FILE",
            help="Words, a proposal (P-0001), a lesson, a task, a file or a line of it (CLAUDE.md:12); "
            "by default all adopted rules.",
        ),
    ] = None,
    *,
    in_place: Annotated[bool, typer.Option("--open", help="Show each quote between the turns around it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON; of a rule without what was said.")] = False,
) -> None:
    """Show why a rule is there, or why something you said is no rule.

    It shows your words, what was tried and what you decided, or what stopped them and what to do.
    """
    asked = " ".join(about or ())
    with opened_to_read() as store, consistent_journal(store):
        known = list(origins(store.bank.proposals(), store.lessons.every()))
        if not asked or _is_file(file_named(store, asked)):
            if in_place:
                raise ConfigError("--open shows the quotes of a rule", remedy="name it: skillopt-sleep why RULE")
            paths = [file_named(store, asked)] if asked else adopted_files(known)
            _show_files({path: managed_lines(path, known) for path in paths}, as_json=as_json)
            return
        rules = _of_place(store, asked, known) or rules_of(asked, known)
        if rules:
            _show_rules(store, rules, as_json=as_json, in_place=in_place)
        elif _PROPOSAL.fullmatch(asked):
            raise ConfigError(f"there is no proposal {asked!r}", remedy="all of them: skillopt-sleep review --show")
        else:
            _show_words(store, asked, known, as_json=as_json, in_place=in_place)


def _show_words(
    store: SqliteStore, asked: str, known: Sequence[RuleOrigin], *, as_json: bool, in_place: bool
) -> None:
    """Show the task with this id, the rule that is most like these words, or why there is none."""
    entries = store.bank.entries()
    if len(asked) >= _TASK_CHARS and any(entry.task.id.startswith(asked) for entry in entries):
        _show_task(store, find(entries, asked), entries, as_json=as_json)
        return
    found = _absence(store, asked, known)
    if not any(entry.task.id == found.task for entry in entries):
        found = replace(found, task="")  # it was tried once, and isn't kept
    rules = [_asked_first(rule, asked) for rule in rules_of(found.proposal, known)]
    if rules:
        _show_rules(store, rules, as_json=as_json, in_place=in_place)
    else:
        _show_absence(store, found, asked, as_json=as_json, in_place=in_place)


def _is_file(path: Path) -> bool:
    """Return whether a name is meant as a file, there or not."""
    return path.is_file() or (path.suffix == ".md" and len(path.name.split()) == 1)


def _show_files(found: dict[Path, list[Managed]], *, as_json: bool) -> None:
    """Show for each line we manage whose words it rests on, its trial, and when it was approved."""
    if as_json:
        say_json({"files": {str(path): [line._asdict() for line in lines] for path, lines in found.items()}})
        return
    if not found:
        say(NO_RULE)
    now = utc_now()
    for path, lines in found.items():
        recorded = any(line.origin is not None for line in lines)
        say(f"{home_path(str(path))}: {_count(lines, recorded=recorded)}")
        if lines:
            say_blocks([managed_blocks(lines, now=now, recorded=recorded)])


def _count(lines: Sequence[Managed], *, recorded: bool) -> str:
    """Count the lines that a proposal brought, and those in our part that a person wrote."""
    ours = sum(line.origin is not None or not recorded for line in lines)
    text = f"{counted(ours, 'line') if ours else 'no line'} managed by skillopt-sleep"
    theirs = len(lines) - ours
    return f"{text}, and {theirs} of yours between its markers" if theirs else text


def _show_rules(store: SqliteStore, rules: Sequence[RuleOrigin], *, as_json: bool, in_place: bool) -> None:
    """Show where each of these rules comes from; its quotes are looked up again to show them in their place."""
    if as_json:
        say_json({"rules": [passport(origin, store) for origin in rules]})
        return
    now = utc_now()
    recurring = store.recurrences()
    blocks: list[Block] = []
    for origin in rules:
        blocks += origin_blocks(origin, now=now, recurring=recurring)
        if in_place:
            blocks += opened(origin.asked.said, store, now=now)
    say_blocks(blocks)


def _show_task(store: SqliteStore, task: Banked, entries: Sequence[Banked], *, as_json: bool) -> None:
    """Show whose words a task is based on, its split, and which nights used it."""
    if as_json:
        say_json({"task": as_data(task)})
        return
    say_blocks([*task_blocks(task, entries, list(store.reports()), now=utc_now())])


def _absence(store: SqliteStore, asked: str, known: Sequence[RuleOrigin]) -> Absence:
    """Return what became of the words asked for: how far they came, what stopped them, and what to do."""
    unfinished = next((night.id for night in store.nights() if not night.closed), "")
    return absence(
        asked,
        known,
        store.lessons.every(),
        store.reports,
        lambda said: typed_like(said, store.index, unfinished=unfinished),
        sessions=len(store.index.lines(unread=False)),
        purged=store.index.purged.has_any(),
    )


def _show_absence(store: SqliteStore, found: Absence, asked: str, *, as_json: bool, in_place: bool) -> None:
    found = replace(found, said=_nearest_first(found.said, asked))
    if as_json:
        say_json({"said": found})
        return
    now = utc_now()
    say_blocks([*absence_blocks(found, now=now), *(opened(found.said, store, now=now) if in_place else ())])


def _asked_first(rule: RuleOrigin, asked: str) -> RuleOrigin:
    """Return the rule with the quotes that are most like the words asked for first."""
    return replace(rule, asked=replace(rule.asked, said=_nearest_first(rule.asked.said, asked)))


def _nearest_first(said: Iterable[Evidence], asked: str) -> tuple[Evidence, ...]:
    """Return the quotes that are most like the words asked for first."""
    return tuple(sorted(said, key=lambda piece: -likeness(asked, piece.quote)))


def _of_place(store: SqliteStore, asked: str, known: Sequence[RuleOrigin]) -> list[RuleOrigin]:
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
        remedy=f"see which: skillopt-sleep why {name}",
    )


def rules_of(asked: str, known: Sequence[RuleOrigin]) -> list[RuleOrigin]:
    """Return the rules of the proposal with this id; those taken by themselves, if it was divided."""
    name = asked.upper()
    parts = [origin for origin in known if origin.proposed.proposal.startswith(f"{name}.")]
    rules = [origin for origin in parts if origin.proposed.state != WITHDRAWN] or parts
    rules = rules or [origin for origin in known if origin.proposed.proposal == name]
    if rules:
        return rules
    name, _, number = name.partition(".")
    rules = [origin for origin in known if origin.proposed.proposal == name]
    return rules[int(number) - 1 : int(number)] if number.isdecimal() and int(number) else []


def absence_blocks(absence: Absence, *, now: datetime) -> Iterator[Block]:
    """Yield what became of something the person said, why, and what to do next."""
    yield from heard(absence.said, now=now, how="You pasted" if absence.pasted else "")
    yield Sentence(sentence(absence.because))
    if absence.rule:
        yield Items(tuple(Item(line.removeprefix("- ")) for line in absence.rule.splitlines()))
    yield Sentence(f"→ {absence.next}", "lead")
    ids = {
        "lesson": absence.lesson,
        "task": absence.task,
        "proposal": absence.proposal,
        "night": absence.night,
    }
    known = ", ".join(f"{name} {value}" for name, value in ids.items() if value)
    if known:
        yield Sentence(known, "soft")


def managed_blocks(lines: Iterable[Managed], *, now: datetime, recorded: bool) -> Items:
    """Return each line that we manage in a file, ours if none is `recorded`: its words, its trial, the decision."""
    return Items(tuple(_managed(*line, now=now, recorded=recorded) for line in lines))


def _managed(number: int, line: str, origin: RuleOrigin | None, *, now: datetime, recorded: bool) -> Item:
    text = f"line {number}: {one_line(line, limit=200)}"
    if origin is None:
        return Item(text, (HAND_WRITTEN if recorded else PURGED,))
    below: list[str] = []
    if origin.asked.said:
        first = next((piece for piece in origin.asked.said if piece.deed is None), origin.asked.said[0])
        below += [words(first), f"{place(first, now=now)}; {often(origin, now=now)}".removesuffix("; ")]
    below += [tried(origin), origin.proposed.label, f"{decision(origin, now=now)}: {origin.proposed.proposal}"]
    return Item(text, tuple(filter(None, below)))
