"""A rule as a person sees it before they decide on it: each of its facts in one sentence, whatever shows it."""

import math
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import takewhile
from pathlib import Path, PurePath
from typing import NamedTuple

from skillopt_sleep.kit.markdown import one_line, spelled
from skillopt_sleep.kit.words import ago, counted, home_path, span
from skillopt_sleep.pages.blocks import Answer, Answers, Link, Said
from skillopt_sleep.records import (
    EditOp,
    NightReport,
    Proof,
    Proposal,
    heading,
    is_of,
    said_or_done,
)
from skillopt_sleep.reporters.attempts import Attempted, AttemptedTask, most_telling
from skillopt_sleep.reporters.gains import both_arms, of_all_rules, removes, sentence, shown_gain
from skillopt_sleep.reporters.words import checked_in_words

STRONGEST_FIRST = (Proof.TRIAL, Proof.EARLY, Proof.ELSEWHERE, Proof.WORDS, Proof.EDITED, Proof.UNTESTED)
SKILL = "SKILL.md"
IN_PLACE = "in its place"
CHARS_A_TOKEN = 4  # of English; nobody's tokenizer is asked
_ALIKE = 60  # characters that both answers begin with, of which most are left out


class Change(NamedTuple):
    """A file, its text as it is and as it becomes."""

    document: str
    old: str
    new: str


class Rule(NamedTuple):
    """The facts of a rule.

    `id` names it in other commands, `label` says how far it is proven. `said` comes newest first, below a `heading`;
    `often` says in how many `sessions` and on which days, if in several. `tried` is the one pair of numbers that
    shows that it helps, and `proof` the sentences beside it. `cautions` need a second look, `sharpens` names a live
    rule of the same lesson that wasn't enough.
    """

    id: str
    document: str
    text: str
    label: str = ""
    cautions: tuple[str, ...] = ()
    heading: str = ""
    said: tuple[Said, ...] = ()
    often: str = ""
    sessions: int = 0
    sharpens: str = ""
    answers: Answers | None = None
    tried: str = ""
    proof: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    cost: tuple[str, ...] = ()
    reaches: str = ""

    @property
    def heard(self) -> str:
        """Say how often the person said or did it, and when."""
        return f"{self.heading} so {self.often}" if self.often else self.heading

    @property
    def where(self) -> str:
        """Say in which file it will stand, and who reads it there."""
        return f"in {self.document}, for {self.reaches}" if self.reaches else f"in {self.document}"

    @property
    def costs(self) -> str:
        """Say what it costs as a sentence; "" if that isn't known."""
        parts = (line if line.startswith("saves") else f"costs {line}" for line in self.cost)
        return sentence(f"it {'; '.join(parts)}") if self.cost else ""


def strength(proposal: Proposal) -> tuple[int, float]:
    """Return what proposals are sorted by, those with the strongest proof first."""
    least = proposal.tested.interval[0] if proposal.tested.interval else -1.0
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
    tried, *proof = _proof(proposal, whole)
    return Rule(
        id=proposal.id,
        document=documents(proposal),
        text=wording(proposal),
        label=proposal.label,
        cautions=cautions(proposal),
        heading=heading(proposal.signs),
        said=said(proposal, now=now),
        often=came_up(proposal, now=now),
        sessions=proposal.sessions,
        answers=answers and answers._replace(titles=_titles(proposal, whole)),
        tried=tried,
        proof=tuple(proof),
        changes=tuple(changes),
        cost=tuple(cost(changes)),
        reaches=reaches(proposal),
    )


def cautions(proposal: Proposal) -> tuple[str, ...]:
    """Return the lines that need a second look, each with the reason."""
    return tuple(f"«{warning.line}» ({warning.because or warning.kind.value})" for warning in proposal.warnings)


def documents(proposal: Proposal) -> str:
    """Return the documents that a proposal changes."""
    return " and ".join(spelled(file.document) for file in proposal.files)


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


def proof_in_short(proposal: Proposal) -> str:
    """Say in a few words what shows that the rule helps, for a list."""
    if not proposal.tested.solved or proposal.proof is Proof.EDITED:
        return proposal.label or "proven"
    label = proposal.label.partition(":")[0]
    return ", ".join(filter(None, [f"{both_arms(proposal.tested.solved)} as you asked", label]))


def said(proposal: Proposal, *, now: datetime) -> tuple[Said, ...]:
    """Return what the person said and did for it, newest first, each with how long ago."""
    newest_first: list[Said] = []
    for one in reversed(proposal.signs):
        place = Link.to_turn(IN_PLACE, one.session, one.turn)
        newest_first.append(Said(said_or_done(one, one.quote), ago(one.at, now) if one.at else "", place))
    return tuple(newest_first)


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


def _proof(proposal: Proposal, whole: Proposal) -> list[str]:
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
    if not old.tested.solved:
        return [untried]
    return [untried, f"Of «{wording(old)}»: {of_all_rules(old)}."]


def _own_share(part: Proposal, whole: Proposal) -> list[str]:
    """Say how the numbers of one rule were measured, or else what all the rules of its proposal did together."""
    because = "; ".join(effect.because for effect in part.tested.effects if effect.because)
    if because:
        return [sentence(because)]
    if part.tested.n or not whole.tested.solved:
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
