import tomllib
from datetime import UTC, datetime

import msgspec
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.toml import to_sections, to_tables, to_toml
from skillopt_sleep.settings import (
    BackendSettings,
    GateSettings,
    ProjectSettings,
    ProjectsSettings,
    Settings,
)

TEXT = st.text(alphabet=st.characters(blacklist_categories=["Cs"]))


def test_the_defaults_come_back_as_they_were() -> None:
    assert msgspec.convert(tomllib.loads(to_toml(Settings())), Settings) == Settings()


@given(
    model=TEXT,
    exclude=st.lists(TEXT, max_size=3),
    confirmed=st.booleans(),
    alpha=st.floats(min_value=0, max_value=0.5, exclude_min=True),
)
def test_any_value_comes_back_as_it_was(model: str, exclude: list[str], confirmed: bool, alpha: float) -> None:
    settings = replace(
        Settings(),
        backend=BackendSettings(model=model, confirmed=confirmed),
        projects=ProjectsSettings(exclude=tuple(exclude)),
        gate=GateSettings(alpha=alpha),
    )
    assert msgspec.convert(tomllib.loads(to_toml(settings)), Settings) == settings


def test_what_is_said_of_sections_and_keys_stands_above_them() -> None:
    text = to_toml(Settings(prices={"gpt-5.4": (0.2, 0.6)}))
    assert (
        "# What may be spent at most (in dollars, 0 is no limit).\n[budget]\n# A night's calls\ncalls = 300\n" in text
    )
    assert '\n[prices]\n"gpt-5.4" = [0.2, 0.6]\n' in text


def test_a_struct_without_sections_is_plain_keys_below_what_it_is_about() -> None:
    lines = to_toml(ProjectSettings(exclude=("a", "b"))).splitlines()
    assert [line for line in lines if not line.startswith("#")][:2] == ["enabled = true", 'exclude = ["a", "b"]']
    assert lines[0].startswith("# What a project's own")


QUOTED = st.text(alphabet=st.sampled_from("\"'\\ab\n\r\t\x1b\u202e"), max_size=12)


@given(texts=st.lists(TEXT | QUOTED, min_size=1, max_size=4))
def test_tables_come_back_as_they_were_and_show_all_that_is_in_them(texts: list[str]) -> None:
    rows = [{"text": text, "inside": {"items": [{"op": text}, {"op": "x"}]}} for text in texts]
    written = to_tables("task", rows)
    assert tomllib.loads(written) == {"task": rows}
    assert visible(written) == written


def test_tables_are_easy_to_edit() -> None:
    at = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
    row = {"at": at, "text": 'one\n"two"\n', "pattern": r"\d+ '", "plain": r"\d+", "items": ["a" * 50, "b" * 50]}
    assert to_tables("task", [row, {"n": 1}]) == (
        '[[task]]\nat = 2026-03-02T12:00:00Z\ntext = """\none\n"two"\n"""\n'
        "pattern = \"\\\\d+ '\"\nplain = '\\d+'\n"
        f'items = [\n    "{"a" * 50}",\n    "{"b" * 50}",\n]\n\n[[task]]\nn = 1\n'
    )


@given(
    st.dictionaries(st.sampled_from(["a", "b"]), st.lists(TEXT, max_size=3) | st.booleans() | st.integers() | TEXT)
)
def test_sections_hold_these_keys_and_no_others(keys: dict[str, object]) -> None:
    said = {"one": keys, "two": {"c": 0.5}}
    assert tomllib.loads(to_sections(said)) == {name: inner for name, inner in said.items() if inner}
