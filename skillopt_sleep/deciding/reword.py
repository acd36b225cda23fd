"""Put a person's own words in place of a rule that waits."""

from skillopt_sleep.deciding.chosen import named
from skillopt_sleep.errors import ConfigError, UnsafeEdit
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.proposals.reword import reword as restage
from skillopt_sleep.records import Proof, Proposal
from skillopt_sleep.settings import Settings
from skillopt_sleep.stores.bank import WAITING
from skillopt_sleep.stores.sqlite import SqliteStore


def reword(store: SqliteStore, name: str, words: str, *, settings: Settings) -> Proposal:
    """Return the proposal with these words, which waits untested in place of the one of this name."""
    if not words.strip():
        raise UnsafeEdit("there are no words left", remedy="to turn a rule down, say no")
    (one,) = named(store, name)
    guard = settings.guard
    own = restage(one.decided.proposal, one.folder, words, allowed=guard.allow, silenced=guard.silence)
    store.bank.divide(one.name, (own,), at=utc_now(), because="you changed its words")
    return own


def test_again(store: SqliteStore, name: str) -> None:
    """Let the next night test the person's own words; ConfigError if they aren't waiting."""
    (one, *_) = named(store, name)
    if one.decided.state != WAITING or one.decided.proposal.proof is not Proof.EDITED:
        raise ConfigError(f"{name} has no words of yours that wait", remedy="see: skillopt-sleep show")
    store.bank.test_again([one.name], wanted=True)
