"""What a night costs: calls, tokens, minutes and dollars of nights over made-up histories of typical sizes.

`make bench NAME=cost`. The model is simulated; what is counted are the real prompts.
"""

import importlib.metadata
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench.cost_history import DAYS, NOW, Day, write_day
from bench.cost_model import ATTEMPT, GRADE, OTHER, Counted, CountedModel
from bench.reduced import size
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.metered import Metered, NightMeter
from skillopt_sleep.backends.replies import price
from skillopt_sleep.backends.wrappers import Recorded, Redacted, Repaired, Retried, Watched
from skillopt_sleep.night.night import run_night
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.proposals.stage import FolderStager
from skillopt_sleep.proposals.targets import FileTargets
from skillopt_sleep.protocols.models import Preflight
from skillopt_sleep.records import NightReport, Usage
from skillopt_sleep.replay.judges import ReferenceJudge
from skillopt_sleep.replay.text import SingleShot
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.settings import Settings, find_paths, seconds
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring.night import limits, make_plan
from tests.nights import a_crew

CALL = 10.0  # seconds
FASTER = 50  # than that the simulated model is
THOUGHT = 1000  # tokens of a call by a model that thinks before it answers
SETTINGS = Settings()
MODELS = (
    (("anthropic", "claude-haiku-5-5"), ("openai", "gpt-6-luna")),
    (("anthropic", "claude-sonnet-5-5"), ("openai", "gpt-6.1-sol")),
    (("anthropic", "claude-opus-5-5"),),
)
# Measured with a server on loopback that keeps what it is sent: characters beside our prompt and its schema, by 4.
AROUND = {"claude -p with a plan": 400, "with a key": 100, "codex exec": 3300, "with gpt-5.5": 700}
TODAY = f"{datetime.now(UTC):%Y-%m-%d}"
VERSION = importlib.metadata.version("genai-prices")
DEFINITIONS = f"""
night      one whole night by the default settings on a store without earlier nights; every stage, store, pool and wrapper
           is the real one. The history is made up: sessions of two to 14 requests, answers of 700 characters (median), a
           CLAUDE.md of 4,000 characters a project; four of five corrected requests are graded by the model. A quiet day:
           10 sessions in 2 projects, two corrections, none of which recurs. An ordinary day: 25 sessions in 3 projects, 4
           lessons, each in 3 sessions. The first night: 300 sessions of a month in 5 projects, 12 lessons, each in 6
           sessions. The most: what the default limits allow
model      simulated: how many edits it proposes and how often they win decides how long a night is, and a real model may
           do otherwise. An attempt's answer is filled up to {ATTEMPT} tokens, because grading prompts show it
calls      what was asked of the model, by purpose; repeats after failures are none here
input      the characters of the real prompts, and of the JSON schema where the answer has one, by 4. By two
           tokenizers of others (cl100k, and one that Anthropic published) these prompts have 4 and 9 % more tokens
output     entries of the answer x the length of an entry in a large language model's recorded answers, for
           mining, the merging of lessons, proofs and answers of known worth;
           {ATTEMPT} tokens an attempt, {GRADE} a grade, {OTHER} any other answer (assumed)
dollars    input and output at the prices of genai-prices {VERSION} on {TODAY}, nothing from a provider's cache, the mean
           call x the calls; from: no thinking; to: {THOUGHT} tokens of thinking beside each answer, billed as output
           (assumed). For the most: all tokens the limit allows, from: at the first night's shares of input and output; to: all of them output, as
           run --plan says
minutes    how long at least one call was under way with {SETTINGS.night.workers} workers, a call taking a lognormal time (median {CALL:.0f} s,
           assumed); the simulated model is {FASTER} times as fast, and its time is counted so many times
around     what an agent's program adds to each prompt on its own, in tokens of input, measured with claude 2.1.329 and
           codex 0.169.0 and not in the table:
           {", ".join(f"{name} {tokens:,}" for name, tokens in AROUND.items())}
"""


class Night(NamedTuple):
    """A row: what a night took."""

    name: str
    calls: int
    read: int
    written: int
    minutes: float
    outcome: str
    purposes: Mapping[str, int]

    @property
    def thought(self) -> int:
        """The output of a model that thinks before it answers."""
        return self.written + THOUGHT * self.calls


def main() -> None:
    """Run a night of each size, print what it costs."""
    with tempfile.TemporaryDirectory(prefix="bench-cost-") as name:
        nights = [night(Path(name) / str(place), day) for place, day in enumerate(size(DAYS, DAYS[:1]))]
    print(DEFINITIONS)
    show_purposes(nights)
    print(f"\n<!-- bench: cost, {TODAY} -->")
    print(table(nights))
    print(json.dumps(figures(nights)))


