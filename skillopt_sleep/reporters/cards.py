"""Say of a proposed rule all that a person needs to decide on it, in plain words."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from pathlib import Path, PurePath

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import ago, counted, home_path, span
from skillopt_sleep.records import (
    EditOp,
    NightReport,
    Proof,
    Proposal,
    heading,
    is_of,
    said_or_done,
)
from skillopt_sleep.reporters.attempts import Attempted, AttemptedTask
from skillopt_sleep.reporters.card import Answer, Answers, Change, Rule, Said
from skillopt_sleep.reporters.gains import of_all_rules, removes, sentence, shown_gain
from skillopt_sleep.reporters.references import checked_in_words
from skillopt_sleep.reporters.telling import most_telling

STRONGEST_FIRST = (Proof.TRIAL, Proof.EARLY, Proof.ELSEWHERE, Proof.WORDS, Proof.EDITED, Proof.UNTESTED)
SKILL = "SKILL.md"
CHARS_A_TOKEN = 4  # of English; nobody's tokenizer is asked
_ALIKE = 60  # characters that both answers begin with, of which most are left out


def strength(proposal: Proposal) -> tuple[int, float]:
    """Return what proposals are sorted by, those with the strongest proof first."""
    least = proposal.interval[0] if proposal.interval else -1.0
    return STRONGEST_FIRST.index(proposal.proof), -least


def in_order(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return rules with the strongest proof first, but those of one file, and of one proposal in it, together."""
    best: dict[tuple[str, ...], tuple[int, float]] = {}
    for proposal in sorted(proposals, key=strength):
        for group in _groups(proposal):
            best.setdefault(group, strength(proposal))

    def place(proposal: Proposal) -> tuple[object, ...]:
        return *((best[group], group) for group in _groups(proposal)), strength(proposal)

    return sorted(proposals, key=place)


def waiting_first(proposals: Sequence[Proposal], waits: Collection[str]) -> list[Proposal]:
    """Return rules in the one order that they are shown in everywhere: those that wait, then the others."""
    waiting = [proposal for proposal in proposals if is_of(proposal, waits)]
    return in_order(waiting) + in_order([proposal for proposal in proposals if not is_of(proposal, waits)])


def _groups(proposal: Proposal) -> tuple[tuple[str, ...], ...]:
    """Return the file of a rule, and the proposal in it that the rule was first a part of."""
    return (proposal.path,), (proposal.path, proposal.id.partition(".")[0])


def rule_of(
    proposal: Proposal,
    changes: Sequence[Change],
    answers: Answers | None,
    *,
    now: datetime,
    whole: Proposal,
) -> Rule:
    """Return what is shown of a proposal; `whole` is the one it is a part of, or itself."""
    return Rule(
        id=proposal.id,
        document=" and ".join(file.document for file in proposal.files),
        text=wording(proposal),
        label=proposal.label,
        cautions=tuple(
            f"«{warning.line}» ({warning.because or warning.kind.value})" for warning in proposal.warnings
        ),
        heading=heading(proposal.signs),
        said=said(proposal, lambda at: ago(at, now)),
        often=came_up(proposal, now=now),
        sessions=proposal.sessions,
        answers=answers and answers._replace(titles=_titles(proposal, whole)),
        proof=tuple(proof(proposal, whole)),
        changes=tuple(changes),
        cost=tuple(cost(changes)),
        reaches=reaches(proposal),
    )


def wording(proposal: Proposal) -> str:
    """Return the rule in one line, or what a proposal of several rules does."""
    if len(proposal.edits) != 1:
        return proposal.summary
    edit = proposal.edits[0]
    if edit.op is EditOp.DELETE:
        return f"Remove: {_bare(edit.target)}"
    return _bare(edit.content)


def _bare(text: str) -> str:
    return one_line(" ".join(line.strip().removeprefix("- ") for line in text.splitlines()), limit=1_000)


def said(proposal: Proposal, told: Callable[[datetime], str]) -> tuple[Said, ...]:
    """Return what the person said and did for it, newest first; `told` puts in words when."""
    newest_first = reversed(proposal.signs)
    return tuple(Said(said_or_done(one, one.quote), told(one.at) if one.at else "") for one in newest_first)


def came_up(proposal: Proposal, *, now: datetime) -> str:
    """Say in how many sessions it came up and on which days; of several rules, that it is of all; "" for one."""
    if proposal.sessions <= 1:
        return ""
    times = [piece.at for piece in proposal.signs if piece.at]
    days = f", {span(min(times), max(times), now)}" if times else ""
    rules = f"for these {len(proposal.edits)} rules, " if len(proposal.edits) > 1 else ""
    return f"{rules}in {proposal.sessions} sessions{days}"


