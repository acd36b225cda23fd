"""The page of a night as blocks: what there is to decide on one screen, and behind that what was tried and why."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.blocks import Act, Block, Fold, Item, Items, Link, Sentence
from skillopt_sleep.records import (
    BECAME,
    CUT_SHORT,
    NEXT_STEPS,
    NOTHING,
    REVIEW,
    Became,
    Corrections,
    Decision,
    NightReport,
    NightSummary,
    Note,
    Proposal,
    is_of,
    said_or_done,
    summarize_night,
)
from skillopt_sleep.reporters.gains import both_arms, sentence
from skillopt_sleep.reporters.night_words import (
    ERRORS,
    cost_in_full,
    cost_in_short,
    judge_in_words,
    noise_floor,
    noise_in_words,
    noted,
    of_night,
    sessions_in_words,
    trouble,
)
from skillopt_sleep.reporters.recurrence import OBSERVED, each_rule, sharpens, so_far, told_of
from skillopt_sleep.reporters.rule import Change, Rule, answers, rule_of, waiting_first
from skillopt_sleep.reporters.rule_page import (
    QUOTE_CHARS,
    decide,
    first_screen,
)
from skillopt_sleep.reporters.tried import change, text_only, trials
from skillopt_sleep.reporters.weeks import weeks

MOST_RULES = 2  # that are shown whole
MOST_LINES = 2  # of the others
MOST_NOTES = 2
MOST_QUOTES = 1
MOST_FATES = 2  # of a list
REASON_WORDS = 30
REMEDY_WORDS = 18
NOTE_WORDS = 12
IN_FULL = 60  # words
LINE_CHARS = 44
WAITING, NOT_USED = "Waiting", "Not used, and why"
_BEFORE, _AFTER = "base", "result"  # where a staged proposal keeps the text it starts from and the one it ends with
_FATES = {
    WAITING: (Became.NOT_REACHED, Became.UNGRADED, Became.NEEDS_SESSION, Became.NEEDS_REPOSITORY, Became.TRIED),
    NOT_USED: (Became.UNUSED, Became.FOR_ONCE, Became.TAKEN_BACK, Became.STANDS),
}


class Night(NamedTuple):
    """A night for a person.

    `waits` are the proposals that wait now, of whatever night, None if it is told as of when it ended. `folder` has
    what the night's stages left, None if it is gone. `decided` says by its id what was decided on each proposal that
    doesn't wait.
    """

    report: NightReport
    waits: Collection[str] | None = None
    folder: Path | None = None
    decided: Mapping[str, str] = MappingProxyType({})

    @property
    def summary(self) -> NightSummary:
        """Return how it ended, what waits, why, and what to do."""
        return summarize_night(self.report, self.waits)

    @property
    def title(self) -> str:
        """Return what stands above its page."""
        return f"Night of {self.report.night}: {self.summary.ended}"


def blocks(night: Night) -> tuple[Block, ...]:
    """Return the page of a night below its title."""
    summary = night.summary
    ordered = waiting_first(night.report.proposals, summary.waits)
    waiting = [one for one in ordered if is_of(one, summary.waits)]
    shown = [(one, _rule(one, night)) for one in waiting[:MOST_RULES]]
    return (
        *_head(night, summary, one_rule=len(summary.waits) == len(shown) == 1),
        *_rules(night, [rule for _, rule in shown]),
        *_lines(night, summary, ordered, [proposal for proposal, _ in shown]),
        *_since(night.report),
        *_more(night, shown),
    )


def _head(night: Night, summary: NightSummary, *, one_rule: bool) -> Iterator[Block]:
    """Yield what waits; if nothing does, first the reason, and what would change it."""
    report = night.report
    reason, remedy = few_words(summary.because, REASON_WORDS), few_words(summary.to_do, REMEDY_WORDS)
    if not summary.waits:
        yield Sentence(f"{reason}.", "lead")
        yield from _being_tried(report)
        yield Sentence(f"What to do: {remedy}.")
        yield Sentence(f"{summary.decide}. {cost_in_short(report)}")
    else:
        yield Sentence(f"{summary.decide}. Nothing changes until you say so.", "lead")
        if report.verdict in CUT_SHORT or not report.proposals:
            yield Sentence(f"{reason}.")
            yield from _being_tried(report)
        others = summary.to_do.replace(REVIEW, "").strip("; ")
        if others:
            yield Sentence(f"What to do: {few_words(others, REMEDY_WORDS)}.")
        if not one_rule:
            yield Act(f"What to do: {REVIEW}.", Link("Decide on what waits", "/inbox"))
    sealed = report.judging.sealed
    if sealed and sealed.why_not:
        helps = f" What helps: {sealed.remedy}." if sealed.remedy else ""
        yield Sentence(f"{few_words(sealed.in_words, REMEDY_WORDS)}.{helps}")
    wrong = trouble(report)
    if wrong:
        more = f", and {counted(len(wrong) - 1, 'more error')}" if wrong[1:] else ""
        yield Sentence(f"{few_words(wrong[0].summary, REMEDY_WORDS)}{more}.", "careful", mark="Error")


def _being_tried(report: NightReport) -> Iterator[Block]:
    """Yield the first change that nothing is proven of yet, and how many more there are: later nights go on."""
    tried: list[str] = []
    for outcome in report.documents:
        for one in outcome.tried.undecided:
            if one.tested.verdict.decision is Decision.UNDECIDED:
                changes = "; ".join(change(edit, limit=LINE_CHARS) for edit in one.tested.edits[:MOST_LINES])
                tried.append(f"Being tried in {outcome.document.id}: {changes}")
    if tried:
        more = f", and {len(tried) - 1} more" if len(tried) > 1 else ""
        yield Sentence(f"{tried[0]}{more}.")


def _rules(night: Night, rules: Sequence[Rule]) -> Iterator[Block]:
    """Yield what each rule is decided by; the cost of the night stands with the last of them."""
    for place, rule in enumerate(rules, start=1):
        yield from first_screen(rule, night_cost=cost_in_short(night.report) if place == len(rules) else "")
        yield decide(rule)


def _lines(
    night: Night, summary: NightSummary, ordered: Sequence[Proposal], shown: Sequence[Proposal]
) -> Iterator[Block]:
    """Yield a line for each other proposal of the night, and what became of those that don't wait."""
    items: list[Item] = []
    for proposal in ordered:
        if proposal not in shown:
            rule = _rule(proposal, night)
            counts = proposal.tested.solved
            known_of = f" {both_arms(counts)} as you asked." if counts else ""
            state = "" if is_of(proposal, summary.waits) else f" {night.decided.get(proposal.id, NOT_WAITING)}"
            link = Link("Look at it", f"/inbox/{proposal.id}")
            words = one_line(rule.text, limit=LINE_CHARS).removesuffix(".")
            items.append(Item(f"{rule.id}, in {rule.document}: «{words}».{known_of}{state}", link=link))
    if items:
        yield Items(tuple(items[:MOST_LINES]))
    if items[MOST_LINES:]:
        more = counted(len(items) - MOST_LINES, "more rule")
        yield Act(f"{more}: `skillopt-sleep review`.", Link(f"{more} in the Inbox", "/inbox"))