def night(home: Path, day: Day) -> Night:
    """One night over the history of this size, in a home of its own."""
    model = CountedModel(write_day(home, day), median=CALL / FASTER)
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(home / "sleep")})
    lookback = timedelta(seconds=seconds(SETTINGS.harvest.lookback))
    store = SqliteStore(paths.data, clock=lambda: NOW, lookback=lookback, config="")
    meter = NightMeter(store.ledger, limits(SETTINGS.budget, paths), clock=lambda: NOW)
    metered = Retried(Repaired(Metered(model, meter, model=model.name, price=model.price)))
    cached = Cached(metered, store.calls, model=model.name, version=lambda: model.version)
    backend = Recorded(Watched(Redacted(cached), meter), lambda: store.page.folder)
    crew = a_crew(
        sources=(ClaudeCode(home / ".claude"),),
        preflights=(Preflight(model.ready, backend),),
        optimizer=backend,
        grader=backend,
        executor=SingleShot(backend, night=lambda: store.page.drawn),
        judge=ReferenceJudge(backend),
        pool=ThreadPool(SETTINGS.night.workers, lambda _label, _done, _total: None),
        meter=meter,
        store=store,
        targets=FileTargets(home),
        stager=FolderStager(),
        reporters=REPORTERS,
        clock=lambda: NOW,
    )
    report = run_night(crew, make_plan(SETTINGS, paths, model=model.name))
    store.close()
    check(day, report, model.counted)
    used = sum(report.found.tasks.values())
    print(
        f"{day.name}: {report.verdict} ({report.because}), {report.found.sessions.used} sessions, {used} tasks",
        file=sys.stderr,
        flush=True,
    )
    read, written = sum(call.read for call in model.counted), sum(call.written for call in model.counted)
    minutes = under_way(model.counted) * FASTER / 60
    purposes = Counter(call.purpose.value for call in model.counted)
    return Night(day.name, len(model.counted), read, written, minutes, report.verdict.value, dict(purposes))


def check(day: Day, report: NightReport, counted: Sequence[Counted]) -> None:
    """What was counted is what the night says, and it read what there is."""
    if len(counted) != report.spend.calls or sum(c.read + c.written for c in counted) != report.spend.tokens:
        raise SystemExit(f"{day.name}: {len(counted)} calls were counted, the night says {report.spend}")
    if report.found.sessions.used != day.sessions:
        raise SystemExit(f"{day.name}: {report.found.sessions} of {day.sessions} sessions were read")


def under_way(calls: Sequence[Counted]) -> float:
    """Seconds in which at least one call was under way."""
    total, until = 0.0, 0.0
    for call in sorted(calls, key=lambda call: call.begun):
        total += max(0.0, call.ended - max(call.begun, until))
        until = max(until, call.ended)
    return total


def most(first: Night) -> Night:
    """What the default limits allow, at the first night's shares of input and output."""
    budget = SETTINGS.budget
    written = round(budget.tokens * first.written / (first.read + first.written))
    return Night("the most by default", budget.calls, budget.tokens - written, written, float(budget.minutes), "", {})


def dollars(night: Night, models: Sequence[tuple[str, str]], *, capped: bool) -> tuple[float, float]:
    """From what to what a night costs; the models cost the same, or the benchmark fails."""
    most = (0, night.read + night.written) if capped else (night.read, night.thought)
    pairs = ((night.read, night.written), most)
    # A list may ask more for a long prompt, so the price is that of the mean call.
    usages = [Usage(input_tokens=tokens // night.calls, output_tokens=out // night.calls) for tokens, out in pairs]
    found = [[price(provider, name, usage) for usage in usages] for provider, name in models]
    low, high = found[0]
    if low is None or high is None or any(other != found[0] for other in found):
        raise SystemExit(f"{models} have no price, or two: choose others")
    return low * night.calls, high * night.calls


def rows(nights: Sequence[Night]) -> list[tuple[Night, list[tuple[float, float]]]]:
    """Each night with its dollars by model."""
    last = most(nights[-1])
    return [(one, [dollars(one, models, capped=one is last) for models in MODELS]) for one in (*nights, last)]


def table(nights: Sequence[Night]) -> str:
    """What a README shows."""
    heads = [", ".join(name for _, name in models) for models in MODELS]
    lines = [
        f"| A night over | calls | tokens in + out | minutes | {' | '.join(heads)} |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one, costs in rows(nights):
        tokens = f"{thousands(one.read)} + {thousands(one.written)}"
        money = " | ".join(between(*cost) for cost in costs)
        lines.append(f"| {one.name} | {one.calls} | {tokens} | {one.minutes:.0f} | {money} |")
    return "\n".join(lines)


def thousands(tokens: int) -> str:
    """A number of tokens, as one says it."""
    return f"{round(tokens, -3) // 1000:,}k" if tokens >= 1000 else f"{round(tokens, -2) / 1000:g}k"


def between(low: float, high: float) -> str:
    """A range of dollars, with two digits that mean something."""
    shown = [f"{usd:.1g}" if usd < 0.01 else f"{usd:.2g}" for usd in (low, high)]
    return f"${'–'.join(shown)}"


def show_purposes(nights: Sequence[Night]) -> None:
    """The calls of each night by purpose."""
    purposes = list(dict.fromkeys(purpose for one in nights for purpose in one.purposes))
    print(f"{'calls':32}" + "".join(f"{purpose:>11}" for purpose in purposes))
    for one in nights:
        print(f"{one.name:32}" + "".join(f"{one.purposes.get(purpose, 0):11}" for purpose in purposes))


def figures(nights: Sequence[Night]) -> Mapping[str, object]:
    """Everything, for a machine."""
    return {
        one.name: one._asdict() | {"usd": [[round(usd, 3) for usd in cost] for cost in costs]}
        for one, costs in rows(nights)
    } | {"genai_prices": VERSION, "around": AROUND}


if __name__ == "__main__":
    main()
