"""Find the proposals that a command line names, or all of them."""

from collections.abc import Sequence
from pathlib import Path

from skillopt_sleep.cli.console import say
from skillopt_sleep.deciding.chosen import Chosen, named, with_folder
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.stores.bank import WAITING, Decided
from skillopt_sleep.stores.sqlite import SqliteStore


def chosen(
    store: SqliteStore,
    names: Sequence[str],
    *,
    every: bool,
    scratch: Path | None = None,
    among: Sequence[Decided] | None = None,
    state: str = WAITING,
) -> list[Chosen]:
    """Return the proposals of these names, or every one of `among`; ConfigError if a name is unknown.

    `among` is what waits by default, and `state` says what its proposals are. To choose one rule divides its
    proposal, in the folder `scratch` only if one is given.
    """
    among = store.bank.to_decide(utc_now()) if among is None else among
    if every and names:
        raise ConfigError(
            f"--all already covers every {state} proposal", remedy="name proposals or use --all, not both"
        )
    if every:
        if not among:
            say("No proposals are waiting." if state == WAITING else f"Nothing is {state}.")
        return [with_folder(store, decided) for decided in among]
    if not names:
        ids = ", ".join(decided.proposal.id for decided in among) or "none"
        raise ConfigError("no proposal is named", remedy=f"name one, or use --all; {state}: {ids}")
    found: dict[str, Chosen] = {}
    for name in names:
        for one in named(store, name, scratch=scratch):
            found[one.name] = one
    return list(found.values())
