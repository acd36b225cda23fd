"""Wiring turns settings into a crew and a plan, and refuses what can't work before anything is spent."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.wrappers import Recorded
from skillopt_sleep.errors import BackendUnavailable, ConfigError, Exit
from skillopt_sleep.example import unfold
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.night.night import run_night
from skillopt_sleep.records import LeftOut, Metric, NightReport, Outcome
from skillopt_sleep.settings import (
    BackendSettings,
    BudgetSettings,
    GateSettings,
    HarvestSettings,
    MineSettings,
    Paths,
    ProjectsSettings,
    Settings,
    StepSettings,
    find_paths,
    load,
)
from skillopt_sleep.wiring import Exclusions, agent_sources, example_sources, harvest_rules
from skillopt_sleep.wiring.night import WiredNight, example_settings, make_plan, wire
from tests.nights import Shelf, corrected

SIMULATED = BackendSettings(name="simulated", model="simulated")


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path / "sleep")})


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLOPT_SLEEP_HOME", str(tmp_path / "sleep"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    (folder / "CLAUDE.md").write_text("# Shop\n", encoding="utf-8")
    return folder


def wired(settings: Settings, paths: Paths, *sources: Any, only: str = "", **environ: str) -> WiredNight:
    return wire(settings, paths, sources=sources, only=only, environ=environ)


def own_settings(project: Path, text: str) -> None:
    file = project / ".skillopt-sleep" / "project.toml"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")


def had(project: Path, count: int = 2) -> Shelf:
    at = utc_now() - timedelta(days=1)
    return Shelf([corrected(project, n, at=at + timedelta(hours=n)) for n in range(count)])


def a_night(settings: Settings, paths: Paths, shelf: Shelf, *, only: str = "") -> NightReport:
    night = wired(settings, paths, shelf, only=only)
    try:
        return run_night(night.crew, night.plan)
    finally:
        night.store.close()


# the backend --------------------------------------------------------------------------------------------


def test_without_a_backend_nothing_is_sent_and_the_way_out_is_named(paths: Paths) -> None:
    with pytest.raises(ConfigError, match="no backend is named") as caught:
        wired(Settings(), paths)

    assert "--backend auto" in caught.value.remedy
    assert "--example" in caught.value.remedy
    assert not paths.data.exists()


def test_an_unknown_backend_is_refused_when_the_settings_are_read(paths: Paths) -> None:
    with pytest.raises(ConfigError, match=r"backend\.name") as caught:
        load(paths, environ={}, flags={"backend.name": "oracle"})

    assert caught.value.exit_code is Exit.USAGE


def test_a_backend_without_a_model_is_refused(paths: Paths) -> None:
    with pytest.raises(ConfigError, match="no model is named") as caught:
        wired(Settings(backend=BackendSettings(name="openai")), paths)

    assert "--model" in caught.value.remedy


def test_a_backend_without_its_key_needs_a_login_and_names_the_variable(paths: Paths) -> None:
    backend = BackendSettings(name="openai", model="m", api_key_env="MY_KEY")

    with pytest.raises(BackendUnavailable, match="MY_KEY") as caught:
        wired(Settings(backend=backend), paths)

    assert caught.value.exit_code is Exit.LOGIN
    assert not paths.data.exists()


def test_an_endpoint_of_ones_own_needs_no_key(paths: Paths) -> None:
    backend = BackendSettings(name="openai", model="m", base_url="http://127.0.0.1:9/v1")

    night = wired(Settings(backend=backend), paths)

    assert night.plan.model == "m@http://127.0.0.1:9/v1"
    night.store.close()


def test_the_model_is_kept_apart_by_its_endpoint(paths: Paths) -> None:
    night = wired(Settings(backend=BackendSettings(name="openai", model="m")), paths, OPENAI_API_KEY="k")

    assert night.plan.model == "openai:m"
    night.store.close()


def test_every_call_is_recorded_whoever_makes_it(paths: Paths) -> None:
    night = wired(Settings(backend=SIMULATED), paths)

    assert isinstance(night.crew.optimizer, Recorded)
    night.store.close()


# the plan -----------------------------------------------------------------------------------------------


def plan_of(settings: Settings, paths: Paths) -> Any:
    return make_plan(settings, paths, model="m")


def test_the_plan_says_what_the_settings_say(paths: Paths) -> None:
    settings = Settings(
        harvest=HarvestSettings(include_headless=True),
        mine=MineSettings(miner="heuristic", max_tasks=7),
        step=StepSettings(samples=2, edit_budget=4, reflection="deep"),
        gate=GateSettings(metric=Metric.SOFT, alpha=0.01),
        budget=BudgetSettings(calls=5, tokens=6, minutes=7),
    )

    plan = plan_of(settings, paths)

    assert plan.sessions.include_headless
    assert (plan.mine.miner, plan.mine.max_tasks) == ("heuristic", 7)
    assert (plan.step.samples, plan.step.edit_budget) == (2, 4)
    assert (plan.step.reflection, plan.step.successes) == ("deep", False)
    assert (plan.gate.name, plan.gate.metric, plan.gate.rounds) == ("sequential", Metric.SOFT, 8)
    assert (plan.gate.alpha, plan.gate.min_effect, plan.gate.non_regression) == (0.01, 0.05, True)
    assert plan.gate.margin == 0
    assert plan.removal == replace(plan.gate, alpha=0.05, margin=0.1)
    assert plan.limits == {"calls": 5, "tokens": 6, "usd": 0.0, "minutes": 7}
    assert plan.sessions.own_roots == (str(paths.data),)
    assert plan.preferences == ""


def test_house_rules_are_read(paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.preferences.write_text("Be brief.\n", encoding="utf-8")

    assert plan_of(Settings(), paths).preferences == "Be brief.\n"


@pytest.mark.parametrize(("mode", "more"), [("patch", set()), ("rewrite", {"length"}), ("full_rewrite", {"length"})])
def test_a_whole_text_may_be_longer_than_a_rule(paths: Paths, mode: Any, more: set[str]) -> None:
    assert plan_of(Settings(step=StepSettings(mode=mode)), paths).allowed == more


@pytest.mark.parametrize("rule", ["strict", "greedy"])
def test_a_rule_that_proves_nothing_asks_each_request_as_often_as_each_task_is_attempted(
    paths: Paths, rule: Any
) -> None:
    settings = Settings(step=StepSettings(samples=2), gate=GateSettings(rule=rule))

    assert plan_of(settings, paths).gate.rounds == 2


def test_a_look_into_the_history_has_the_same_rules(paths: Paths) -> None:
    rules = harvest_rules(Settings(), paths)

    assert (rules.own_roots, rules.horizon) == ((str(paths.data),), None)


# the sources --------------------------------------------------------------------------------------------


def test_the_sources_are_those_of_the_settings_in_their_order(paths: Paths) -> None:
    settings = Settings(harvest=HarvestSettings(sources=("codex", "claude_code")))

    assert [source.name for source in agent_sources(settings, {})] == ["codex", "claude_code"]
    assert [source.name for source in agent_sources(Settings(), {})] == ["claude_code", "codex", "tasks_file"]


def test_the_agents_own_variables_say_where_their_sessions_are(paths: Paths, tmp_path: Path) -> None:
    day = unfold(tmp_path / "day", now=utc_now())
    environ = {"CLAUDE_CONFIG_DIR": str(day / "home" / ".claude"), "CODEX_HOME": str(day / "home" / ".codex")}

    claude, codex, _ = agent_sources(Settings(), environ)

    assert len(list(claude.stamps())) > 10
    assert len(list(codex.stamps())) > 3
    assert [list(source.stamps()) for source in agent_sources(Settings(), {})] == [[], [], []]


# exclusions ---------------------------------------------------------------------------------------------


def excludes(*patterns: str, only: str = "") -> Exclusions:
    return Exclusions(Settings(projects=ProjectsSettings(exclude=patterns)), find_paths(), only=only)


@pytest.mark.parametrize("pattern", ["{work}/shop", "{work}/*", "{work}", "{work}/sh?p", "*/shop"])
def test_a_project_is_excluded_by_path_by_pattern_and_by_the_folder_above(project: Path, pattern: str) -> None:
    excluded = excludes(pattern.format(work=project.parent))

    assert excluded(str(project), str(project))
    assert excluded(str(project), str(project / "api"))


@pytest.mark.parametrize("pattern", ["{work}/shopping", "{work}/sho", "sho", "hop", "{work}/shop/api"])
def test_what_no_pattern_names_is_read(project: Path, pattern: str) -> None:
    assert not excludes(pattern.format(work=project.parent))(str(project), str(project))


def test_a_session_below_an_excluded_folder_is_left_out_though_its_project_is_not(project: Path) -> None:
    excluded = excludes(str(project / "secret"))

    assert excluded(str(project), str(project / "secret" / "deep"))
    assert not excluded(str(project), str(project / "open"))


def test_a_worktree_of_an_excluded_project_is_left_out_wherever_it_lies(project: Path, tmp_path: Path) -> None:
    excluded = excludes(str(project))

    assert excluded(str(project), str(tmp_path / "worktrees" / "shop-2"))
    assert not excluded(str(tmp_path / "blog"), str(tmp_path / "worktrees" / "blog-2"))


def test_a_pattern_may_begin_at_home(paths: Paths, tmp_path: Path) -> None:
    home = tmp_path / "home"

    assert excludes("~/private")(str(home / "private" / "x"), str(home / "private" / "x"))


def test_a_night_may_be_narrowed_to_one_project(project: Path) -> None:
    excluded = excludes(only=str(project))

    assert not excluded(str(project), str(project / "api"))
    assert excluded(str(project.parent / "blog"), str(project.parent / "blog"))


def test_a_project_may_opt_out(project: Path) -> None:
    own_settings(project, "enabled = false\n")
    excluded = excludes()

    assert excluded(str(project), str(project))
    assert excluded.notes == []


def test_a_project_that_opted_out_stays_out_when_its_folder_is_gone(project: Path) -> None:
    own_settings(project, "enabled = false\n")
    excludes()(str(project), str(project))
    project.rename(project.parent / "elsewhere")

    assert excludes()(str(project), str(project))
    assert not excludes()(str(project.parent / "gone"), str(project.parent / "gone"))


def test_a_project_may_exclude_paths_inside_it(project: Path) -> None:
    own_settings(project, "exclude = ['secret', 'tmp/*']\n")
    excluded = excludes()

    assert excluded(str(project), str(project / "secret" / "deep"))
    assert excluded(str(project), str(project / "tmp" / "x"))
    assert not excluded(str(project), str(project))
    assert not excluded(str(project), str(project / "api"))


@pytest.mark.parametrize("text", ["enabled = ", "enable = false", "enabled = 'yes'", "[backend]\nname = 'openai'\n"])
def test_a_project_whose_settings_can_not_be_read_is_left_out_and_noted_once(project: Path, text: str) -> None:
    own_settings(project, text)
    excluded = excludes()

    assert excluded(str(project), str(project))
    assert excluded(str(project), str(project / "api"))
    (note,) = excluded.notes
    assert note.stage == "harvest"
    assert str(project / ".skillopt-sleep" / "project.toml") in note.summary
    assert note.remedy


def test_a_folder_that_is_gone_is_no_reason_to_exclude(tmp_path: Path) -> None:
    assert not excludes()(str(tmp_path / "gone"), str(tmp_path / "gone"))


# whole nights -------------------------------------------------------------------------------------------


def test_a_wired_night_runs(paths: Paths, project: Path) -> None:
    settings = Settings(backend=SIMULATED, gate=GateSettings(rule="strict"))
    report = a_night(settings, paths, had(project))

    assert report.verdict is Outcome.IMPROVED
    assert report.found.sessions.used == 2
    assert Path(report.run.folder).is_relative_to(paths.nights)


@pytest.mark.parametrize("how", ["pattern", "project.toml", "only"])
def test_a_project_that_is_left_out_is_counted_and_never_sent(paths: Paths, project: Path, how: str) -> None:
    exclude = (str(project),) if how == "pattern" else ()
    if how == "project.toml":
        own_settings(project, "enabled = false\n")
    settings = Settings(backend=SIMULATED, projects=ProjectsSettings(exclude=exclude))

    report = a_night(settings, paths, had(project), only=str(paths.config) if how == "only" else "")

    assert report.verdict is Outcome.NOTHING_NEW
    reason = LeftOut.OTHER_PROJECT if how == "only" else LeftOut.EXCLUDED
    assert report.found.sessions.skipped == {reason: 2}
    assert report.spend.calls == 0


def test_a_project_that_can_not_be_read_is_left_out_and_among_the_errors(paths: Paths, project: Path) -> None:
    own_settings(project, "enabled = \n")

    report = a_night(Settings(backend=SIMULATED), paths, had(project))

    assert report.found.sessions.skipped == {LeftOut.EXCLUDED: 2}
    assert [error.stage for error in report.errors] == ["harvest"]
    assert "project.toml" in report.errors[0].summary


def test_a_project_that_is_let_in_again_is_read(paths: Paths, project: Path) -> None:
    shelf = had(project)
    own_settings(project, "enabled = false\n")
    a_night(Settings(backend=SIMULATED), paths, shelf)
    (project / ".skillopt-sleep" / "project.toml").unlink()

    assert a_night(Settings(backend=SIMULATED), paths, shelf).found.sessions.used == 2


# the example --------------------------------------------------------------------------------------------


@pytest.fixture
def example(tmp_path: Path) -> Path:
    return unfold(tmp_path / "day", now=utc_now())


def test_the_example_needs_no_consent_and_excludes_nothing() -> None:
    settings = example_settings(
        Settings(
            projects=ProjectsSettings(exclude=("/*",)), step=StepSettings(samples=2), budget=BudgetSettings(calls=9)
        )
    )

    assert (settings.backend.name, settings.projects.exclude) == ("simulated", ())
    assert (settings.step.samples, settings.budget.calls) == (2, 9)


def test_the_examples_sessions_are_those_of_both_agents(example: Path) -> None:
    assert [len(list(source.stamps())) > 0 for source in example_sources(example)] == [True, True]
