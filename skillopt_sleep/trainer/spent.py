"""Say what was paid in a training's folder, and what the answers that it used cost when they were paid for."""

from skillopt_sleep.kit.words import counted
from skillopt_sleep.trainer.attempts import Cost
from skillopt_sleep.trainer.run import Paid


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
