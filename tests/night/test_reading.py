"""What the rules read in a session when it is indexed, and how far back a night reaches within its budget."""

import pytest
from msgspec.structs import replace

from skillopt_sleep.mining import session_text as miner
from skillopt_sleep.night.reading import CALL_CHARS, RULES, TURN_CHARS, Surveyed, left_for_later, read_by_rules
from skillopt_sleep.protocols.crew import Reach
from skillopt_sleep.records import Origin, Session, ToolEvent
from tests.builders import a_session, a_turn

REFUSED = ToolEvent(name="Bash", turn=0, brief="rm -rf build", error=True, rejected=True)


def test_it_is_what_accounts_and_surveys_ask_of_a_session() -> None:
    said = (a_turn("fix the build", id="a"), a_turn("no, use pnpm, never npm", id="b"), a_turn("thanks"))
    session = a_session(*said, commit="c1", damaged=2)

    heard = read_by_rules(session)

    assert heard.typed == ("a", "b", "")
    assert (heard.rules, heard.started, heard.commit, heard.gaps.damaged) == (RULES, session.started, "c1", 2)


def test_it_is_whether_a_session_of_one_prompt_is_mined() -> None:
    assert not read_by_rules(a_session("fix the build", "done")).is_mined
    assert read_by_rules(a_session("fix the build", "done", tools=(REFUSED,))).is_mined
    assert read_by_rules(a_session("from now on, use pnpm", "done")).is_mined


# how far back ------------------------------------------------------------------------------------------

WIDE = Reach(calls=100, tokens=10**9, per_call=2)


def sessions(count: int, *, project: str = "/shop", words: str = "no, use tabs") -> list[Session]:
    """So many sessions with a correction, the newest first."""
    return [a_session("do it", "done", words, id=f"{project}-{n}", project=project) for n in range(count)]


def surveyed(session: Session) -> Surveyed:
    """A session as a survey returns it."""
    commit, heard = session.commit, read_by_rules(session)
    return Surveyed(session.id, session.source, session.project, commit, session.ended, "", heard)


def within(some: list[Session], reach: Reach | None) -> tuple[list[Session], list[str]]:
    """What is read, and what waits, in order."""
    later = left_for_later(map(surveyed, some), reach)
    return [one for one in some if one.id not in later], [one.id for one in some if one.id in later]


def test_a_turn_counts_as_much_as_the_miner_shows_of_it() -> None:
    assert TURN_CHARS[Origin.USER] == miner.PERSON_CHARS
    assert TURN_CHARS[Origin.ASSISTANT] == miner.AGENT_HEAD + miner.AGENT_TAIL
    assert miner.CALL_CHARS == CALL_CHARS
    assert read_by_rules(a_session("x" * 5_000, "done")).shown == 2_004


def test_a_call_is_full_after_so_many_characters_too() -> None:
    one = surveyed(a_session("do it"))
    half = replace(one.heard, is_mined=True, shown=CALL_CHARS // 2)
    several = [one._replace(id=f"s{number}", heard=half) for number in range(6)]
    assert left_for_later(several, Reach(calls=2, tokens=10**9, per_call=12)) == {"s4", "s5"}


def test_everything_within_reach_is_read() -> None:
    assert within(sessions(6), WIDE) == (sessions(6), [])
    assert within(sessions(6), None) == (sessions(6), [])


def test_the_newest_come_first_and_the_others_wait() -> None:
    kept, later = within(sessions(6), Reach(calls=2, tokens=10**9, per_call=2))
    assert (kept, later) == (sessions(6)[:4], ["/shop-4", "/shop-5"])


def test_each_project_takes_calls_of_its_own() -> None:
    mixed = [one for pair in zip(sessions(3), sessions(3, project="/notes"), strict=True) for one in pair]
    kept, later = within(mixed, Reach(calls=2, tokens=10**9, per_call=2))
    assert (kept, later) == (mixed[:4], ["/shop-2", "/notes-2"])


def test_long_sessions_reach_less_far() -> None:
    long = sessions(4, words="no, use tabs " * 100)
    kept, later = within(long, Reach(calls=100, tokens=1_000, per_call=2))
    assert (len(kept), len(later)) == (2, 2)


def test_a_session_without_a_second_prompt_costs_nothing_but_is_not_read_before_newer_ones() -> None:
    single = a_session("do it", "done", id="single")
    assert within([single, *sessions(2)], Reach(calls=1, tokens=10**9, per_call=2))[1] == []
    assert within([*sessions(3), single], Reach(calls=1, tokens=10**9, per_call=2))[1] == ["/shop-2", "single"]


@pytest.mark.parametrize(
    "single",
    [
        a_session("do it", "done", id="single", project="/shop", tools=(REFUSED,)),
        a_session("From now on, sign off each commit", "done", id="single", project="/shop"),
    ],
)
def test_a_session_of_one_prompt_costs_as_much_as_others_if_it_may_hold_a_lesson(single: Session) -> None:
    assert within([single, *sessions(2)], Reach(calls=1, tokens=10**9, per_call=2))[1] == ["/shop-1"]


def test_a_single_session_beyond_the_reach_is_read_all_the_same() -> None:
    assert within(sessions(1), Reach(calls=1, tokens=0, per_call=2)) == (sessions(1), [])
