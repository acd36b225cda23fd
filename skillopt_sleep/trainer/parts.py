"""Hold what every step of a training works with, and measure skills."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.learning.attempts import block
from skillopt_sleep.learning.learn import EditLimit
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.select import edit_budget
from skillopt_sleep.proposals.guard import LIMIT, refusals
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.records import (
    Document,
    Edit,
    EditOp,
    GateRule,
    Record,
    RefusalKind,
    Rollout,
    Score,
    Split,
    Task,
    mean_of,
)
from skillopt_sleep.replay.rollout import Job as EngineJob
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from skillopt_sleep.trainer.attempts import Attempts, Counting, FinishedAttempt, Job
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.costs import StageCosts
from skillopt_sleep.trainer.env import Item
from skillopt_sleep.trainer.run import RunFolder
from skillopt_sleep.trainer.summary import Scores, SkillVersion

VAL_SAMPLE = 0
CONFIRMING = 900_000  # the first sample of the passes that report the best skill: no trial draws it


class ScoredSkill(Record, frozen=True, kw_only=True):
    """The current or best skill, with its score and origin."""

    document: Document
    version: SkillVersion


class State(Record, frozen=True, kw_only=True):
    """The skill that is trained on, and the best so far by val; `versions` counts the skills that were current.

    `tried` has the texts that val was asked about.
    """

    current: ScoredSkill
    best: ScoredSkill
    versions: int = 0
    tried: frozenset[str] = frozenset()

    def moved(self, document: Document, *, step: int, origin: str, val: float | None) -> "State":
        """Return the state with this skill as the current one; a text equal to the best has the best's score."""
        number = self.versions + 1
        if val is None and document.sha == self.best.version.sha:
            val = self.best.version.val
        version = SkillVersion(sha=document.sha, step=step, number=number, origin=origin, val=val)
        return replace(self, current=ScoredSkill(document=document, version=version), versions=number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of one training; `initial` is the SHA-256 of the skill that it starts from."""

    config: TrainerConfig
    items: Mapping[Split, Sequence[Item]]
    tasks: Mapping[str, Task]
    attempts: Attempts
    optimizer: Optimizer
    counting: Counting
    folder: RunFolder
    initial: str
    costs: StageCosts
    rule: GateRule

    def asking(self, asker: str) -> "Parts":
        """Return the parts with the optimizer asked under this name: each step gets its own answers."""
        return dataclasses.replace(self, optimizer=replace(self.optimizer, asker=asker))

    def calls(self) -> int:
        """Return how many calls were answered so far, the optimizer's too."""
        return self.costs.calls + len(self.counting.answered)

    def rules(self, document: Document) -> StepRules:
        """Return how a step learns, as the engine takes it."""
        gradient, own = self.config.gradient, self.config.optimizer
        return StepRules(
            edit_budget=own.edit_budget,
            minibatch=gradient.minibatch,
            merge_batch=gradient.merge_batch,
            max_chars=self.most(document),
            reflection=gradient.reflection,
            successes=not gradient.failure_only,
            mode=own.mode,
        )

    def limit(self, step: int, total: int) -> EditLimit | None:
        """Return how many edits step `step` of `total` may apply by the schedule; None means no limit."""
        own = self.config.optimizer
        if own.schedule == "none":
            return None
        if own.schedule == "autonomous":
            return EditLimit(own.min_edit_budget, own.edit_budget)
        least = own.min_edit_budget
        scheduled = edit_budget(own.schedule, step=step, total=total, most=own.edit_budget, least=least)
        return EditLimit(scheduled, scheduled)

    def most(self, document: Document) -> int:
        """Return how long the editable part may become: the rest of the text counts too."""
        return self.config.optimizer.max_chars - (len(document.text) - len(document.body))

    def refusal(self, document: Document) -> Callable[[Edit], str]:
        """Return a function that says why an edit of this document is refused, or ""."""
        own = self.config.optimizer
        most = LIMIT if own.mode == "patch" else own.max_chars
        return refusal(document, allow_urls=own.allow_urls, most=most)

    def jobs(self, document: Document, items: Sequence[Item], *, sample: int, stage: str) -> tuple[Job, ...]:
        """Return one attempt at each item under this skill.

        Another seed draws other answers on train and val. Val answers may choose a skill, so a training that starts
        from another skill draws its own.
        """
        draw = "" if stage == "test" else f"@{self.config.train.seed}"
        if stage == "val":
            draw += f"/{self.initial[:12]}"
        return tuple(Job(item, document.text, document.sha, sample, stage, draw) for item in items)

    def val_jobs(self, document: Document, sample: int = VAL_SAMPLE) -> tuple[Job, ...]:
        """Return the attempts of the pass over val that measures a skill, with this sample."""
        return self.jobs(document, self.items[Split.VAL], sample=sample, stage="val")

    def test_jobs(self, document: Document) -> tuple[Job, ...]:
        """Return the attempts of the one pass over test that is reported for a skill."""
        return self.jobs(document, self.items[Split.TEST], sample=VAL_SAMPLE, stage="test")

    def measured(self, jobs: Sequence[Job], *, label: str) -> Scores:
        """Return the scores of these attempts, making those that weren't made yet."""
        return scores(self.attempts.make(jobs, label=label), self.tasks, self.rule)

    def keep(self, document: Document, number: int) -> None:
        """Save a skill that became current."""
        self.folder.write(f"skills/skill_v{number:04d}.md", document.text)


def refusal(document: Document, *, allow_urls: bool, most: int) -> Callable[[Edit], str]:
    """Return a function that says why the static guard refuses an edit of this document, or "".

    A trained skill may contain code: it is its author's own file, which they read as a whole.
    """
    urls = {RefusalKind.LINK, RefusalKind.ADDRESS}
    allowed = {RefusalKind.CODE_BLOCK, RefusalKind.LENGTH, *(urls if allow_urls else ())}

    def refuse(edit: Edit) -> str:
        if edit.op is EditOp.DELETE:
            return ""
        if len(edit.content) > most:
            return f"it has {len(edit.content):,} characters, more than {most:,}"
        reasons: list[str] = []
        for refused in refusals(edit.content, evidence=(), held=document.text, allowed=allowed):
            hint = " (optimizer.allow_urls = true would let it through)" if refused.kind in urls else ""
            reasons.append(f"{refused.why}{hint}")
        return "; ".join(reasons)

    return refuse


def own_sample(sample: int) -> int:
    """Return the engine's sample as it is."""
    return sample


def kept_sample(sample: int) -> int:
    """Return the same sample for both versions: a candidate that is accepted keeps its attempts."""
    return sample % CANDIDATE_SAMPLES


class ItemAttempts:
    """Attempts of the engine at items of a split; `sampled` turns the engine's samples into the training's own."""

    def __init__(
        self, parts: Parts, split: Split, stage: str, *, label: str, sampled: Callable[[int], int] = own_sample
    ) -> None:
        self._parts = parts
        self._stage = stage
        self._label = label
        self._sampled = sampled
        self._items = {item.id: item for item in parts.items[split]}

    def make(self, jobs: Sequence[EngineJob], *, label: str) -> tuple[Rollout, ...]:
        """Return one attempt for each job, in their order; the training's own label counts their seconds."""
        del label
        wanted: list[Job] = []
        for task, document, sample in jobs:
            item = self._items[task.id]
            wanted += self._parts.jobs(document, (item,), sample=self._sampled(sample), stage=self._stage)
        return tuple(made.rollout for made in self._parts.attempts.make(wanted, label=self._label))


class PairedTrial(NamedTuple):
    """Two versions of a skill, to be attempted at these train items in turn, in the pairs with these numbers."""

    tasks: Sequence[Task]
    before: Document
    after: Document
    numbers: range


def attempt_pairs(parts: Parts, trials: Sequence[PairedTrial], *, stage: str) -> list[list[tuple[float, float]]]:
    """Make the attempts of all trials together, and return the metrics of each trial's pairs that could be scored."""
    jobs: list[EngineJob] = []
    places: list[int] = []
    for place, trial in enumerate(trials):
        first = block(stage, trial.before.text, trial.before.text)
        for number in trial.numbers:
            task = trial.tasks[number % len(trial.tasks)]
            sample = first + number // len(trial.tasks)
            jobs += [(task, trial.before, sample), (task, trial.after, CANDIDATE_SAMPLES + sample)]
            places.append(place)
    made = ItemAttempts(parts, Split.TRAIN, stage, label=stage).make(jobs, label=stage)
    pairs: list[list[tuple[float, float]]] = [[] for _ in trials]
    for place, old, new in zip(places, made[::2], made[1::2], strict=True):
        if old.score is not None and new.score is not None:
            pairs[place].append((measure(old.score, parts.rule), measure(new.score, parts.rule)))
    return pairs


def scores(made: Sequence[FinishedAttempt], tasks: Mapping[str, Task], rule: GateRule) -> Scores:
    """Return the means over the attempts that could be scored, of the same number for each item."""
    scored: list[Score] = []
    failures: Counter[str] = Counter()
    by_kind: dict[str, list[Score]] = {}
    for attempted in made:
        score = attempted.rollout.score
        if score is None:
            failures[attempted.rollout.note] += 1
        else:
            scored.append(score)
            by_kind.setdefault(tasks[attempted.rollout.task].lesson, []).append(score)
    kinds: dict[str, tuple[int, float, float]] = {}
    if any(by_kind):
        for kind, own in sorted(by_kind.items()):
            kinds[kind] = (len(own), fmean(score.hard for score in own), fmean(score.soft for score in own))
    return Scores(
        hard=mean_of([score.hard for score in scored]),
        soft=mean_of([score.soft for score in scored]),
        metric=mean_of([measure(score, rule) for score in scored]),
        n=len(scored),
        items=len({attempted.rollout.task for attempted in made if attempted.rollout.score is not None}),
        unscored=len(made) - len(scored),
        because=next((reason for reason, _ in failures.most_common(1)), ""),
        kinds=kinds,
    )