def _titles(proposal: Proposal, whole: Proposal) -> tuple[str, str]:
    """Return what both answers are called: those to a rule of several were given with all of them."""
    if proposal.proof is Proof.EDITED:
        return "Without the rule", "With what was tried"
    if removes(whole):
        return "As it is", "With it removed" if len(whole.edits) == 1 else "With all removed"
    every = "both" if len(whole.edits) == 2 else f"all {len(whole.edits)}"  # noqa: PLR2004
    if whole.id != proposal.id:
        return f"Without {every} rules", f"With {every} rules of {whole.id}"
    if len(proposal.edits) > 1:
        return "Without the rules", f"With {every} rules"
    return "Without the rule", "With the rule"


def proof(proposal: Proposal, whole: Proposal) -> list[str]:
    """Return the sentences that say what shows that the rule helps: whole numbers with their n first."""
    if proposal.proof is Proof.EDITED:
        return _of_old_words(whole)
    sentences = shown_gain(proposal)
    if whole.id != proposal.id:
        sentences += _own_share(proposal, whole)
    if proposal.others:
        sentences.append(sentence(proposal.others))
    if not sentences:
        sentences.append("No trial was run.")
    return sentences


def _of_old_words(old: Proposal) -> list[str]:
    """Say that a person's own words weren't tried, and what the words were that were."""
    untried = "No trial was run with these words."
    if not old.solved:
        return [untried]
    return [untried, f"Of «{wording(old)}»: {of_all_rules(old)}."]


def _own_share(part: Proposal, whole: Proposal) -> list[str]:
    """Say how the numbers of one rule were measured, or else what all the rules of its proposal did together."""
    because = "; ".join(effect.because for effect in part.effects if effect.because)
    if because:
        return [sentence(because)]
    if part.n or not whole.solved:
        return []
    return [f"Not tried by itself. All rules of {whole.id} together: {of_all_rules(whole)}."]


def cost(changes: Sequence[Change]) -> Iterator[str]:
    """Say for each file how many tokens more an agent reads because of the change, and when."""
    for change in changes:
        added = len(change.new) - len(change.old)
        tokens = f"about {counted(math.ceil(abs(added) / CHARS_A_TOKEN), 'token')}"
        if added < 0:
            tokens = f"saves {tokens}"
        when = "in every session"
        if PurePath(change.document).name == SKILL:
            when = "when the skill is used"
            if not change.old:
                when += ", and its name and description in every session"
        where = "" if len(changes) == 1 else f" ({PurePath(change.document).name})"
        yield f"{tokens} {when}{where}"


def reaches(proposal: Proposal) -> str:
    """Say which agents follow the rule, and where."""
    agents = " and ".join(proposal.read_by) or "every agent that reads the file"
    if Path.home().is_relative_to(proposal.root):
        because = f": you said it in {', '.join(proposal.projects)}" if len(proposal.projects) > 1 else ""
        return f"{agents}, in all your projects{because}"
    inner = PurePath(proposal.path).parent.parts[len(PurePath(proposal.root).parts) :]
    folder = PurePath(proposal.root, *takewhile(lambda part: not part.startswith("."), inner))
    return f"{agents}, in {home_path(str(folder))}"


def answers(proposal: Proposal, report: NightReport | None, folder: Path) -> Answers | None:
    """Return the most telling answers of the night to an unseen request of the rule's lessons; None if none is kept.

    `folder` has what the night's stages left.
    """
    task = most_telling(proposal, report.documents if report else (), folder)
    return _answers(task) if task else None


def _answers(task: AttemptedTask) -> Answers | None:
    if task.before is None or task.after is None:
        return None
    skipped = _same_beginning(task.before.answer, task.after.answer)
    return Answers(task.request, _answer(task.before, skipped), _answer(task.after, skipped))


def _answer(attempt: Attempted, skipped: int) -> Answer:
    text = f"… {attempt.answer[skipped:]}" if skipped else attempt.answer
    done = None if attempt.hard is None else attempt.hard == 1
    checked = tuple((result.passed, checked_in_words(result)) for result in attempt.checks)
    if attempt.acted is None:
        return Answer(text or attempt.problem, attempt.did, done, checked=checked)
    acted = attempt.acted
    return Answer(text, acted.in_lines(), done, acted.turns, tuple(acted.in_full()), checked)


def _same_beginning(one: str, other: str) -> int:
    """Return how many characters both texts begin with that needn't be shown, up to a space; 0 for a few."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    if same < _ALIKE:
        return 0
    end = same - _ALIKE // 3
    return max(one.rfind(" ", 0, end), one.rfind("\n", 0, end)) + 1
