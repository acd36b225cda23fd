import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.kit.protected import BEGIN, END, guidance, is_whole, with_guidance

BLOCK = f"{BEGIN}\n- Old wisdom.\n{END}"
texts = st.text(alphabet="ab- .\n", max_size=40)
contents = texts.map(lambda text: text.strip("\n")).filter(bool)


@given(texts, texts, contents, contents)
def test_nothing_outside_of_the_block_changes_when_it_is_rewritten(
    before: str, after: str, old: str, new: str
) -> None:
    text = f"{before}{BEGIN}\n{old}\n{END}{after}"

    assert with_guidance(text, new) == f"{before}{BEGIN}\n{new}\n{END}{after}"


@given(texts, contents)
def test_a_new_block_comes_last_and_holds_its_content(text: str, content: str) -> None:
    changed = with_guidance(text, content)

    assert changed.endswith(f"{BEGIN}\n{content}\n{END}")
    assert changed.startswith(text.rstrip("\n"))
    assert guidance(changed) == content
    assert is_whole(changed)


@given(texts, contents)
def test_a_block_that_goes_leaves_the_text_as_it_was(text: str, content: str) -> None:
    assert with_guidance(with_guidance(text, content), "") == text.rstrip("\n")
    assert with_guidance(text, "") == text


def test_a_text_without_a_block_says_nothing() -> None:
    assert guidance("- One.") == ""


@pytest.mark.parametrize("text", ["", "- One.", BLOCK, f"- One.\n{BLOCK}\n- Two."])
def test_one_block_or_none_is_whole(text: str) -> None:
    assert is_whole(text)


@pytest.mark.parametrize(
    "text", [BEGIN, END, f"{END}\n{BEGIN}", f"{BLOCK}\n{BLOCK}", f"{BEGIN}\n{BLOCK}", f"{BLOCK}{END}"]
)
def test_any_other_number_of_markers_is_damage(text: str) -> None:
    assert not is_whole(text)
