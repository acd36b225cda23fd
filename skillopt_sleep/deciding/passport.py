"""A rule's passport: all that is known of a rule in numbers, names and hashes, without what was said in a session."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec
from msgspec.structs import replace

from skillopt_sleep.deciding.read import digest_of
from skillopt_sleep.learning.statistics import statistic
from skillopt_sleep.proposals.origins import ProposedIn, RuleOrigin, RuleResult
from skillopt_sleep.records import Decider, Decision, NightReport, Record, Recurrence
from skillopt_sleep.stores.sqlite import SqliteStore


class NightTrial(Record, frozen=True, kw_only=True):
    """The rule's trial as a night left it: its e-value so far, over `n` pairs, and what answered and judged."""

    night: str
    decision: Decision
    e_value: float
    n: int
    calls: int
    models: tuple[str, ...]
    judges: tuple[Decider, ...]


class Passport(Record, frozen=True, kw_only=True):
    """The rule, its origin without quotes, its trial night by night, and how often its lessons were corrected since.

    Of its lessons only the ids stand here: the wording of one may be what the person said. `tasks` are those it was
    tried on, each with a hash of its request and its reference.
    """

    rule: str
    proposed: ProposedIn
    lessons: tuple[str, ...]
    sessions: int
    first: datetime | None
    last: datetime | None
    tested: RuleResult
    nights: tuple[NightTrial, ...] = ()
    live: tuple[Recurrence, ...] = ()
    tasks: dict[str, str] = msgspec.field(default_factory=dict)


def passport(origin: RuleOrigin, store: SqliteStore) -> Passport:
    """Return the passport of a rule."""
    tried: dict[str, None] = {}
    nights = tuple(_nights(origin, store.reports(), tried))[::-1]
    recurring = store.recurrences()
    live = (recurring[name] for name in origin.asked.lessons if name in recurring)
    tasks = [task for task in store.bank.all_tasks() if task.id in tried]
    return Passport(
        rule=origin.rule,
        proposed=replace(origin.proposed, reason=""),
        lessons=origin.asked.lessons,
        sessions=origin.asked.sessions,
        first=origin.asked.first,
        last=origin.asked.last,
        tested=origin.tested,
        nights=nights,
        live=tuple(replace(one, wording="", again=(), news=False) for one in live),
        tasks={task.id: digest_of((task.prompt, task.context, task.reference)) for task in tasks},
    )


def _nights(origin: RuleOrigin, reports: Iterable[NightReport], tried: dict[str, None]) -> Iterator[NightTrial]:
    """Yield the rule's trial as each night left it, and add the tasks that it was `tried` on."""
    for report in reports:
        for outcome in report.documents:
            for judged in outcome.tried.tested:
                trial = judged.trial
                if trial.wealth and any(edit.key == origin.edit.key for edit in judged.edits):
                    tried |= dict.fromkeys(pair.task for pair in trial.own)
                    yield NightTrial(
                        night=report.night,
                        decision=judged.verdict.decision,
                        e_value=round(statistic(trial.wealth), 4),
                        n=len(trial.own),
                        calls=trial.calls,
                        models=trial.models,
                        judges=trial.judges,
                    )
