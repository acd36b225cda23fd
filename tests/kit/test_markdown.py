import re
import unicodedata

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.markdown import fence, front_matter, one_line, skill_description, spelled, unescaped, visible


@given(st.text(alphabet=st.sampled_from("`~a \n")) | st.text())
def test_a_fenced_text_can_not_close_its_fence(text: str) -> None:
    opening, _, rest = fence(text).partition("\n")
    inside, _, closing = rest.rpartition("\n")
    assert inside == text
    assert opening == closing
    assert re.fullmatch("`{3,}", opening)
    assert opening not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("a\u200bb", "a\\u{200B}b"),
        ("\x1b[31mred", "\\u{1B}[31mred"),
        ("left\u202eright", "left\\u{202E}right"),
        ("tag\U000e0041", "tag\\u{E0041}"),
        ("a\r\nb", "a\\u{D}\nb"),
        ("naïve 日本 🎉", "naïve 日本 🎉"),
    ],
)
def test_what_can_not_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_a_visible_text_holds_no_control_or_format_character(text: str) -> None:
    assert all(char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs"} for char in visible(text))


def test_markdown_that_is_not_rendered_has_no_escapes_but_those_in_code() -> None:
    assert unescaped("6 no\\_user\\_turn  \nsee `a\\_b` and \\\\") == "6 no_user_turn\nsee `a\\_b` and \\"


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_one_line_is_one_line_and_no_longer_than_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@given(st.text())
def test_a_name_is_whole_on_one_line(text: str) -> None:
    shown = spelled(text)
    assert len(shown.splitlines()) <= 1
    assert spelled("/a b/\n\tc\x1b") == "/a b/\\u{A}\\u{9}c\\u{1B}"


def test_a_line_that_was_cut_says_so() -> None:
    assert one_line("one two\nthree", limit=9) == "one two …"
    assert one_line("one two\nthree") == "one two three"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_is_told_from_the_text_below_it(end: str) -> None:
    fields, text = front_matter(end.join(("---", "name: a", "---", "Rules", "---", "")))
    assert fields.split() == ["name:", "a"]
    assert text.splitlines() == ["Rules", "---"]
    assert front_matter("Rules\n---\n") == ("", "Rules\n---\n")


@pytest.mark.parametrize("written", ["one two", '"one two"', ">-\n  one\n  two", "|\n  one\n\n  two"])
def test_a_description_is_read_on_one_line_however_it_is_written(written: str) -> None:
    text = f"---\nname: a\ndescription: {written}\nother: b\n---\nRules\n"
    assert skill_description(text).startswith("one")
    assert "other" not in skill_description(text)


def test_a_text_without_front_matter_has_no_description() -> None:
    assert skill_description("description: not one\n") == ""
