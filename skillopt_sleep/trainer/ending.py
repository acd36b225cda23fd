"""Keep what a run has spent and what ended it, in whatever way it ends."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.protocols import Tally
from skillopt_sleep.trainer.attempts import Spent
from skillopt_sleep.trainer.run import SPEND, Paid, RunFolder, Spending, read_spending, seconds_before


@contextmanager
def spending(folder: RunFolder) -> Generator[Spent]:
    """Yield what the run spends from now on; write it now and at the end, with what ended an unfinished run.

    While it runs, and if it is killed, nothing that ended it before is said of it any more.
    """
    spent = Spent(before=seconds_before(folder.path))
    write_spending(folder, spent)
    ended = ""
    try:
        yield spent
    except BaseException as error:
        ended = reason(error)
        raise
    finally:
        write_spending(folder, spent, ended=ended)


def reason(error: BaseException) -> str:
    """Say in words what ended a run."""
    if isinstance(error, SleepError):
        return redact(error.message)
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return "it was stopped"
    return redact(f"it failed with {type(error).__name__}: {error}")


def write_spending(folder: RunFolder, spent: Spent, *, ended: str = "") -> None:
    """Write what the run has paid and taken so far, and what ended it, if anything did."""
    paid = paid_of(folder.store.ledger.spent())
    folder.write(SPEND, Spending(paid=paid, seconds=spent.seconds, ended=ended))


def write_paid(path: Path, tally: Tally) -> None:
    """Write what has been paid in this folder by now, if there is a run that wrote what it spent."""
    spending = None
    with suppress(ConfigError):  # the run writes anew what can't be read
        spending = read_spending(path)
    if spending is not None:
        write_atomic(path / SPEND, to_json(replace(spending, paid=paid_of(tally)), pretty=True))


def paid_of(tally: Tally) -> Paid:
    """Return what was paid for; its dollars are None if no price is known at all."""
    paid = Paid(**tally._asdict())
    return replace(paid, dollars=None) if tally.unpriced and not tally.dollars else paid
