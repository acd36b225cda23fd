"""The page of a rule as blocks: what there is to decide in few words, and behind that all that is known of it."""

from collections.abc import Iterator, Sequence
from itertools import dropwhile

from skillopt_sleep.kit.markdown import one_line, visible
from skillopt_sleep.kit.redact import clip, redact
from skillopt_sleep.pages.blocks import (
    Act,
    Answer,
    Answers,
    Block,
    Diff,
    Heading,
    Interval,
    Link,
    Quotes,
    Said,
    Sentence,
)
from skillopt_sleep.pages.chart import Dot, dot
from skillopt_sleep.pages.word_diff import Piece, Row, word_diff
from skillopt_sleep.records import Edit, Proof, Proposal, tries
from skillopt_sleep.reporters.gains import own_part, sentence
from skillopt_sleep.reporters.night_words import of_proposal
from skillopt_sleep.reporters.rule import Change, Rule

QUOTE_WORDS = 28  # that all quotes of the first screen have together, unless two have more
QUOTE_CHARS = 64
ANSWER_CHARS = 64
SCREEN_CHARS = 180
CHANGED = 8  # lines
FEWEST = 2  # quotes
GONE = "The files of this proposal are gone, and its change with them."
DEEDS = 2


def first_screen(rule: Rule, *, night_cost: str = "") -> Iterator[Block]:
    """Yield what a person decides a rule by, in the order in which they need it, in few words."""
    yield from _named(rule)
    yield from _heard(rule, _few(rule.said))
    if rule.answers:
        yield _brief(rule.answers)
    yield Sentence(rule.tried)
    if rule.costs or night_cost:
        yield Sentence(" ".join(filter(None, [rule.costs, night_cost])))


def screen(rule: Rule) -> Iterator[Block]:
    """Yield the same for a terminal, with more of both answers, the whole proof, and what changes in the files."""
    yield from _named(rule._replace(text=one_line(rule.text, limit=SCREEN_CHARS)))
    yield from _heard(rule, _few(rule.said))
    if rule.answers:
        yield _brief(rule.answers, chars=SCREEN_CHARS)
    for line in filter(None, (rule.tried, *rule.proof, rule.costs)):
        yield Sentence(line)
    for diff in changed(rule.changes):
        yield _cut(diff)


def _cut(diff: Diff) -> Diff:
    """Return the first lines of a change, those that stay as they are in one line each."""
    rows = [row if row.sign != " " else _short(row) for place in diff.places for row in place]
    return diff._replace(places=[rows[:CHANGED]], more=max(len(rows) - CHANGED, 0))


def _short(row: Row) -> Row:
    return row._replace(pieces=(Piece(clip("".join(piece.text for piece in row.pieces), ANSWER_CHARS)),))


def whole(rule: Rule, more: Sequence[Block] = ()) -> Iterator[Block]:
    """Yield the same with all that was said, answered, known `more` and changed, however long it is."""
    yield from _named(rule)
    yield from in_full(rule)
    for line in filter(None, (rule.tried, *rule.proof, rule.costs)):
        yield Sentence(line)
    yield from more
    yield from changed(rule.changes)


def in_full(rule: Rule) -> Iterator[Block]:
    """Yield all that was said, and both answers as long as they are."""
    yield from _heard(rule, rule.said)
    if rule.answers:
        yield rule.answers
        if not rule.answers.before.turns and not rule.answers.after.turns:
            yield Sentence("Both are answers in words: no tool was used, and nothing was run.", "soft")


def decide(rule: Rule) -> Act:
    """Return how to say yes or no to a rule."""
    yes, no = f"`skillopt-sleep adopt {rule.id}`", f"`skillopt-sleep reject {rule.id}`"
    return Act(f"Yes: {yes}. No: {no}.", Link("Decide on it", f"/inbox/{rule.id}"))


def more(proposal: Proposal, whole: Proposal) -> tuple[Block, ...]:
    """Return what only few need to know of a rule: its numbers, their error rate, and where it was said.

    `whole` is the proposal it is a part of, or itself.
    """
    lines = [*statistics(proposal, whole)]
    lines += filter(None, [of_proposal(proposal.tested.error_rate), proposal.pair])
    if proposal.doubt:
        lines.append(sentence(f"note that {proposal.doubt}"))
    measured = tuple(dots(proposal))
    drawn = (Interval(measured),) if measured else ()
    return (*map(Sentence, lines), *drawn, *(Sentence(line, "soft") for line in places(proposal)))


def statistics(proposal: Proposal, whole: Proposal) -> Iterator[str]:
    """Yield what the error rate of a proposal is, what each of its rules did by itself, and which others it had.

    `whole` is the proposal it is a part of, or itself.
    """
    if proposal.tested.error_rate:
        yield sentence(proposal.tested.error_rate)
    yield from _each_rule(proposal)
    others = [edit for edit in whole.edits if edit not in proposal.edits]
    if others and whole.id != proposal.id:
        named = "; ".join(f"«{_in_short(edit)}»" for edit in others)
        yield f"{whole.id} also has: {named}"


