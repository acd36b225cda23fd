"""Whether doctor tells what was adopted but isn't seen, after real adoptions."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.doctor.findings import Finding, Topic
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.settings import Settings
from skillopt_sleep.stores.sqlite import open_store
from tests.builders import a_session
from tests.doctor.machine import Machine
from tests.proposals.staging import NOW, RULE, propose
from tests.stores.opening import put


@pytest.fixture(autouse=True)
def _claude_was_used(machine: Machine) -> None:
    (machine.home / ".claude").mkdir()


def adopted_into(machine: Machine, path: Path, root: Path) -> Journal:
    journal = Journal(machine.paths.adoptions)
    adopt(propose(machine.folder / "night", path, root)[0], journal=journal, at=NOW)
    return journal


def had_sessions(machine: Machine, *sources: str) -> None:
    store = open_store(Settings(), machine.paths)
    put(store, *(a_session(id=f"{name}:1", source=name, project=str(machine.project)) for name in sources))
    store.close()


def unseen(machine: Machine) -> list[Finding]:
    return [wrong for wrong in machine.problems(Topic.SIGHT) if "but not seen by" in wrong.says]


def test_a_block_that_every_agent_sees_is_fine(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    adopted_into(machine, memory, machine.project)
    machine.has_codex()
    assert machine.problems() == []
    assert f"adopted into {memory}: seen by Claude Code and Codex" in machine.says(Topic.SIGHT)


def test_an_agents_md_that_a_new_claude_md_hides_is_a_problem_until_it_is_imported(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    adopted_into(machine, memory, machine.project)
    own = machine.write(machine.project / "CLAUDE.md", "# Shop\n")
    (wrong,) = unseen(machine)
    assert wrong.says == f"adopted into {memory}, but not seen by Claude Code"
    assert f"@AGENTS.md to {own}" in wrong.remedy
    own.write_text("# Shop\n\n@AGENTS.md\n", encoding="utf-8")
    assert unseen(machine) == []


def test_the_managed_skill_is_seen_by_claude_once_it_is_linked_as_the_remedy_says(machine: Machine) -> None:
    skill = machine.project / live.SKILL
    adopted_into(machine, skill, machine.project)
    (wrong,) = unseen(machine)
    assert wrong.remedy.startswith("link it: mkdir -p ")
    skills = machine.project / ".claude" / "skills"
    assert wrong.remedy.endswith(f"ln -s ../../.agents/skills/skillopt-sleep {skills}/")
    skills.mkdir(parents=True)
    (skills / "skillopt-sleep").symlink_to("../../.agents/skills/skillopt-sleep")
    assert unseen(machine) == []


def test_the_users_managed_skill_is_looked_at_from_every_project(machine: Machine) -> None:
    adopted_into(machine, machine.home / live.SKILL, machine.home)
    (wrong,) = unseen(machine)
    assert str(machine.home / live.SKILL) in wrong.says


def test_an_agent_that_had_no_session_in_the_project_need_not_see_it(machine: Machine) -> None:
    memory = machine.write(machine.project / "CLAUDE.md", "# Shop\n")
    adopted_into(machine, memory, machine.project)
    machine.has_codex()
    assert [wrong.remedy for wrong in unseen(machine)] == [
        'set project_doc_fallback_filenames = ["CLAUDE.md"] in its config.toml'
    ]
    had_sessions(machine, "claude_code")
    assert unseen(machine) == []
    assert f"adopted into {memory}: seen by Claude Code" in machine.says(Topic.SIGHT)
    had_sessions(machine, "codex")
    assert len(unseen(machine)) == 1


def test_of_a_pair_each_agent_needs_to_see_one_file(machine: Machine) -> None:
    memory = machine.write(machine.project / "CLAUDE.md", "# Shop\n")
    agents = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    had_sessions(machine, "claude_code", "codex")
    folder, _ = propose(machine.folder / "night", memory, machine.project, twin=agents)
    adopt(folder, journal=Journal(machine.paths.adoptions), at=NOW)

    machine.has_codex()
    assert unseen(machine) == []
    assert f"adopted into {memory} and {agents}: seen by Claude Code and Codex" in machine.says(Topic.SIGHT)

    agents.write_text("# Shop\n", encoding="utf-8")
    assert f"what was adopted into {agents} is no longer there" in machine.says(Topic.SIGHT)
    (wrong,) = unseen(machine)
    assert wrong.says == f"adopted into {memory}, but not seen by Codex"


def test_codex_that_cuts_or_replaces_the_file_is_a_problem_with_another_remedy_each(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", f"# Shop\n\n{'x' * 500}\n")
    adopted_into(machine, memory, machine.project)
    machine.has_codex()
    machine.write(machine.home / ".codex" / "config.toml", "project_doc_max_bytes = 200\n")
    assert "project_doc_max_bytes" in unseen(machine)[0].remedy
    machine.write(machine.project / "AGENTS.override.md", "Other.\n")
    assert "AGENTS.override.md" in unseen(machine)[0].remedy


def test_what_was_undone_or_removed_is_no_problem(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    journal = adopted_into(machine, memory, machine.project)
    machine.write(machine.project / "CLAUDE.md", "# Shop\n")
    memory.write_text("# Shop\n", encoding="utf-8")
    assert unseen(machine) == []
    assert "no longer there" in machine.says(Topic.SIGHT)
    memory.unlink()
    assert unseen(machine) == []
    adopted_into(machine, machine.write(memory, "# Shop\n"), machine.project)
    undo("p1", journal=journal, at=NOW)
    assert "adopted into" not in machine.says(Topic.SIGHT)


def test_rules_in_two_blocks_or_without_markers_are_still_seen(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    adopted_into(machine, memory, machine.project)
    once = memory.read_text(encoding="utf-8")
    twice = f"{once}\nmine\n\n{once}".replace(RULE, f"- another\n{RULE}", 1)
    for text, told in ((twice, [f"our block stands 2 times in {memory}"]), (f"# Shop\n\n* {RULE[2:]}\n", [])):
        memory.write_text(text, encoding="utf-8")
        machine.has_codex()
        assert [wrong.says for wrong in machine.problems()] == told
        assert f"adopted into {memory}: seen by Claude Code and Codex" in machine.says(Topic.SIGHT)


def test_two_blocks_in_a_file_of_another_project_are_told_while_that_is_there(machine: Machine) -> None:
    other = machine.home / "other"
    memory = machine.write(other / "AGENTS.md", "# Other\n")
    adopted_into(machine, memory, other)
    once = memory.read_text(encoding="utf-8")
    assert machine.problems() == []
    memory.write_text(f"{once}\nmine\n\n{once}", encoding="utf-8")
    assert [wrong.says for wrong in machine.problems()] == [f"our block stands 2 times in {memory}"]
    other.rename(machine.home / "moved")
    assert machine.problems() == []
    assert str(memory) not in machine.says(Topic.SIGHT)


def test_a_damaged_block_is_told_and_no_problem_of_sight(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    adopted_into(machine, memory, machine.project)
    memory.write_text(f"# Shop\n\n<!-- skillopt-sleep:begin -->\n{RULE}\n", encoding="utf-8")
    assert unseen(machine) == []
    assert f"adopted into {memory}, but" in machine.says(Topic.SIGHT)


def test_an_adoption_that_stopped_half_way_is_a_problem(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    journal = adopted_into(machine, memory, machine.project)
    (entry,) = journal.entries()
    journal.mark(replace(entry), AdoptionState.PREPARED)
    (wrong,) = machine.problems(Topic.SIGHT)
    assert "stopped half-way" in wrong.says
    assert "skillopt-sleep status" in wrong.remedy


def test_an_adoption_that_cannot_be_read_is_a_problem_and_hides_no_other(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n")
    adopted_into(machine, memory, machine.project)
    damaged = machine.paths.adoptions / "p0" / "journal.json"
    damaged.parent.mkdir()
    damaged.write_text("{", encoding="utf-8")
    (wrong,) = machine.problems()
    assert wrong.topic is Topic.SIGHT
    assert str(damaged) in wrong.says
    assert f"adopted into {memory}: seen by" in machine.says(Topic.SIGHT)
