"""Whatever becomes of a session's bytes: no error, one answer a file, and what was not touched stays found."""

import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skillopt_sleep.records import Session
from tests.agents.agents import AGENTS, SKIPPED, Agent
from tests.agents.reading import TRANSCRIPTS
from tests.sweeps import WHOLE

MOST = 64 * 1024 * 1024  # bytes of Python's own that one small file may ever take, however it is damaged
PIECES = (
    b"\x00", b"\x00" * 40, b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"\\", rb"\ud83d", b"{", b"}",
    b"}{", b"[", b"[" * 2000, b"null", b"9" * 5000, b"1e999", b"\r", b"\x1b", b'"type":"user"', b'{"parentUuid":null,',
    b'{"timestamp":"', b'"content":[', b'"message":', b'"payload":{', b"-", b",", b" " * 30,
)  # fmt: skip
# Without line ends, so that a mutation stays in its line.
some_bytes = st.one_of(st.sampled_from(PIECES), st.binary(max_size=12).map(lambda found: found.replace(b"\n", b"")))
place = st.floats(0, 1, exclude_max=True)
change = st.tuples(st.sampled_from(("insert", "replace", "cut", "double", "drop")), place, place, some_bytes)
changes = st.lists(change, min_size=1, max_size=4)
agents = st.sampled_from(AGENTS)

CHECKS = (HealthCheck.too_slow, HealthCheck.data_too_large)
few = settings(max_examples=120, deadline=None, suppress_health_check=CHECKS)
many = settings(max_examples=4_000 if WHOLE else 500, deadline=None, suppress_health_check=CHECKS)
Change = tuple[str, float, float, bytes]


def changed(body: bytes, how: list[Change]) -> bytes:
    for kind, first, second, piece in how:
        start, end = sorted((int(first * len(body)), int(second * len(body))))
        middle = {
            "insert": body[start:end] + piece,
            "replace": piece,
            "cut": b"",
            "double": body[start:end] * 2,
            "drop": body[start:end],
        }[kind]
        body = body[:start] + middle + (b"" if kind == "drop" else body[end:])
    return body


def read(agent: Agent, body: bytes) -> Session:
    """The one session in a file of these bytes, read without an error and in little memory."""
    with TemporaryDirectory() as name:
        agent.write_bytes(Path(name), body)
        tracemalloc.start()
        try:
            session = agent.read(Path(name))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < MOST
    return session


def check_lines(agent: Agent, which: list[int], how: list[Change]) -> None:
    """Seven lines of which some are mutated: what a person typed in the others is found, in order."""
    lines = [
        agent.typed(1, "prompt 1"), agent.result(2), agent.typed(3, "prompt 3"), agent.note(4),
        agent.typed(5, 'prompt 5 ☕ "quoted" \\'), agent.result(6), agent.typed(7, "prompt 7"),
    ]  # fmt: skip
    for number in which:
        lines[number] = changed(lines[number], how).replace(b"\n", b"")
    session = read(agent, b"\n".join([agent.head, *lines, b""]))
    prompts = {0: "prompt 1", 2: "prompt 3", 4: 'prompt 5 ☕ "quoted" \\', 6: "prompt 7"}
    untouched = [text for number, text in prompts.items() if number not in which]
    assert [text for text in session.typed if text in untouched] == untouched
    # A line may be doubled in itself, and each of its records may now be another session's.
    assert session.gaps.damaged <= 20 * len(which)


lines_of_a_file = st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True)


@few
@given(agents, lines_of_a_file, changes)
def test_mutated_lines_end_nothing_and_the_others_are_found(
    agent: Agent, which: list[int], how: list[Change]
) -> None:
    check_lines(agent, which, how)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@many
@given(agents, lines_of_a_file, changes)
def test_many_mutated_lines_end_nothing(agent: Agent, which: list[int], how: list[Change]) -> None:
    check_lines(agent, which, how)


GENUINE = {
    agent.name: [path.read_bytes() for path in sorted((TRANSCRIPTS / agent.name).rglob("*.jsonl")) if "history" not in path.name]
    for agent in AGENTS
}  # fmt: skip
genuine = agents.flatmap(lambda agent: st.tuples(st.just(agent), st.sampled_from(GENUINE[agent.name])))


def check_file(agent: Agent, body: bytes, how: list[Change]) -> None:
    session = read(agent, changed(body, how))
    assert session.ended >= session.started
    assert session.gaps.damaged >= 0


@few
@given(genuine, changes)
def test_mutated_genuine_files_are_answered(found: tuple[Agent, bytes], how: list[Change]) -> None:
    check_file(*found, how)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@many
@given(genuine, changes)
def test_many_mutated_genuine_files_are_answered(found: tuple[Agent, bytes], how: list[Change]) -> None:
    check_file(*found, how)


@few
@given(agents, st.lists(st.integers(1, SKIPPED), min_size=1, max_size=3), st.binary(max_size=3000))
def test_any_bytes_at_all_are_answered(agent: Agent, sizes: list[int], body: bytes) -> None:
    parts = [agent.typed(1, "kept"), *(body[:size] for size in sizes)]
    session = read(agent, b"\n".join([agent.head, *parts, b""]))
    assert session.typed[:1] == ("kept",)