def _each_rule(proposal: Proposal) -> Iterator[str]:
    """Yield each rule's own numbers, if there are several rules."""
    if len(proposal.edits) == 1:
        return
    for effect in proposal.tested.effects:
        own = own_part(effect, proposal.tested.fresh)
        if own:
            because = f"; {visible(effect.because)}" if effect.because else ""
            yield f"  «{_in_short(effect.edit)}»: {own}{because}"


def _in_short(edit: Edit) -> str:
    return visible(one_line(edit.content or edit.target, limit=100))


def changed(changes: Sequence[Change]) -> Iterator[Diff]:
    """Yield each change once, with the files that change in the same way."""
    left = list(changes)
    while left:
        first = left.pop(0)
        same = tuple(other.document for other in left if other.new == first.new)
        left = [other for other in left if other.new != first.new]
        # Redacted before they are compared: a secret that is cut into words can't be told any more.
        yield Diff(first.document, places_of(redact(first.old), redact(first.new)), same_in=same)


def places_of(old: str, new: str) -> list[list[Row]]:
    """Return the places that change in a text; the first begins with a line that has words."""
    found = word_diff(old, new)
    return [list(dropwhile(_is_blank, place)) for place in found[:1]] + found[1:]


def staged_change(diff: str) -> Iterator[Block]:
    """Yield a change as it was proposed, file by file, or that it is gone."""
    if not diff:
        yield Sentence(GONE, "careful")
        return
    yield Heading("The change, as it was proposed", 4)
    name, rows = "", list[Row]()
    for line in redact(diff).splitlines():
        if line.startswith("--- ") and rows:
            yield Diff(name, [rows])
            rows = []
        elif line.startswith("+++ "):
            name = line.removeprefix("+++ ").removeprefix("b/").partition("\t")[0]
        elif not line.startswith(("--- ", "@@")):
            rows.append(Row(0, line[:1], (Piece(line[1:]),)))
    yield Diff(name, [rows])


def dots(proposal: Proposal) -> Iterator[tuple[str, Dot]]:
    """Yield the gain of the trial, and that of the round after it, which the choice didn't flatter."""
    if proposal.proof is Proof.EDITED:
        return
    tested, fresh = proposal.tested, proposal.tested.fresh
    if tested.before is not None and tested.after is not None:
        yield "trial", dot(tested.before, tested.after, tested.interval, tries(tested.n))
    if fresh.before is not None and fresh.after is not None:
        yield "second trial", dot(fresh.before, fresh.after, fresh.interval, tries(fresh.n))


def _named(rule: Rule) -> Iterator[Block]:
    """Yield the rule, where it will stand, and what should be known before it is trusted."""
    yield Heading(rule.text, 2, rule.id)
    yield Sentence(f"{rule.id}, {rule.where}", "about")
    if rule.label:
        yield Sentence(sentence(rule.label), "careful")
    for caution in rule.cautions:
        yield Sentence(caution, "careful", mark="Look twice")


def _heard(rule: Rule, shown: tuple[Said, ...]) -> Iterator[Block]:
    """Yield in how many sessions it was said or done, these quotes, and whether a live rule wasn't enough."""
    if shown:
        more = len(rule.said) - len(shown)
        yield Sentence(f"{rule.heard}{f'; the last {len(shown)}' if more else ''}:")
        yield Quotes(shown)
    if rule.sharpens:
        yield Sentence(rule.sharpens, "careful")


def _is_blank(row: Row) -> bool:
    return row.sign == " " and not any(piece.text.strip() for piece in row.pieces)


def _few(said: tuple[Said, ...]) -> tuple[Said, ...]:
    """Return the newest quotes that are short enough together, each cut to a line."""
    shown: list[Said] = []
    words = 0
    for piece in said:
        words += len(piece.words.split())
        if words > QUOTE_WORDS and len(shown) >= FEWEST:
            break
        shown.append(piece._replace(words=_cut_quote(piece.words)))
    return tuple(shown)


def _cut_quote(words: str) -> str:
    """Return a quote on one short line, with its closing mark."""
    cut = one_line(words, limit=QUOTE_CHARS)
    return f"{cut}»" if words.endswith("»") and not cut.endswith("»") else cut


def _brief(answers: Answers, *, chars: int = ANSWER_CHARS) -> Answers:
    """Return the beginnings of both answers, without all that was done."""
    return answers._replace(
        request=one_line(answers.request, limit=QUOTE_CHARS),
        before=_beginning(answers.before, chars),
        after=_beginning(answers.after, chars),
    )


def _beginning(answer: Answer, chars: int) -> Answer:
    did = tuple(one_line(line, limit=QUOTE_CHARS) for line in answer.did[:DEEDS])
    return Answer(clip(answer.text, chars), did, answer.solved, answer.turns)


def places(proposal: Proposal) -> Iterator[str]:
    """Yield in which turns of which sessions the person said and did what they did."""
    for piece in proposal.signs:
        words = f": «{visible(piece.quote)}»" if piece.quote else ""
        yield f"You {piece.verb} in {piece.session}, turn {piece.turn}{words}"
