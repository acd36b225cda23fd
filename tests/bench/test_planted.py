"""The planted history is itself under test: what it holds twice, what it lets a perfect miner score."""

from pathlib import Path

import pytest

from bench.mining import harvested
from bench.mining_measures import injected, mining_of, typing_of
from bench.planted import SESSIONS, plant
from bench.planted_truth import History, Planted
from bench.planted_words import LANGUAGES, POOLS, Phrases, named, phrases
from skillopt_sleep.records import Evidence, Feedback, Origin, Rubric, Session, Task


def every_phrase(words: Phrases) -> set[str]:
    said = {phrase for wish in words.wishes for phrase in (*wish.asks, *wish.corrections)}
    return said.union(*words.others.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_stands_in_both_pools(language: str) -> None:
    one, other = (every_phrase(phrases(pool, language)) for pool in POOLS)
    assert one.isdisjoint(other)


@pytest.mark.parametrize("name", ["injections", "pastes", "benign"])
def test_both_pools_have_the_same_sections(name: str) -> None:
    one, other = (named(pool, name) for pool in POOLS)
    assert one.keys() == other.keys()
    assert all(set(one[section]).isdisjoint(other[section]) for section in one)


@pytest.mark.slow
def test_a_miner_that_knows_the_truth_scores_full_marks(tmp_path: Path) -> None:
    history = plant(tmp_path, "dev")
    assert len(history.sessions) == SESSIONS
    sessions = harvested(tmp_path).sessions
    tasks = [task for session in sessions for task in true_tasks(history, session)]
    found = mining_of(history, sessions, tasks)
    shares = (found.right_request, found.precise_pairs, found.recalled_pairs)
    # A few of the made-up sessions are in every word, answers too, another one's: copies, which count once.
    assert min(found.recall.value, found.precision.value) > 0.99
    assert [share.value for share in (*shares, found.planted_pairs)] == [1.0] * 4
    assert not injected(history.injections, tasks)
    typing = typing_of(history, sessions)
    assert typing.exact.of == sum(planted.interactive for planted in history.sessions.values())


@pytest.mark.slow
def test_a_history_is_the_same_each_time(tmp_path: Path) -> None:
    bodies: list[dict[str, bytes]] = []
    for name in ("one", "two"):
        home = tmp_path / name
        plant(home, "dev")
        bodies.append({str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*.jsonl")})
    assert bodies[0] == bodies[1]


def true_tasks(history: History, session: Session) -> list[Task]:
    planted: Planted = history.sessions[session.id]
    places = [place for place, turn in enumerate(session.turns) if turn.origin is Origin.USER]
    return [
        Task(
            id=f"{session.id} {number}",
            prompt=planted.said[said.corrects].text,
            reference=Rubric(text=said.text),
            session=session.id,
            project=session.project,
            source=session.source,
            at=session.started,
            feedback=Feedback(
                evidence=(
                    Evidence(session=session.id, turn=places[number], quote=session.turns[places[number]].text),
                )
            ),
            lesson=said.wish or f"{session.id} {number}",
        )
        for number, said in enumerate(planted.said)
        if said.corrects >= 0
    ]