def _since(report: NightReport) -> Iterator[Block]:
    """Yield what this night's sessions changed about the lessons of adopted rules."""
    yield from each_rule((one for one in report.found.recurrences if one.news), most=MOST_LINES)


NOT_WAITING = "It doesn't wait for a decision now."


def _more(night: Night, shown: Sequence[tuple[Proposal, Rule]]) -> Iterator[Block]:
    """Yield what stands behind the first screen: proofs, trials, what waits, what was read and what failed."""
    report = night.report
    for proposal, rule in shown:
        every = f"All its statistics: `skillopt-sleep review --show {proposal.id} --verbose`."
        see = Act(every, Link("All its statistics", f"/inbox/{proposal.id}"))
        yield Fold(f"The proof of {proposal.id}", (*map(Sentence, rule.proof), see))
    tried = tuple(_tried(report))
    if tried:
        yield Fold("What was tried", tried)
    for title, wanted in _FATES.items():
        fates = tuple(_fates(report.found.corrections, wanted))
        if fates:
            yield Fold(title, (Items(fates),))
    adopted = [Item(f"{one.proposal}: {so_far(one)}") for one in told_of(report.found.recurrences)]
    if adopted:
        yield Fold("Did it stop?", (Items(tuple(adopted)), Sentence(OBSERVED, "soft")))
    said = weeks(report.found.trend)
    if said:
        yield Fold("How often you had to say it", said)
    yield Fold("What was read, and what it cost", tuple(_read(report)))
    for title, notes in noted(report):
        yield Fold(title, tuple(_notes(notes)), counted(len(notes), "note"), opened=title == ERRORS)
    summary = night.summary
    if not summary.waits and len(summary.because.split()) + len(summary.to_do.split()) > REASON_WORDS + REMEDY_WORDS:
        full = (summary.because, summary.to_do)
        yield Fold("The reason in full", tuple(Sentence(sentence(few_words(text, IN_FULL))) for text in full))


