import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.mining.wishes import Wish, is_correction, read_wish


@pytest.mark.parametrize(
    ("said", "want", "avoid"),
    [
        ("No, use pnpm, not npm.", ("pnpm",), ("npm",)),
        ("use `uv pip` instead of pip", ("uv pip",), ("pip",)),
        ("Prefer ruff over black here.", ("ruff",), ("black",)),
        ('use "feat: x" rather than "x"', ("feat: x",), ("x",)),
        ("use pathlib instead", ("pathlib",), ()),
        ("always use vitest", ("vitest",), ()),
        ("never use tabs", (), ("tabs",)),
        ("don't use var", (), ("var",)),
        ("use tabs not spaces and never use var", ("tabs",), ("spaces", "var")),
        ("always mention risk, rollback and owner.", ("risk", "rollback", "owner"), ()),
        ("always include the ticket number in the summary", ("ticket number",), ()),
    ],
)
def test_what_the_words_name_is_read(said: str, want: tuple[str, ...], avoid: tuple[str, ...]) -> None:
    assert read_wish(said) == Wish(want=want, avoid=avoid)


@pytest.mark.parametrize("said", ["keep it under 200 characters", "at most 200 chars", "no more than 200 characters"])
def test_a_length_that_is_named_is_read(said: str) -> None:
    assert read_wish(said) == Wish(at_most=200)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "thanks",
        "please use it",
        "be more careful next time",
        "utility pnpm, nothing",
        "halt, nicht in core/cache.go",
        "wait, not src/app.py, the other one",
        "espera, no lib/auth.ts não",
        "attends, pas dans src/app.py",
        "стой, не в views/list.tsx",
        '"done" — no it isn\'t, the tests fail',
        "der Benutzer darf keine leeren Felder sehen",
        "no, never edit gen/",
        "wrong, never edit gen/ - those files are generated",
        "nein, nie in gen/ schreiben",
        "stop - not gen/",
    ],
)
def test_words_that_name_nothing_are_no_wish(said: str) -> None:
    assert read_wish(said) == Wish()


def test_a_term_named_twice_counts_once_and_a_wanted_term_is_never_avoided() -> None:
    assert read_wish("use pnpm, not npm. I said use pnpm, not npm. never use pnpm") == Wish(
        want=("pnpm",), avoid=("npm",)
    )


def test_a_phrase_longer_than_a_term_is_no_term() -> None:
    assert read_wish("always include a short note on what was left out and why") == Wish(want=("why",))


@pytest.mark.parametrize(
    "said",
    ["No, that's wrong", "I said pnpm", "too long", "next time run the tests", "you forgot the tests", "Stop."],
)
def test_words_that_take_back_are_a_correction(said: str) -> None:
    assert is_correction(said)


@pytest.mark.parametrize("said", ["Add a login page", "Great, now commit it", "nothing else", "notice the colour"])
def test_a_new_request_is_no_correction(said: str) -> None:
    assert not is_correction(said)


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    wish = read_wish(text)
    assert not set(wish.want) & set(wish.avoid)
    assert isinstance(is_correction(text), bool)


@pytest.mark.parametrize("piece", ["x", "a-b.", "use a ", "not a, "])
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    assert read_wish(piece * (200_000 // len(piece))).at_most is None
