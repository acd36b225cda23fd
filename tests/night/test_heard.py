"""What the rules read in a session when it is indexed."""

from skillopt_sleep.mining import words
from skillopt_sleep.night.heard import RULES, hear, load_rules
from skillopt_sleep.records import HeardTurn, ToolEvent
from tests.builders import a_session, a_turn


def test_it_is_what_each_typed_turn_is_taken_for_and_what_accounts_ask_of_a_session() -> None:
    said = (a_turn("fix the build", id="a"), a_turn("no, use pnpm, never npm", id="b"), a_turn("thanks"))
    session = a_session(*said, commit="c1", damaged=2)

    heard = hear(session)

    assert heard.turns == (
        HeardTurn(0, "a", "request"),
        HeardTurn(1, "b", "correction"),
        HeardTurn(2, "", "small talk"),
    )
    assert (heard.rules, heard.started, heard.commit, heard.damaged) == (RULES, session.started, "c1", 2)


def test_a_rejected_call_makes_the_next_turn_a_correction() -> None:
    said = (a_turn("publish my branch"), a_turn("open a pull request"))
    rejected = ToolEvent(name="Bash", turn=0, error=True, rejected=True)
    assert [turn.take for turn in hear(a_session(*said, tools=(rejected,))).turns] == ["request", "correction"]


def test_it_is_whether_a_session_of_one_prompt_is_mined() -> None:
    rejected = ToolEvent(name="Bash", turn=0, error=True, rejected=True)
    assert not hear(a_session("fix the build", "done")).is_mined
    assert hear(a_session("fix the build", "done", tools=(rejected,))).is_mined
    assert hear(a_session("from now on, use pnpm", "done")).is_mined


def test_all_word_lists_are_loaded_at_once() -> None:
    load_rules()
    before = words._listed.cache_info().misses
    hear(
        a_session(
            *(
                a_turn(text)
                for text in ("fix the build", "not bad", "and in German!", "the tests never run", "的 tests")
            )
        )
    )
    hear(a_session(a_turn("日本語で")))
    assert words._listed.cache_info().misses == before
