"""Say whether it stopped: how often a lesson was corrected before its rule was adopted, and since."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.blocks import Act, Block, Cell, Link, Quotes, Said, Sentence, Table
from skillopt_sleep.records import Proposal, Recurrence, said_or_done
from skillopt_sleep.reporters.rule import IN_PLACE
from skillopt_sleep.reporters.weeks import bars_of, day_of

QUOTE_CHARS = 64
WORDING_CHARS = 44
SHARPEN = "To sharpen the rule, edit its line in the file."
OBSERVED = "This is what was seen, not a proof: you may have corrected less for other reasons."


def ended(one: Recurrence) -> str:
    """Say in a few words whether it stopped; what wasn't seen since may only not have come up."""
    if not one.since.sessions:
        return "Not seen since, as it could not come up in any session"
    if one.fewer:
        return "It comes up less often" if one.since.times else "It stopped"
    if one.since.times:
        return "It came up again"
    return "Not seen since, in too few sessions to say that it stopped"


def in_numbers(one: Recurrence) -> str:
    """Say in how many sessions it was corrected before and since, with the interval of the change."""
    before = f"{one.before.times} of {counted(one.before.sessions, 'session')}"
    numbers = f"corrected in {before} before, {one.since.times} of {one.since.sessions} since"
    if one.change is None:
        return numbers
    low, high = (f"{round(100 * end):+d}".replace("-", "−") for end in one.change)
    return f"{numbers} (90 %: {low} to {high} points)"


def so_far(one: Recurrence) -> str:
    """Say both of a rule."""
    return f"{ended(one)}: {in_numbers(one)}."


def since_adoption(one: Recurrence) -> Iterator[Block]:
    """Yield whether it stopped, and what the person said since."""
    yield Sentence(so_far(one), "good" if one.fewer else "")
    said: list[Said] = []
    for piece in one.again:
        words = said_or_done(piece, one_line(piece.quote, limit=QUOTE_CHARS))
        day = day_of(piece.at.astimezone().date()) if piece.at else ""
        said.append(Said(words, day, Link.to_turn(IN_PLACE, piece.session, piece.turn)))
    if said:
        yield Quotes(tuple(said))


def to_do(one: Recurrence) -> Iterator[Block]:
    """Yield how to sharpen a rule that was corrected again, or to take it back."""
    if one.since.times:
        yield Act(
            f"{SHARPEN} To take it back: `skillopt-sleep undo {one.proposal}`.",
            Link("Sharpen it or take it back", f"/inbox/{one.proposal}"),
        )


def by_week(one: Recurrence) -> Iterator[Block]:
    """Yield a table of the last weeks: the sessions in which it could come up, and those with a correction."""
    if one.first is None or not any(sessions for _, sessions in one.weeks):
        return
    days = [one.first + timedelta(weeks=number) for number in range(len(one.weeks))]
    most = max(sessions for _, sessions in one.weeks)
    adopted = (one.adopted.astimezone().date() - one.first).days / 7
    marks = ((100 * adopted / len(days), "adopted"),) if 0 <= adopted < len(days) else ()
    rows: list[tuple[Cell, ...]] = []
    for name, counts in (
        ("corrected", tuple(times for times, _ in one.weeks)),
        ("could come up", tuple(sessions for _, sessions in one.weeks)),
    ):
        rows.append((name, bars_of(counts, days, most=most)._replace(marks=marks), f"{sum(counts):,}"))
    caption = f"Sessions by week, {day_of(days[0])} to {day_of(days[-1])}. ▼ the rule was adopted."
    yield Table(("sessions", "by week", "in all"), tuple(rows), caption, right=(2,))
    yield Sentence(OBSERVED, "soft")


def told_of(recurrences: Iterable[Recurrence]) -> list[Recurrence]:
    """Return them with those first that were corrected again, then those that stopped."""
    return sorted(recurrences, key=lambda one: (-one.since.times, not one.fewer))


def each_rule(recurrences: Iterable[Recurrence], *, most: int) -> Iterator[Block]:
    """Yield for the first of them the rule, whether it stopped, and what can be done."""
    for one in told_of(recurrences)[:most]:
        yield Sentence(f"{one.proposal}, adopted: «{one_line(one.wording, limit=WORDING_CHARS)}».")
        yield from since_adoption(one)
        yield from to_do(one)


def sharpens(proposal: Proposal, recurrences: Iterable[Recurrence]) -> str:
    """Say that a live rule of the same lesson wasn't enough, and what else can be done; "" if there is none."""
    for one in recurrences:
        if one.since.times and one.lesson in proposal.lessons and one.proposal != proposal.id:
            undo = f"`skillopt-sleep undo {one.proposal}`"
            return (
                f"{one.proposal} is live, but {in_numbers(one)}. Adopt this to sharpen it, or take it back: {undo}."
            )
    return ""
