"""Show what a training costs at most, what its val set can prove, and what more epochs of a run take."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import counted

if TYPE_CHECKING:
    from skillopt_sleep.trainer.plan import TrainingPlan
    from skillopt_sleep.wiring.training import Training


def plan_lines(made: "TrainingPlan") -> list[str]:
    """Return a plan in a few lines: calls by stage with about their tokens and dollars, and what val can prove."""
    from skillopt_sleep.trainer.notices import extension_lines
    from skillopt_sleep.trainer.power import proven

    items = ", ".join(f"{size} {split}" for split, size in made.items.items())
    steps = counted(made.steps, "step")
    bound = f"At most these calls, with {made.each} and none repeated after a failure"
    lines = [f"{steps} over {items} items. {bound}; tokens are an estimate:"]
    rows = [(stage.name, stage.calls, stage.tokens, stage.usd) for stage in made.stages]
    for name, calls, tokens, usd in (*rows, ("total", made.calls, made.tokens, made.usd)):
        noun = "call " if calls == 1 else "calls"
        lines.append(f"  {name:12} {calls:>8,} {noun}  about {tokens:>11,} tokens  {_dollars(usd)}")
    val = made.items["val"]
    if not made.proves:
        taken = "any gain, however small"
        if made.smallest_gain:
            taken = f"a gain of {made.smallest_gain:.3f} already"
        lines.append(
            f"The gate {made.gate} proves nothing: its error rate is unknown. On {val} val items it takes {taken}."
        )
    else:
        can = proven(made.smallest_gain, varied=made.varied_gain, passes=made.passes)
        more = "" if made.smallest_gain is not None else " Add val items, or make fewer steps."
        lines.append(f"The gate: {counted(val, 'val item')} {can}.{more}")
    return [*lines, *extension_lines(made)]


def limit_lines(training: "Training", made: "TrainingPlan") -> Iterator[str]:
    """Yield which limit may end this training, and which one it refuses to start with."""
    from skillopt_sleep.trainer.asked import check_priced

    limits = training.config.limits
    if limits.calls and limits.calls < made.calls:
        most = f"it takes up to {made.calls:,} calls, with {made.each}"
        yield f"Limit: limits.calls = {limits.calls} may end it early, as {most}."
    try:
        check_priced({"optimizer": training.optimizer, "target": training.target}, limits)
    except ConfigError as error:
        yield f"Limit: train refuses to start with limits.usd: {error.message}; {error.remedy}."


def paid_lines(training: "Training", made: "TrainingPlan") -> Iterator[str]:
    """Yield what the training in the folder has paid already, or which answers it finds there before it begins."""
    from skillopt_sleep.trainer.run import read_spending
    from skillopt_sleep.trainer.spent import price

    if made.kept:
        shared = training.config.train.shared
        answers = counted(made.kept, "answer")
        line = (
            f"Calls that ask the same as one of the {answers} in {shared or training.folder} are not paid for again."
        )
        yield f"{line} Of val, that is only the initial skill's." if shared else line

    spending = read_spending(training.folder)
    if spending is not None and made.extends is None:
        more = ""
        if made.left is not None:
            more = f", and at most {made.left:,} calls are new, with {made.each}"
        is_known = spending.ended or made.left is None
        until = "so far" if is_known else "until the last step of the run"
        yield f"Paid in {training.folder} {until}: {price(spending.paid)}."
        yield f"If the training goes on, no answer is paid for again{more}."


def _dollars(usd: float | None) -> str:
    return "dollars unknown" if usd is None else f"${usd:,.2f}"
