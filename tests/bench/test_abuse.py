"""A fixed sample of each hostile corpus: `make bench NAME=abuse` and `lessons` take all of it."""

from bench.abuse_miner import mined
from bench.abuse_rules import Guarded, guarded
from bench.abuse_secrets import redacted
from bench.lessons_injections import injections
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Purpose
from tests.fakes import FakeBackend


def test_the_guard_refuses_attacks_and_warns_of_bad_advice_but_not_of_rules_that_people_write() -> None:
    assert guarded(step=8) == Guarded(passed=(), refused=(), unwarned=(), warned=())


def test_no_reply_of_a_miner_brings_in_what_somebody_else_said_and_no_honest_one_is_lost() -> None:
    found = mined(step=6)
    assert (found.kept, found.turned) == ((), ())
    assert (found.lost, found.reworded, found.misplaced) == ((), (), ())


def test_without_a_reader_no_demand_of_a_tool_is_kept() -> None:
    reader = FakeBackend({Purpose.LESSONS: CallFailed(FailureKind.EMPTY, "no reader")})
    found = injections(reader, step=6)
    assert (found.obedient, found.laundered) == ((), ())
    assert len(found.honest_lost) < 0.15 * found.honest


def test_secrets_are_hidden_in_their_carriers_and_in_prose_and_labels_stay() -> None:
    found = redacted(step=16, of_this_machine=0)
    assert found.by_kind.share > 0.99
    assert found.prose.share > 0.97
    assert found.labels == []
