import tomllib

import msgspec
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.kit.toml import to_toml
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
    weight=st.floats(min_value=0, max_value=1),
)
def test_any_value_comes_back_as_it_was(model: str, exclude: list[str], confirmed: bool, weight: float) -> None:
    settings = replace(
        Settings(),
        backend=BackendSettings(model=model, confirmed=confirmed),
        projects=ProjectsSettings(exclude=tuple(exclude)),
        gate=GateSettings(mixed_weight=weight),
    )
    assert msgspec.convert(tomllib.loads(to_toml(settings)), Settings) == settings


def test_a_section_is_headed_by_what_it_is_about() -> None:
    assert "# What one night may spend at most.\n[budget]\ncalls = 300\n" in to_toml(Settings())


def test_a_struct_without_sections_is_plain_keys_below_what_it_is_about() -> None:
    lines = to_toml(ProjectSettings(exclude=("a", "b"))).splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["enabled = true", 'exclude = ["a", "b"]']
    assert lines[0].startswith("# What a project's own")
