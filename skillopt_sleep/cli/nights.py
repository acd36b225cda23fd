"""List past nights: what came of them, and what they cost."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from skillopt_sleep.cli.again import moment
from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, DIM, GOOD, Column, Part, say, say_json, say_table
from skillopt_sleep.daemon.status import first_step
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import when
from skillopt_sleep.records import NightReport, StepOutcome
from skillopt_sleep.reporters.costs import price, spent, total
from skillopt_sleep.reporters.past_nights import dollars, gain, of_document, outcome, past_nights, tokens
from skillopt_sleep.reporters.status import NO_CALL, NO_NIGHT
from skillopt_sleep.reporters.words import purpose_words, unpriced
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.ledger import LedgerLine
from skillopt_sleep.stores.sqlite import NightLine

_NIGHTS = (
    Column("night"),
    Column("what came of it", wrapped=True),
    Column("sessions", right=True, from_width=80),
    Column("calls", right=True),
    Column("tokens", right=True, from_width=100),
    Column("cost", right=True),
    Column("id", from_width=100),
)
_TONES = {"good": GOOD, "bad": BAD, "careful": CAREFUL, "": ""}
_SPENT = (
    Column("purpose", cut=True),
    Column("calls", right=True),
    Column("in", right=True),
    Column("cached", right=True, from_width=70),
    Column("out", right=True),
    Column("dollars", right=True),
    Column("", cut=True, from_width=100),
)


def list_nights(*, last: int, verbose: bool, as_json: bool) -> None:
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
    table: list[Sequence[Part]] = []
    for night, report in past.nights:
        table += rows(night, report, past.told, now=now, running=past.running, verbose=verbose)
    say_table(_NIGHTS, table)
    earlier = past.all - len(past.nights)
    if earlier:
        say(f"{earlier} earlier: skillopt-sleep report --list --last 0")


def _say_no_night() -> None:
    say(NO_NIGHT)
    paths = find_paths()
    step = first_step(paths, load(paths))
    if step:
        say(f"Begin with: {step}")


def rows(
    night: NightLine,
    report: NightReport | None,
    told: Mapping[str, str],
    *,
    now: datetime,
    running: bool = False,
    verbose: bool = False,
) -> Iterator[Sequence[Part]]:
    """Yield a night's row, then one for each document that was worked on; `told` says what became of proposals."""
    words, tone = outcome(night, running=running)
    when_, name = (when(night.started, now), BOLD), (night.id, DIM)
    if report is None:
        yield when_, (words, _TONES[tone]), "", "", "", "", name
        return
    spend = report.spend
    sessions, calls = f"{report.found.sessions.used:,}", f"{spend.calls:,}"
    yield when_, (words, _TONES[tone]), sessions, calls, tokens(spend), dollars(spend), name
    for step in report.documents:
        yield "", one_line(of_document(report, step, told), limit=400), "", "", "", "", ""
        numbers = gain(step) if verbose else ""
        if numbers:
            yield "", (numbers, DIM), "", "", "", "", ""
    if not report.documents:
        yield "", one_line(report.because, limit=400), "", "", "", "", ""


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
    for night, of_night in groupby(lines, key=lambda line: line.night):
        _show_night(night, list(of_night))
    say(("all  ", BOLD), f"{spent(total(lines))}  ", (price(total(lines)), BOLD))
    models = [line.model for line in lines if line.unpriced]
    if models:
        say(unpriced(models, settings.prices))


def _show_night(night: str, lines: Sequence[LedgerLine]) -> None:
    """Print a night, its models, and a row for each purpose and model, those with the most tokens first."""
    models = dict.fromkeys(line.model for line in lines)
    say((night, BOLD), (f"  {', '.join(models)}", DIM))
    rows: list[list[Part]] = []
    for line in sorted(lines, key=lambda line: -(line.input_tokens + line.output_tokens)):
        of_line = total([line])
        tokens = [f"{count:,}" for count in (line.input_tokens, line.cached_tokens, line.output_tokens)]
        if of_line.unnamed == of_line.calls:
            tokens = ["unknown", "", ""]
        elif of_line.unnamed:
            tokens[0] = f"at least {tokens[0]}"
        model: Part = (line.model if len(models) > 1 else "", DIM)
        rows.append([purpose_words(line.purpose), f"{line.calls:,}", *tokens, price(of_line), model])
    say_table(_SPENT, rows, indent=2)