def _tried(report: NightReport) -> Iterator[Block]:
    accepted = [one for one in report.documents if one.verdict.decision is Decision.ACCEPT]
    rate = of_night(one for one in accepted if not one.sessions.unfinished)
    found = tuple(trials(report))
    yield from found
    unfinished = [Item(f"`{name}`: not decided, the night ended first.") for name in _unfinished(report)]
    if unfinished:
        yield Items(tuple(unfinished))
    if found and text_only(report):
        yield Sentence("The requests were asked without tools or files, so the evidence is text only.", "soft")
    if report.judging.judge:
        yield Sentence(judge_in_words(report.judging.judge))
    noise = noise_in_words(noise_floor(report.documents))
    doubts = dict.fromkeys(sentence(f"note that {one.doubt}") for one in report.proposals if one.doubt)
    for line in (*doubts, rate, sentence(noise)):
        if line:
            yield Sentence(line, "soft")


def _unfinished(report: NightReport) -> list[str]:
    """Return the documents with requests of the night that has no result of them."""
    ended = {outcome.document.id for outcome in report.documents}
    begun = [one.document for one in report.found.corrections.listed if one.became is Became.NOT_REACHED]
    return [name for name in dict.fromkeys(begun) if name and name not in ended]


def _fates(corrections: Corrections, wanted: Sequence[Became]) -> Iterator[Item]:
    """Yield the corrections with these fates, the same words with the same case once."""
    counts = {became: corrections.counts.get(became.value, 0) for became in wanted}
    for became in sorted(filter(counts.get, wanted), key=lambda one: -counts[one])[:MOST_FATES]:
        quotes: dict[str, None] = {}
        for one in corrections.listed:
            if one.became is became:
                quote = one_line(said_or_done(one.sign, one.quote), limit=QUOTE_CHARS)
                because = f" ({few_words(one.because, NOTE_WORDS)})" if one.because else ""
                quotes[f"{quote}{because}"] = None
        below = list(quotes)[:MOST_QUOTES]
        if len(quotes) > MOST_QUOTES:
            below.append(f"and {len(quotes) - MOST_QUOTES} more")
        step = NEXT_STEPS[became]
        what = "" if step.startswith(NOTHING) else f" → {few_words(step, NOTE_WORDS)}"
        yield Item(f"{counts[became]} × {BECAME[became]}{what}", tuple(below))


def _read(report: NightReport) -> Iterator[Block]:
    yield Sentence(sessions_in_words(report))
    judging = report.judging
    if judging.calibrations.sessions:
        yield Sentence(f"{judging.calibrations.in_words}.")
    if judging.sealed:
        yield Sentence(f"{judging.sealed.in_words}.")
    yield Sentence(f"Cost: {cost_in_full(report)}", link=Link("Tokens and dollars by purpose", "/spend"))


def _notes(notes: Sequence[Note]) -> Iterator[Block]:
    def item(note: Note) -> Item:
        remedy = f" → {few_words(note.remedy, NOTE_WORDS)}" if note.remedy else ""
        return Item(f"{few_words(note.summary, REMEDY_WORDS)}{remedy}")

    yield Items(tuple(map(item, notes[:MOST_NOTES])))
    if notes[MOST_NOTES:]:
        yield Sentence(f"{counted(len(notes) - MOST_NOTES, 'more note')} in diagnostics.json.", "soft")


def _rule(proposal: Proposal, night: Night) -> Rule:
    """Return the facts of a proposal as of when the night ended."""
    changes = tuple(_changes(proposal, night.folder)) if night.folder else ()
    found = answers(proposal, night.report, night.folder) if night.folder else None
    rule = rule_of(proposal, changes, found, now=night.report.ended, whole=proposal)
    return rule._replace(sharpens=sharpens(proposal, night.report.found.recurrences))


def _changes(proposal: Proposal, folder: Path) -> Iterator[Change]:
    """Yield what the proposal changes in each of its files, by the texts that were staged with it."""
    staged = folder.parent / proposal.night / "proposals" / proposal.id
    for index, file in enumerate(proposal.files):
        ending = f"-{index + 1}" if index else ""
        before, after = _text(staged / f"{_BEFORE}{ending}"), _text(staged / f"{_AFTER}{ending}")
        if after is not None:
            yield Change(file.document, redact(before or ""), redact(after))


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode(errors="replace").removeprefix("\ufeff")
    except OSError:
        return None


def few_words(text: str, most: int) -> str:
    """Return a text of at most so many words, cut at the end of a clause if there is one, and without full stop."""
    words = text.rstrip(".").split()
    if len(words) <= most:
        return text.rstrip(".")
    cut = " ".join(words[:most])
    clause = max(cut.rfind("; "), cut.rfind(": ", len(cut) // 2))
    return cut[:clause] if clause > len(cut) // 3 else f"{cut} …"
