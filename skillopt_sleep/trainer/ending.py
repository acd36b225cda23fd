"""Keep what a run has spent and what ended it, in whatever way it ends."""

from collections.abc import Generator
from contextlib import contextmanager

from msgspec.structs import replace

from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.trainer.attempts import Spent
from skillopt_sleep.trainer.run import SPEND, Paid, RunFolder, Spending, seconds_before


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
    tally = folder.store.ledger.spent()
    paid = Paid(**tally._asdict())
    if tally.unpriced and not tally.dollars:
        paid = replace(paid, dollars=None)
    folder.write(SPEND, Spending(paid=paid, seconds=spent.seconds, ended=ended))
