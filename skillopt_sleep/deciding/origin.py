"""Show where a rule comes from, alike in every face: the person's words, its trial, and what they decided."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.words import ago, counted, span
from skillopt_sleep.pages.blocks import Block, Heading, Link, Quotes, Said, Sentence
from skillopt_sleep.proposals.origins import RuleOrigin
from skillopt_sleep.records import Evidence, Proof, Recurrence, heading, said_or_done
from skillopt_sleep.reporters.gains import in_numbers, sentence
from skillopt_sleep.reporters.recurrence import OBSERVED, since_adoption, to_do
from skillopt_sleep.reporters.rule import IN_PLACE
from skillopt_sleep.reporters.status import status_of
from skillopt_sleep.stores.bank import ADOPTED

QUOTES = 3  # so many of the person's quotes are shown
QUOTE_CHARS = 240
SESSION_CHARS = 8  # of a session's id: as much as `harvest --why` needs


def origin_blocks(
    origin: RuleOrigin, *, now: datetime, recurring: Mapping[str, Recurrence] = MappingProxyType({})
) -> Iterator[Block]:
    """Yield a rule, its files, and why it is there."""
    yield Heading(origin.rule.removeprefix("- "))
    yield Sentence(f"in {' and '.join(origin.proposed.documents)}", "about")
    yield from rests_on(origin, now=now, recurring=recurring)


def rests_on(
    origin: RuleOrigin, *, now: datetime, recurring: Mapping[str, Recurrence] = MappingProxyType({})
) -> Iterator[Block]:
    """Yield why a rule is there: what the person said, what was tried, what they decided, and the ids."""
    proposed = origin.proposed
    yield from heard(origin.asked.said, now=now, often=often(origin, now=now))
    yield from decided_on(origin, now=now)
    for name in origin.asked.lessons if proposed.state == ADOPTED else ():
        if name in recurring:
            yield from since_adoption(recurring[name])
            yield from to_do(recurring[name])
            yield Sentence(OBSERVED, "soft")
    for name, wording in zip(origin.asked.lessons, origin.asked.wordings, strict=False):
        link = Link("Look at it", f"/lessons/{name}")
        yield Sentence(f"lesson {name}: {one_line(wording, limit=60)}", "soft", link)
    yield Sentence(f"proposal {proposed.proposal}, night {proposed.night}", "soft")


def decided_on(origin: RuleOrigin, *, now: datetime) -> Iterator[Block]:
    """Yield what a rule's trial showed, how far that proves it, and what the person decided."""
    name = origin.proposed.proposal
    yield Sentence(sentence(tried(origin)))
    if origin.proposed.label:
        yield Sentence(sentence(origin.proposed.label), "careful")
    yield Sentence(sentence(decision(origin, now=now)), "lead", Link(name, f"/inbox/{name}"))


def heard(said: Sequence[Evidence], *, now: datetime, often: str = "", how: str = "") -> Iterator[Block]:
    """Yield what the person said and did, each with when and where, behind how `often` it came up."""
    if not said:
        return
    yield Sentence(f"{how or heading(said)} {often}".rstrip() + ":")
    quotes: list[Said] = []
    for piece in said[:QUOTES]:
        quotes.append(Said(words(piece), place(piece, now=now), Link.to_turn(IN_PLACE, piece.session, piece.turn)))
    yield Quotes(tuple(quotes))
    if len(said) > QUOTES:
        yield Sentence(f"and {counted(len(said) - QUOTES, 'more time')}")


def words(piece: Evidence) -> str:
    """Return what the person said or did, on one line."""
    return said_or_done(piece, one_line(piece.quote, limit=QUOTE_CHARS))


def place(piece: Evidence, *, now: datetime) -> str:
    """Return when something was said, if that is known, and in which session."""
    agent, _, name = piece.session.partition(":")
    at = f"{piece.at.astimezone():%Y-%m-%d} ({ago(piece.at, now)}), " if piece.at else ""
    return f"{at}{agent} {name[:SESSION_CHARS]}, turn {piece.turn}"


def often(origin: RuleOrigin, *, now: datetime) -> str:
    """Return in how many sessions a rule came up and when, "" if in one."""
    if origin.asked.sessions <= 1:
        return ""
    days = f", {span(origin.asked.first, origin.asked.last, now)}" if origin.asked.first and origin.asked.last else ""
    of = f" of {', '.join(origin.proposed.projects)}" if origin.proposed.projects else ""
    return f"in {origin.asked.sessions} sessions{of}{days}"


def tried(origin: RuleOrigin) -> str:
    """Say in one sentence what is known of a rule's trial."""
    if origin.proposed.proof is Proof.WORDS:
        return "your own words are its proof, no trial was run"
    tested = origin.tested
    what = "it was tried" if tested.alone else f"all rules of {origin.proposed.proposal} were tried together"
    if tested.solved is not None:
        return f"{what}: {in_numbers(tested.solved, rules=1 if tested.alone else 2)}"
    if tested.before is not None and tested.after is not None:
        return f"{what}: graded {tested.before:.2f} before, {tested.after:.2f} with it, n={tested.n}"
    return "no trial was run"


def decision(origin: RuleOrigin, *, now: datetime) -> str:
    """Say what the person decided on a rule's proposal, and when."""
    proposed = origin.proposed
    return status_of(proposed.state, decided=proposed.decided, reason=visible(proposed.reason), now=now)
