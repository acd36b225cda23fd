"""Settings are strict: their order is fixed, and what isn't known or isn't of its type is named."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.toml import described
from skillopt_sleep.records import Metric
from skillopt_sleep.settings import (
    Paths,
    ProjectSettings,
    Settings,
    find_paths,
    load,
    load_or_defaults,
    load_project,
    origins,
    parse_project,
    read_toml,
    seconds,
    sections_of,
)


def paths_with(folder: Path, text: str) -> Paths:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(folder)})
    paths.config.mkdir(parents=True, exist_ok=True)
    paths.config_file.write_text(text, encoding="utf-8")
    return paths


def refused(
    folder: Path, text: str, environ: dict[str, str] | None = None, flags: dict[str, Any] | None = None
) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(paths_with(folder, text), environ=environ or {}, flags=flags)
    return caught.value


def project_with(folder: Path, text: str) -> Path:
    file = folder / ".skillopt-sleep" / "project.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return folder


# order --------------------------------------------------------------------------------------------------


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    settings = load(find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)}), environ={})

    assert settings == Settings()
    assert settings.backend.name == ""
    assert settings.backend.confirmed is False
    assert settings.harvest.sources == ("claude_code", "codex", "tasks_file")
    assert settings.harvest.lookback == "30d"
    assert (settings.mine.miner, settings.mine.max_tasks) == ("model", 60)
    assert (settings.step.edit_budget, settings.step.samples) == (3, 1)
    assert (settings.gate.rule, settings.gate.metric, settings.gate.alpha) == ("sequential", Metric.MIXED, 0.05)
    assert (settings.budget.calls, settings.budget.tokens, settings.budget.minutes) == (300, 2_000_000, 60)


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    assert load(paths_with(tmp_path, ""), environ={}) == Settings()


def test_the_file_wins_over_the_defaults(tmp_path: Path) -> None:
    assert load(paths_with(tmp_path, "[step]\nedit_budget = 5\n"), environ={}).step.edit_budget == 5


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    paths = paths_with(tmp_path, "[step]\nedit_budget = 5\nsamples = 2\n")

    step = load(paths, environ={"SKILLOPT_SLEEP_STEP_EDIT_BUDGET": "7"}).step

    assert (step.edit_budget, step.samples) == (7, 2)


def test_flags_win_over_the_environment(tmp_path: Path) -> None:
    paths = paths_with(tmp_path, "[step]\nedit_budget = 5\n")
    environ = {"SKILLOPT_SLEEP_STEP_EDIT_BUDGET": "7"}

    assert load(paths, environ=environ, flags={"step.edit_budget": 9}).step.edit_budget == 9


def test_a_flag_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    paths = paths_with(tmp_path, '[backend]\nmodel = "m"\n')

    assert load(paths, environ={}, flags={"backend.model": None}).backend.model == "m"


# environment --------------------------------------------------------------------------------------------


def test_the_environment_is_read_by_type(tmp_path: Path) -> None:
    environ = {
        "SKILLOPT_SLEEP_HARVEST_INCLUDE_HEADLESS": "true",
        "SKILLOPT_SLEEP_HARVEST_SOURCES": "codex, claude_code",
        "SKILLOPT_SLEEP_PROJECTS_EXCLUDE": "~/secret,/srv/*",
        "SKILLOPT_SLEEP_GATE_ALPHA": "0.25",
        "SKILLOPT_SLEEP_GATE_METRIC": "hard",
        "UNRELATED": "x",
    }

    settings = load(find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)}), environ=environ)

    assert settings.harvest.include_headless is True
    assert settings.harvest.sources == ("codex", "claude_code")
    assert settings.projects.exclude == ("~/secret", "/srv/*")
    assert settings.gate.alpha == 0.25
    assert settings.gate.metric is Metric.HARD


def test_an_unknown_variable_names_the_nearest_known_one(tmp_path: Path) -> None:
    error = refused(tmp_path, "", {"SKILLOPT_SLEEP_STEP_EDIT_BUDGETS": "7"})

    assert "SKILLOPT_SLEEP_STEP_EDIT_BUDGETS" in error.message
    assert "SKILLOPT_SLEEP_STEP_EDIT_BUDGET?" in error.remedy


def test_a_variable_of_the_wrong_type_is_named(tmp_path: Path) -> None:
    assert (
        "SKILLOPT_SLEEP_STEP_EDIT_BUDGET" in refused(tmp_path, "", {"SKILLOPT_SLEEP_STEP_EDIT_BUDGET": "x"}).message
    )


def test_the_variable_of_the_home_is_no_setting(tmp_path: Path) -> None:
    assert load(paths_with(tmp_path, ""), environ={"SKILLOPT_SLEEP_HOME": str(tmp_path)}) == Settings()


# unknown and wrong --------------------------------------------------------------------------------------


def test_an_unknown_key_names_the_nearest_known_one_with_its_section(tmp_path: Path) -> None:
    error = refused(tmp_path, "[step]\nedit_buget = 3\n")

    assert "unknown key 'step.edit_buget'" in error.message
    assert str(tmp_path / "config.toml") in error.message
    assert error.remedy == "did you mean 'step.edit_budget'?"


def test_an_unknown_section_names_the_nearest_known_one(tmp_path: Path) -> None:
    error = refused(tmp_path, "[harvesting]\nlookback = '1d'\n")

    assert "unknown key 'harvesting'" in error.message
    assert error.remedy == "did you mean 'harvest'?"


def test_an_unknown_key_without_a_near_one_lists_those_that_are_known(tmp_path: Path) -> None:
    error = refused(tmp_path, "[gate]\nzzz = 1\n")

    assert "gate.zzz" in error.message
    assert all(name in error.remedy for name in ("rule", "metric", "alpha"))


def test_a_value_where_a_section_belongs_is_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, "step = 3\n")

    assert "'step' is a section" in error.message
    assert "[step]" in error.remedy


WRONG = {
    "a text for a number": ("[step]\nedit_budget = 'three'\n", "step.edit_budget"),
    "a number below its least": ("[budget]\ncalls = 0\n", "budget.calls"),
    "a rate above a half": ("[gate]\nalpha = 0.6\n", "gate.alpha"),
    "a backend that isn't known": ("[backend]\nname = 'oracle'\n", "backend.name"),
    "a rule that isn't known": ("[gate]\nrule = 'lenient'\n", "gate.rule"),
    "a metric that isn't known": ("[gate]\nmetric = 'vibes'\n", "gate.metric"),
    "a source that isn't known": ("[harvest]\nsources = ['cursor']\n", "harvest.sources"),
    "a duration without its unit": ("[harvest]\nlookback = '10'\n", "harvest.lookback"),
    "a duration as a number": ("[harvest]\nlookback = 7\n", "harvest.lookback"),
    "a number for a switch": ("[harvest]\ninclude_headless = 1\n", "harvest.include_headless"),
    "a text for a list": ("[projects]\nexclude = '/srv'\n", "projects.exclude"),
}


@pytest.mark.parametrize(("text", "key"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_names_its_key(tmp_path: Path, text: str, key: str) -> None:
    error = refused(tmp_path, text)

    assert key in error.message
    assert error.remedy


@pytest.mark.parametrize("value", ["inf", "nan", "1e999"])
@pytest.mark.parametrize("key", ["budget.usd", "budget.month_usd"])
def test_a_number_that_is_not_finite_is_named(tmp_path: Path, key: str, value: str) -> None:
    section, name = key.split(".")
    variable = f"SKILLOPT_SLEEP_{section}_{name}".upper()

    errors = [
        refused(tmp_path, f"[{section}]\n{name} = {value}\n"),
        refused(tmp_path, "", environ={variable: value}),
        refused(tmp_path, "", flags={key: float(value)}),
    ]

    assert all(key in error.message or variable in error.message for error in errors)
    assert all(error.remedy for error in errors)


def test_a_flag_of_the_wrong_value_names_its_key(tmp_path: Path) -> None:
    assert "backend.name" in refused(tmp_path, "", flags={"backend.name": "oracle"}).message


def test_bad_toml_names_the_file_and_the_line(tmp_path: Path) -> None:
    error = refused(tmp_path, "[step]\nedit_budget = 3\nsamples = = 2\n")

    assert str(tmp_path / "config.toml") in error.message
    assert "line 3" in error.message


def test_a_file_that_is_not_text_is_an_error_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigError, match=r"config\.toml"):
        read_toml(file)


# project.toml -------------------------------------------------------------------------------------------


def test_a_project_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    assert load_project(tmp_path) == ProjectSettings(enabled=True, exclude=())


def test_a_project_may_opt_out_and_exclude_paths(tmp_path: Path) -> None:
    project = project_with(tmp_path, "enabled = false\nexclude = ['secret/*']\n")

    assert load_project(project) == ProjectSettings(enabled=False, exclude=("secret/*",))


@pytest.mark.parametrize("section", [name for name in sections_of(Settings) if name != "budget"])
def test_a_project_may_only_narrow_so_no_section_of_the_user_is_known_there(tmp_path: Path, section: str) -> None:
    project = project_with(tmp_path, f"[{section}]\n")

    with pytest.raises(ConfigError, match=f"unknown key '{section}'"):
        load_project(project)


def test_a_limit_of_a_project_is_finite_too(tmp_path: Path) -> None:
    project = project_with(tmp_path, "[budget]\nusd = inf\n")

    with pytest.raises(ConfigError, match=r"project\.toml:2: budget\.usd: inf isn't a finite number"):
        load_project(project)


def test_an_unknown_key_of_a_project_names_its_file_and_the_nearest_known_one(tmp_path: Path) -> None:
    project = project_with(tmp_path, "enable = false\n")

    with pytest.raises(ConfigError, match=r"project\.toml") as caught:
        load_project(project)

    assert caught.value.remedy == "did you mean 'enabled'?"


# durations and paths ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "length"), [("90s", 90), ("10m", 600), ("2h", 7_200), ("7d", 604_800), ("0s", 0)])
def test_a_duration_is_its_number_in_its_unit(text: str, length: float) -> None:
    assert seconds(text) == length


def test_every_default_duration_can_be_read() -> None:
    settings = Settings()

    assert seconds(settings.harvest.lookback) == 30 * 86_400
    assert seconds(settings.backend.timeout) == 300


def test_the_variable_of_the_home_puts_everything_under_one_folder(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path / "home")})

    places = (paths.config_file, paths.preferences, paths.database, paths.nights, paths.adoptions)
    assert all(place.is_relative_to(tmp_path / "home") for place in places)
    assert len(set(places)) == len(places)


def test_without_that_variable_the_platform_says_where_things_are() -> None:
    paths = find_paths({})

    assert paths.config.is_absolute()
    assert paths.data.is_absolute()
    assert "skillopt-sleep" in str(paths.config)


def test_every_section_has_a_docstring_and_every_key_a_default() -> None:
    for name, kind in sections_of(Settings).items():
        assert (kind is None) == (name == "prices")
        if kind is None:
            continue
        assert kind.__doc__
        assert not any(field.required for field in msgspec.structs.fields(kind))


def test_settings_survive_their_own_toml(tmp_path: Path) -> None:
    from skillopt_sleep.kit.toml import to_toml

    text = to_toml(Settings())

    assert load(paths_with(tmp_path, text), environ={}) == Settings()
    assert set(tomllib.loads(text)) == set(sections_of(Settings))


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ('allow = ["instal"]', "did you mean 'install'?"),
        ('allow = ["secret"]', "one of: "),
        ('allow = ["invisible"]', "one of: "),
        ('allow = ["load-command"]', "one of: "),
    ],
)
def test_a_kind_that_the_guard_does_not_know_or_never_allows_is_an_error(
    tmp_path: Path, line: str, meant: str
) -> None:
    paths = Paths(config=tmp_path, data=tmp_path / "data")
    paths.config_file.write_text(f"[guard]\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as failed:
        load(paths, environ={})
    assert meant in failed.value.remedy
    assert "guard." in failed.value.message


def test_a_project_can_not_allow_anything() -> None:
    with pytest.raises(ConfigError, match="guard"):
        parse_project(b'[guard]\nallow = ["install"]\n', where=Path("project.toml"))


def test_what_only_reads_goes_on_with_the_defaults_and_says_what_is_wrong(tmp_path: Path) -> None:
    settings, problem = load_or_defaults(paths_with(tmp_path, "[budget]\ncals = 3\n"))
    assert settings == Settings()
    assert "budget.cals" in problem
    settings, problem = load_or_defaults(paths_with(tmp_path, "[budget]\ncalls = 3\n"))
    assert (settings.budget.calls, problem) == (3, "")


def test_where_each_setting_comes_from_is_known(tmp_path: Path) -> None:
    paths = paths_with(tmp_path, '[budget]\ncalls = 3\nminutes = 5\n[daemon]\nat = "03:00"\n')
    found = origins(paths, environ={"SKILLOPT_SLEEP_BUDGET_CALLS": "7"})
    assert found == {
        "budget.calls": "SKILLOPT_SLEEP_BUDGET_CALLS",
        "budget.minutes": str(paths.config_file),
        "daemon.at": str(paths.config_file),
    }
    assert origins(find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path / "none")}), environ={}) == {}


def test_something_is_said_of_every_setting_in_few_words() -> None:
    words = 0
    for name, kind in sections_of(Settings).items():
        about = described(kind).values() if kind else [described(Settings)[name]]
        assert all(about), name
        words += sum(len(text.split()) for text in (*about, (kind and kind.__doc__) or ""))
    assert words <= 500
