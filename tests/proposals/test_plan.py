"""Whatever a person does to a file, an adoption and an undo only ever touch what is ours in it."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from tests.proposals.corpus import CORPUS
from tests.proposals.living import Living
from tests.sweeps import WHOLE

TEXTS = st.sampled_from(
    [b"mine", b"- a rule of mine", b"  indented", b"caf\xc3\xa9", b"# Heading", b"```", b"<!-- x -->"]
)
PLACES = st.integers(0, 9)
STARTS = st.sampled_from(
    ["empty", "lf", "crlf", "no final newline", "no final newline, crlf", "bom", "frontmatter", "not ascii"]
)
EDITS = st.one_of(
    st.tuples(st.just("before"), PLACES, TEXTS),
    st.tuples(st.just("after"), PLACES, TEXTS),
    st.tuples(st.sampled_from(["lf", "crlf", "mark", "latin-1"]), PLACES, TEXTS),
)
STEPS = st.one_of(
    EDITS,
    st.tuples(st.sampled_from(["stage", "adopt", "undo"]), PLACES, TEXTS),
)
INSIDE = st.one_of(STEPS, st.tuples(st.sampled_from(["inside", "move"]), PLACES, TEXTS))
MARKS = st.one_of(INSIDE, st.tuples(st.sampled_from(["double", "unmark", "format"]), PLACES, TEXTS))


def lived(start: str, steps: list[tuple[str, int, bytes]]) -> None:
    """Go through the steps, then take everything back: only the person's text is left."""
    with tempfile.TemporaryDirectory() as folder:
        file = Living(Path(folder), CORPUS[start])
        file.stage()
        for number, step in enumerate(steps):
            take(file, number, *step)
        for name in file.proposals:
            file.undo(name)
        file.check_only_theirs()


def take(file: Living, number: int, kind: str, place: int, text: bytes) -> None:
    line = text if text == b"```" else text + b" %d" % number
    name = list(file.proposals)[place % len(file.proposals)]
    if text == b"```":
        line = b"```" + file.eol + b"code %d" % number + file.eol + b"```"
    match kind:
        case "before":
            file.put_before(place, line)
        case "after":
            file.put_after(line)
        case "inside":
            file.put_inside(place, line)
        case "move":
            file.move_block()
        case "double":
            file.double()
        case "unmark":
            file.unmark()
        case "format":
            file.format(place)
        case "lf" | "crlf":
            file.end_lines(b"\n" if kind == "lf" else b"\r\n")
        case "mark":
            file.mark()
        case "latin-1":
            file.put_after(b"caf\xe9 %d" % number)
        case "stage":
            file.stage()
        case "adopt":
            file.adopt(name)
        case _:
            file.undo(name)


@given(STARTS, st.lists(STEPS, max_size=10))
@settings(max_examples=60, deadline=None)
def test_edits_around_the_block_are_never_lost_or_refused_and_undo_leaves_exactly_them(
    start: str, steps: list[tuple[str, int, bytes]]
) -> None:
    lived(start, steps)


@given(STARTS, st.lists(INSIDE, max_size=10))
@settings(max_examples=60, deadline=None)
def test_lines_that_a_person_writes_into_the_block_or_moves_with_it_are_never_lost(
    start: str, steps: list[tuple[str, int, bytes]]
) -> None:
    lived(start, steps)


@given(STARTS, st.lists(MARKS, max_size=10))
@settings(max_examples=60, deadline=None)
def test_whatever_became_of_our_marks_a_rule_stands_once_and_goes_with_its_undo(
    start: str, steps: list[tuple[str, int, bytes]]
) -> None:
    lived(start, steps)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@given(STARTS, st.lists(MARKS, max_size=25))
@settings(max_examples=500 if WHOLE else 150, deadline=None)
def test_long_lives_of_a_file(start: str, steps: list[tuple[str, int, bytes]]) -> None:
    lived(start, steps)
