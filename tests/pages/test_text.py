"""Blocks as text: what is drawn is said, what is folded waits for --verbose, and Markdown does nothing by itself."""

import re
import unicodedata

from hypothesis import given, strategies as st

from skillopt_sleep.pages.blocks import Sentence
from skillopt_sleep.pages.text import code, markdown, show, spanned
from tests.pages.test_blocks import BARS, GAIN, PAGE

texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)))


def test_what_is_drawn_is_said_in_words_as_well() -> None:
    text = markdown(PAGE)

    assert GAIN.told in text
    assert GAIN.brief in text
    assert BARS.told in text
    assert "+- Use pnpm." in text
    assert "and 2 more lines" in text


def test_what_is_folded_is_in_text_only_if_it_is_verbose() -> None:
    assert "gain +0.75" not in markdown(PAGE)
    assert "gain +0.75" in markdown(PAGE, verbose=True)


def test_sentences_in_a_row_are_one_paragraph() -> None:
    assert markdown([Sentence("one."), Sentence("two.")]) == "one.  \ntwo.\n"


def test_only_what_stands_between_backticks_is_code() -> None:
    assert spanned("run `a_b`, not a_b") == "run `a_b`, not a\\_b"
    assert spanned("cut `off") == "cut off"
    assert code("a`b|c") == "`ab¦c`"
    assert show("one\ntwo [x]") == "one two \\[x\\]"


@given(texts)
def test_text_of_others_stays_on_its_line_and_hides_nothing(text: str) -> None:
    shown = show(text, 80)

    assert "\n" not in shown
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_{}\[\]<>|]", shown)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}


@given(texts)
def test_a_name_can_not_break_out_of_its_code_span(text: str) -> None:
    span = code(text)

    assert span.count("`") == 2
    assert span.startswith("`")
    assert span.endswith("`")
    assert len(span.splitlines()) == 1


def test_what_is_invisible_is_written_out() -> None:
    assert show("a\u202eb") == r"a\\u\{202E\}b"


def test_what_stands_between_backticks_is_code_and_the_rest_is_escaped() -> None:
    assert spanned("ran `make <x>` (0), said «*hi*»") == "ran `make <x>` (0), said «\\*hi\\*»"
    assert spanned("ran `make lint`", limit=10).count("`") == 0
    assert spanned("plain") == "plain"
