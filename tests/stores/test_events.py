import stat
from pathlib import Path

from skillopt_sleep.records import Spend
from skillopt_sleep.stores.events import NAME, EventKind, EventLog, read_events
from tests.fakes import FakeClock


class Spending:
    """Counts how often the spending is asked for, which each write does once."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Spend:
        self.asked += 1
        return Spend(calls=7, tokens=1_200)


def opened(folder: Path, *, spent: Spending | None = None) -> EventLog:
    return EventLog(folder, spent=spent or Spending(), clock=FakeClock())


def stages(folder: Path) -> list[tuple[str, int, int]]:
    return [(event.stage, event.done, event.total) for event in read_events(folder) if event.kind is EventKind.STAGE]


def test_a_night_is_told_from_its_beginning_to_its_end_with_what_was_spent(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.advance("mine", 0, 2)
    log.advance("mine", 2, 2)
    log.close()
    events = read_events(tmp_path)
    assert [event.kind.value for event in events] == ["begins", "stage", "stage", "ends"]
    assert stages(tmp_path) == [("mine", 0, 2), ("mine", 2, 2)]
    assert {(event.calls, event.tokens) for event in events} == {(7, 1_200)}


def test_others_read_it_while_the_night_runs(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.advance("mine", 0, 2)
    assert stages(tmp_path) == [("mine", 0, 2)]
    log.close()


def test_where_a_stage_begins_and_ends_is_kept_and_in_between_little(tmp_path: Path) -> None:
    spent = Spending()
    log = opened(tmp_path, spent=spent)
    for done in range(10_001):
        log.advance("rollout", done, 10_000)
    log.advance("rollout", 0, 3)
    log.close()
    told = stages(tmp_path)
    assert (told[0], *told[-2:]) == (("rollout", 0, 10_000), ("rollout", 10_000, 10_000), ("rollout", 0, 3))
    assert spent.asked == len(told) + 2 < 50


def test_a_stage_that_runs_again_at_once_is_kept_each_time(tmp_path: Path) -> None:
    log = opened(tmp_path)
    for _ in range(3):
        log.advance("trial a", 0, 4)
        log.advance("trial a", 4, 4)
    log.close()
    assert stages(tmp_path) == [("trial a", 0, 4), ("trial a", 4, 4)] * 3


def test_a_night_that_goes_on_adds_to_its_log(tmp_path: Path) -> None:
    opened(tmp_path).close()
    opened(tmp_path).close()
    assert [event.kind.value for event in read_events(tmp_path)] == ["begins", "ends"] * 2


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    opened(tmp_path).close()
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes() + b'{"at":"2026-03-0')
    assert len(read_events(tmp_path)) == 2
    assert read_events(tmp_path / "nowhere") == ()


def test_only_the_person_can_read_it(tmp_path: Path) -> None:
    opened(tmp_path).close()
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


def test_a_night_continues_if_its_log_cannot_be_written(tmp_path: Path) -> None:
    log = opened(tmp_path / "nowhere")
    log.advance("mine", 0, 2)
    log.close()


def test_a_verdict_is_an_event_without_its_secrets(tmp_path: Path) -> None:
    log = opened(tmp_path)
    log.decided("shop/CLAUDE.md", "rejected: the key sk-ant-api03-" + "a1B2" * 22 + " is in it", "reject")
    log.close()
    (verdict,) = [event for event in read_events(tmp_path) if event.kind is EventKind.VERDICT]
    assert (verdict.document, verdict.decision) == ("shop/CLAUDE.md", "reject")
    assert "sk-ant" not in verdict.says
