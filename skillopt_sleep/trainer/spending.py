"""Keep what a run has spent and what ended it, and say what was paid and what reused answers once cost."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.trainer.attempts import Cost
from skillopt_sleep.trainer.run import SPEND, Paid, RunFolder, Spending, read_spending


def spent_line(used: Cost, paid: Paid | None) -> str:
    """Return the calls that were paid for in a run's folder, and the answers that the run used, of others too."""
    if paid is None:
        return f"used: {cost(used)}"
    return f"paid in this folder: {price(paid)}; {counted(used.calls, 'answer')} used"


def price(paid: Paid) -> str:
    """Return calls, tokens and dollars that were paid for, and what a limit counts for tokens that aren't known."""
    words = tokens(paid.usage.tokens, unnamed=paid.unnamed)
    if paid.unnamed:
        words += f" (a limit counts an estimate of {paid.tokens:,})"
    return f"{counted(paid.calls, 'call')}, {words}, {_dollars(paid.usd)}"


def cost(used: Cost) -> str:
    """Return answers, tokens and dollars, and what isn't known of them."""
    words = tokens(used.input_tokens + used.output_tokens, unnamed=used.unnamed)
    return f"{counted(used.calls, 'answer')}, {words}, {_dollars(used.usd)}"


def tokens(known: int, *, unnamed: int) -> str:
    """Return the tokens that are known of some calls, of which `unnamed` reported none."""
    if not unnamed:
        return f"{known:,} tokens"
    if not known:
        return "tokens unknown"
    return f"at least {known:,} tokens"


def _dollars(usd: float | None) -> str:
    return "dollars unknown" if usd is None else f"${usd:.4f}"


@contextmanager
def spending(folder: RunFolder) -> Generator[None]:
    """Write what the run has paid, at the beginning and at the end of a block, with what ended an unfinished run.

    While it runs, and if it is killed, nothing that ended it before is said of it any more.
    """
    write_spending(folder)
    ended = ""
    try:
        yield
    except BaseException as error:
        ended = reason(error)
        raise
    finally:
        write_spending(folder, ended=ended)


def reason(error: BaseException) -> str:
    """Say in words what ended a run."""
    if isinstance(error, SleepError):
        return redact(error.message)
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return "it was stopped"
    return redact(f"it failed with {type(error).__name__}: {error}")


def write_spending(folder: RunFolder, *, ended: str = "") -> None:
    """Write what the run has paid so far, and what ended it, if anything did."""
    paid = paid_of(folder.store.ledger.spent())
    folder.write(SPEND, Spending(paid=paid, ended=ended))


def write_paid(path: Path, tally: SpendTally) -> None:
    """Write what has been paid in this folder by now, if there is a run that wrote what it spent."""
    spending = None
    with suppress(ConfigError):  # the run writes anew what can't be read
        spending = read_spending(path)
    if spending is not None:
        write_atomic(path / SPEND, to_json(replace(spending, paid=paid_of(tally)), pretty=True))


def paid_of(tally: SpendTally) -> Paid:
    """Return what was paid for; its dollars are None if no price is known at all."""
    paid = Paid(**tally._asdict())
    return replace(paid, dollars=None) if tally.unpriced and not tally.dollars else paid
