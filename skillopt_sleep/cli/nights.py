"""List past nights: what came of them, and what they cost."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from skillopt_sleep.cli.again import moment
from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.daemon.status import first_step
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.words import when
from skillopt_sleep.pages.blocks import Block, Heading, Sentence, Table
from skillopt_sleep.records import NightReport, StepOutcome
from skillopt_sleep.reporters.costs import price, spent, tokens_spent, total
from skillopt_sleep.reporters.past_nights import in_short, outcome, past_nights
from skillopt_sleep.reporters.status import NO_CALL, NO_NIGHT
from skillopt_sleep.reporters.words import purpose_words, unpriced
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.ledger import LedgerLine
from skillopt_sleep.stores.sqlite import NightLine


def list_nights(*, last: int, as_json: bool) -> None:
    """Print so many of the last nights, each with its documents; all if `last` is 0."""
    now = utc_now()
    with opened_to_read() as store:
        past = past_nights(store, now=now, last=last)
    if as_json:
        told = [_data(night, report, past.states) for night, report in past.nights]
        say_json({"schema_version": 1, "nights": told, "all": past.all})
        return
    if not past.nights:
        _say_no_night()
        return
    blocks: list[Block] = []
    for night, report in past.nights:
        came, _ = outcome(night, running=past.running)
        blocks.append(Heading(f"{when(night.started, now)}: {came} ({night.id})", 3))
        blocks += in_short(report, past.told)
    earlier = past.all - len(past.nights)
    if earlier:
        blocks.append(Sentence(f"{earlier} earlier: skillopt-sleep report --list --last 0", "soft"))
    say_blocks(blocks)


def _say_no_night() -> None:
    say(NO_NIGHT)
    paths = find_paths()
    step = first_step(paths, load(paths))
    if step:
        say(f"Begin with: {step}")


def _data(night: NightLine, report: NightReport | None, states: Mapping[str, str]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "night": night.id,
        "started": night.started,
        "closed": night.closed,
        "verdict": night.outcome,
        "because": "",
        "sessions": None,
        "spend": None,
        "documents": [],
        "proposals": [],
    }
    if report is None:
        return data
    spend = report.spend
    data["because"] = report.because
    data["sessions"] = report.found.sessions.used
    data["spend"] = {"calls": spend.calls, "tokens": spend.tokens, "usd": spend.usd}
    data["documents"] = [_document(step) for step in report.documents]
    for proposal in report.proposals:
        row = {"id": proposal.id, "document": proposal.document, "state": states.get(proposal.id)}
        data["proposals"].append(row)
    return data


def _document(step: StepOutcome) -> dict[str, Any]:
    trial = step.trial
    difference: float | None = None
    if trial.before is not None and trial.after is not None:
        difference = trial.after - trial.before
    return {
        "id": step.document.id,
        "path": step.document.path,
        "outcome": step.outcome,
        "verdict": step.verdict.decision,
        "before": trial.before,
        "after": trial.after,
        "gain": difference,
        "interval": trial.interval,
        "n": trial.n,
        "fresh": step.fresh,
        "error_rate": step.verdict.error_rate,
    }


def list_costs(*, since: str, as_json: bool) -> None:
    """Print what was spent since a day or for a length of time until now; all if `since` is empty."""
    settings = load(find_paths())
    with opened_to_read(settings) as store:
        lines = store.ledger.lines(since=moment(since) if since else None)
    if as_json:
        sums = total(lines)._asdict()
        if sums["unpriced"]:
            sums["usd"] = None
        rows = [line._asdict() for line in lines]
        say_json({"schema_version": 1, "lines": rows, "total": sums})
        return
    if not lines and since:
        say(f"Nothing was spent since {since}.")
        return
    if not lines:
        say(NO_CALL)
        return
    blocks: list[Block] = []
    for night, of_night in groupby(lines, key=lambda line: line.night):
        blocks += [Heading(night, 3), _spent_in(list(of_night))]
    blocks.append(Sentence(f"All: {spent(total(lines))}, {price(total(lines))}", "lead"))
    models = [line.model for line in lines if line.unpriced]
    if models:
        blocks.append(Sentence(unpriced(models, settings.prices)))
    say_blocks(blocks)


def _spent_in(lines: Sequence[LedgerLine]) -> Table:
    """Return what a night spent on each purpose and model, those with the most tokens first."""
    rows: list[tuple[str, ...]] = []
    for line in sorted(lines, key=lambda line: -(line.input_tokens + line.output_tokens)):
        of_line = total([line])
        purpose = f"{purpose_words(line.purpose)}, {line.model}"
        rows.append((purpose, f"{line.calls:,}", tokens_spent(of_line), price(of_line)))
    return Table(("purpose", "calls", "tokens", "dollars"), tuple(rows), right=(1, 2, 3))
