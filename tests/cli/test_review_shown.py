"""A person sees on one screen what they need to decide a rule, whatever the terminal's width."""

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len

from skillopt_sleep.cli.review_shown import ROWS, page, screen, whole_change
from skillopt_sleep.reporters.card import Answer, Answers, Change, Rule, Said
from tests.cli.review_screens import ADDED, FOLDER, NEW, OLD, REWORDED, RULES, WIDTHS, drawn

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
    proof=st.lists(words, max_size=3).map(tuple),
    changes=st.lists(st.builds(Change, words, words, words), max_size=2).map(tuple),
    cost=st.lists(words, max_size=2).map(tuple),
    reaches=words,
)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", RULES)
def test_a_screen_is_as_it_was_looked_at(name: str, width: int) -> None:
    assert drawn(RULES[name], width) == (FOLDER / f"review_{name}_{width}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RULES)
def test_a_rule_fits_on_a_screen_with_its_keys_at_100_columns(name: str) -> None:
    assert len(drawn(RULES[name], 100).splitlines()) <= ROWS - 2


@settings(deadline=None)
@given(rules, st.integers(20, 200))
def test_no_line_is_wider_than_the_terminal_and_nothing_invisible_is_printed(rule: Rule, width: int) -> None:
    for line in screen(rule, number=2, count=12, width=width):
        assert cell_len(line.plain) <= max(width, 60)
        assert "\n" not in line.plain
        assert "\x1b" not in line.plain


def test_both_answers_stand_beside_each_other_only_where_there_is_room() -> None:
    wide = drawn(ADDED, 100)
    assert any("Without the rule" in line and "With the rule" in line for line in wide.splitlines())
    narrow = drawn(ADDED, 99)
    assert not any("Without the rule" in line and "With the rule" in line for line in narrow.splitlines())


def test_whether_an_answer_did_what_was_asked_is_said_in_words_only_if_it_is_known() -> None:
    assert "✗ not as you asked" in drawn(ADDED, 60)
    assert "✓ as you asked" in drawn(ADDED, 60)
    assert "as you asked" not in drawn(REWORDED, 60)


def test_a_changed_word_is_marked_in_its_line_and_the_whole_change_can_be_seen() -> None:
    lines = screen(REWORDED, number=1, count=1, width=100)
    (added,) = [line for line in lines if " + " in line.plain]
    marked = [added.plain[span.start : span.end] for span in added.spans if "underline" in str(span.style)]
    assert "".join(marked).split() == ["and", "make", "test", "every"]
    assert len(whole_change(Change("a.md", "", OLD + "\n" + NEW), 60)) == 7


def test_an_answer_keeps_its_lines_and_is_cut_at_a_word() -> None:
    commands = Answer("$ git switch main\n\n$ git push --force-with-lease\nTwo files would change.")
    rule = ADDED._replace(answers=Answers("push it", commands, commands))
    lines = [line.strip() for line in drawn(rule, 60).splitlines()]
    assert "$ git switch main" in lines
    assert "$ git push --force-with-lease" in lines
    words = Answer(" ".join(["abcdefghij"] * 40))
    cut = drawn(ADDED._replace(answers=Answers("ask", words, words)), 100)
    assert "abcdefghij…" in cut
    assert "abcdefghi…" not in cut


def test_a_high_terminal_gives_the_answers_room() -> None:
    long = Answer("\n".join(f"line {number}" for number in range(20)))
    lines = screen(ADDED._replace(answers=Answers("ask", long, long)), number=1, count=1, width=100, height=50)
    assert sum("line " in line.plain for line in lines) == 8


def test_how_often_it_came_up_is_said_before_the_quotes() -> None:
    assert "You said  in 3 sessions, 28 Feb – 2 Mar; last: «that's wrong" in drawn(ADDED, 100)
    assert "You said  «" in drawn(ADDED._replace(often=""), 100)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_change_of_each_file_keeps_to_the_width(width: int) -> None:
    long = "- " + "Use pnpm, never npm. " * 9
    rule = ADDED._replace(changes=(Change("a.md", "", "- Short."), Change("b.md", "", long)))
    for line in page(rule, state="waiting", width=width):
        assert cell_len(line.plain) <= width


def test_an_answer_with_code_keeps_its_indentation() -> None:
    code = Answer("def total(rows):\n    for row in rows:\n\treturn row")
    rule = ADDED._replace(answers=Answers("write it", code, code))
    for lines in (screen(rule, number=1, count=1, width=60), page(rule, state="waiting", width=60)):
        plain = [line.plain[10:].rstrip() for line in lines]
        assert plain.count("def total(rows):") == 2
        assert plain.count("    for row in rows:") == 2
    assert "    return row" in plain
