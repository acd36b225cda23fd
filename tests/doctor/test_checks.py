"""What doctor says of settings, store and limits, on a machine in a folder."""

import sqlite3

from skillopt_sleep.doctor.findings import FindingState, Topic
from skillopt_sleep.night.survey import survey
from skillopt_sleep.protocols.models import Reservation
from skillopt_sleep.records import CallState, HalfRead, Purpose, Usage
from skillopt_sleep.settings import Settings
from skillopt_sleep.stores.schema import VERSION
from skillopt_sleep.stores.sqlite import open_store
from tests.builders import a_session
from tests.doctor.machine import SIMULATED, Machine
from tests.night.test_account import RULES
from tests.stores.opening import put


def spent(machine: Machine, calls: int = 3) -> None:
    """A night that was cut off after some calls."""
    store = open_store(Settings(), machine.paths)
    with store.open_night():
        for _ in range(calls):
            entry = store.ledger.reserve(Reservation(Purpose.MINE, "openai:m", tokens=10))
            store.ledger.settle(entry, CallState.DONE, usage=Usage(input_tokens=8, output_tokens=2), usd=0.5)
    store.close()


def test_on_a_fresh_machine_nothing_but_a_backend_is_missing_and_it_is_told_how_to_begin(machine: Machine) -> None:
    machine.paths.config_file.unlink()
    found = machine.look()
    (wrong,) = [finding for finding in found if finding.state is FindingState.PROBLEM]
    assert (wrong.topic, wrong.says.partition(":")[0]) == (Topic.MODELS, "no backend is named")
    assert "skillopt-sleep init" in wrong.remedy
    hints = "\n".join(finding.remedy for finding in found)
    assert "run --backend auto" in hints
    assert "run --example" in hints


def test_looking_writes_nothing(machine: Machine) -> None:
    machine.has_claude()
    machine.has_codex()
    machine.configured('[backend]\nname = "handoff"\n')
    machine.write(machine.home / ".codex" / "AGENTS.md", "Be brief.\n")
    machine.skill(machine.home / ".codex" / "skills" / "one")
    machine.skill(machine.home / ".agents" / "skills" / "two")
    before = machine.files()
    machine.look()
    assert machine.files() == before
    spent(machine)
    before = machine.files()
    machine.look()
    assert machine.files() == before


def test_nothing_in_the_environment_is_needed(machine: Machine) -> None:
    machine.environ = {"SKILLOPT_SLEEP_HOME": str(machine.folder / "sleep")}
    assert machine.problems() == []


def test_records_of_unknown_kinds_are_told_with_the_version(machine: Machine) -> None:
    half = HalfRead("2.1.340", ("human_input",), 3, 100)
    store = open_store(Settings(), machine.paths)
    put(store, a_session(half_read=half), a_session(id="claude_code:s2"))
    survey(["claude_code"], store.index, RULES)
    store.close()
    (told,) = [finding for finding in machine.look() if "unknown kind" in finding.says]
    assert told.says == "Claude Code 2.1.340 (tested to 2.1.332): 3 % of records of 1 unknown kind"
    assert (told.topic, told.state) == (Topic.STORE, FindingState.UNKNOWN)


def test_settings_that_are_wrong_are_a_problem_and_the_rest_is_looked_at_still(machine: Machine) -> None:
    machine.configured("[budget]\ncall = 3\n")
    found = machine.look()
    wrong = [finding for finding in found if finding.state is FindingState.PROBLEM]
    assert [(finding.topic, finding.remedy) for finding in wrong] == [
        (Topic.SETTINGS, "did you mean 'budget.calls'?")
    ]
    assert {finding.topic for finding in found} >= {Topic.LIMITS, Topic.PATHS, Topic.STORE, Topic.INSTALLS}


def test_the_projects_own_settings_are_looked_at_and_told_of_once(machine: Machine) -> None:
    own = machine.write(machine.project / ".skillopt-sleep" / "project.toml", "[backend]\n")
    assert [finding.topic for finding in machine.problems()] == [Topic.SETTINGS]
    own.write_text("enabled = false\n", encoding="utf-8")
    assert "opts out" in machine.says(Topic.SETTINGS)


def test_house_rules_that_are_no_text_are_a_problem(machine: Machine) -> None:
    machine.configured(SIMULATED)
    machine.paths.preferences.write_bytes(b"\xff\xfe")
    machine.paths.preferences.chmod(0o600)
    assert [finding.topic for finding in machine.problems()] == [Topic.SETTINGS]


def test_a_night_that_was_cut_off_and_what_it_spent_are_named(machine: Machine) -> None:
    spent(machine)
    assert "was cut off" in machine.says(Topic.STORE)
    assert "spent this month: 3 calls, 30 tokens, for $1.50" in machine.says(Topic.LIMITS)
    assert machine.problems() == []


def test_a_night_that_runs_is_named_as_running(machine: Machine) -> None:
    store = open_store(Settings(), machine.paths)
    with store.open_night() as page:
        assert f"night {page.night} runs now" in machine.says(Topic.STORE)
    store.close()


def test_a_used_up_month_is_a_problem(machine: Machine) -> None:
    machine.configured(f"{SIMULATED}[budget]\nmonth_usd = 1.25\n")
    spent(machine)
    (wrong,) = machine.problems()
    assert wrong.says == "this month's limit is used up: $1.25"
    assert "budget.month_usd" in wrong.remedy


def test_limits_of_the_project_are_named(machine: Machine) -> None:
    machine.write(machine.project / ".skillopt-sleep" / "project.toml", "[budget]\ncalls = 20\n")
    assert "a night on shop: 20 calls" in machine.says(Topic.LIMITS)


def test_a_store_of_another_version_is_a_problem_and_stays_as_it_is(machine: Machine) -> None:
    spent(machine)
    with sqlite3.connect(machine.paths.database) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.STORE
    assert "another version" in wrong.says
    assert "harvest --new-store" in wrong.remedy


def test_a_corrupt_store_is_a_problem_and_is_not_set_aside(machine: Machine) -> None:
    spent(machine)
    machine.paths.database.write_bytes(b"no database at all" * 999)
    before = machine.files()
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.STORE
    assert "is corrupt" in wrong.says
    assert machine.files() == before


def test_what_each_agent_is_given_is_told(machine: Machine) -> None:
    machine.has_codex()
    machine.write(machine.home / ".claude" / "CLAUDE.md", "Be brief.\n")
    machine.write(machine.project / "CLAUDE.md", "# Shop\n")
    machine.skill(machine.project / ".claude" / "skills" / "release")
    machine.skill(machine.project / ".claude" / "skills" / "wordy", front=f"description: {'word ' * 400}")
    said = machine.says(Topic.SIGHT)
    assert f"{machine.home}/.claude/CLAUDE.md, CLAUDE.md" in said
    assert "Claude Code offers these skills there: release, wordy" in said
    assert "Codex offers these skills there: none" in said
