"""A person sees in a terminal of any width what they need to decide a rule."""

import re
from io import StringIO

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len
from rich.console import Console

from skillopt_sleep.cli.blocks import drawn as drawn_blocks
from skillopt_sleep.pages.blocks import Answer, Answers, Said
from skillopt_sleep.reporters.rule import Change, Rule
from skillopt_sleep.reporters.rule_page import CHANGED, screen
from tests.cli.review_screens import ADDED, FOLDER, REWORDED, RULES, WIDTHS, drawn

ROWS = 23  # of a terminal with the usual 24 lines
words = st.text(max_size=300)
answers = st.builds(Answer, words, st.lists(words, max_size=5).map(tuple), st.none() | st.booleans())
rules = st.builds(
    Rule,
    id=st.just("P-0001.2"),
    document=words,
    text=words,
    label=words,
    cautions=st.lists(words, max_size=2).map(tuple),
    said=st.lists(st.builds(Said, words, st.just("3 days ago")), max_size=4).map(tuple),
    sessions=st.integers(0, 9),
    heading=st.sampled_from(("You said", "You did")),
    often=st.sampled_from(
        ("", "in 3 sessions, 22 Nov", "for these 2 rules, in 12 sessions, 30 Dec 2025 – 2 Jan 2026")
    ),
    answers=st.none() | st.builds(Answers, words, answers, answers, titles=st.just(("Without", "With"))),
    tried=words,
    proof=st.lists(words, max_size=3).map(tuple),
    changes=st.lists(st.builds(Change, words, words, words), max_size=2).map(tuple),
    cost=st.lists(words, max_size=2).map(tuple),
    reaches=words,
)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RULES)
def test_a_screen_is_as_it_was_looked_at(name: str, width: int) -> None:
    assert drawn(RULES[name], width) == (FOLDER / f"review_{name}_{width}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["added", "reworded"])
def test_a_rule_fits_on_a_screen_with_its_keys_at_100_columns(name: str) -> None:
    assert len(drawn(RULES[name], 100).splitlines()) <= ROWS


@settings(deadline=None)
@given(rules, st.integers(60, 200))
def test_no_line_is_wider_than_the_terminal_and_nothing_invisible_is_printed(rule: Rule, width: int) -> None:
    text = drawn(rule, width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    assert "\x1b" not in text


def test_both_answers_stand_beside_each_other_only_where_there_is_room() -> None:
    wide = drawn(ADDED, 100)
    assert any("Without the rule" in line and "With the rule" in line for line in wide.splitlines())
    narrow = drawn(ADDED, 99)
    assert not any("Without the rule ✗" in line and "With the rule" in line for line in narrow.splitlines())


def test_whether_an_answer_did_what_was_asked_is_said_in_words_only_if_it_is_known() -> None:
    assert "✗ not as you asked" in drawn(ADDED, 60)
    assert "✓ as you asked" in drawn(ADDED, 60)
    assert "as you asked" not in drawn(REWORDED, 60)


def test_a_changed_word_is_marked_in_its_line() -> None:
    written = StringIO()
    console = Console(file=written, width=100, force_terminal=True, color_system="standard")
    for line in drawn_blocks([*screen(REWORDED)], width=100):
        console.print(line)
    marked = re.findall(r"\x1b\[1;4;32m(.*?)\x1b", written.getvalue())
    assert "".join(marked).split() == ["and", "make", "test", "every"]


def test_of_a_long_change_the_first_lines_are_shown_and_the_rest_is_counted() -> None:
    rule = ADDED._replace(changes=(Change("a.md", "", "\n".join(f"line {number}" for number in range(20))),))
    text = drawn(rule, 100)
    assert text.count("+ line ") == CHANGED
    assert "and 12 more lines" in text


def test_an_answer_keeps_its_lines_and_its_indentation() -> None:
    code = Answer("def total(rows):\n    for row in rows:\n\treturn row")
    plain = drawn(ADDED._replace(answers=Answers("write it", code, code)), 60).splitlines()
    assert plain.count("def total(rows):") == 2
    assert plain.count("    for row in rows:") == 2
    assert "    return row" in plain


def test_a_secret_in_an_answer_is_never_drawn() -> None:
    secret = Answer("the key is sk-ant-api03-" + "a1B2" * 20)
    assert "a1B2a1B2" not in drawn(ADDED._replace(answers=Answers("ask", secret, secret)), 100)
