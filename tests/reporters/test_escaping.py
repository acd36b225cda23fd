"""Text from elsewhere stays on its line, in its place, and can't pass for the report."""

import re
import unicodedata

from hypothesis import given, strategies as st

from skillopt_sleep.records import EditOp
from skillopt_sleep.reporters.escaping import change, code, command, show, spanned
from tests.builders import an_edit

texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)))


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


@given(texts, texts)
def test_a_change_is_one_line_whatever_it_holds(content: str, target: str) -> None:
    for op in EditOp:
        assert len(change(an_edit(content, op=op, target=target)).splitlines()) == 1


def test_what_stands_between_backticks_is_code_and_the_rest_is_escaped() -> None:
    assert spanned("ran `make <x>` (0), said «*hi*»") == "ran `make <x>` (0), said «\\*hi\\*»"
    assert spanned("ran `make lint`", limit=10).count("`") == 0
    assert spanned("plain") == "plain"


def test_a_command_that_markdown_would_change_is_code() -> None:
    assert command("sudo apt-get install -y bubblewrap") == "sudo apt-get install -y bubblewrap"
    assert command("uv pip install 'a<2'") == "`uv pip install 'a<2'`"
