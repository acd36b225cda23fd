"""What an agent sees; for Codex, the genuine program is asked too (marker cli)."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from skillopt_sleep.doctor.instructions import SeenInstructions, claude_sight, codex_sight
from skillopt_sleep.errors import ConfigError
from tests.doctor.machine import Machine
from tests.genuine import Programs


def of_claude(machine: Machine) -> SeenInstructions:
    return claude_sight(machine.project, home=machine.home, agent_home=machine.home / ".claude")


def of_codex(machine: Machine) -> SeenInstructions:
    return codex_sight(machine.project, home=machine.home, agent_home=machine.home / ".codex")


def names(machine: Machine, sight: SeenInstructions) -> set[str]:
    return {str(path.relative_to(machine.home)) for path in sight.instructions}


def test_claude_reads_agents_md_only_where_nothing_of_its_own_is_at_or_above(machine: Machine) -> None:
    machine.write(machine.project / "AGENTS.md", "a\n")
    machine.write(machine.home / ".claude" / "CLAUDE.md", "u\n")
    machine.write(machine.project / ".claude" / "rules" / "deep" / "r.md", "r\n")
    rules = {".claude/CLAUDE.md", "shop/.claude/rules/deep/r.md"}
    assert names(machine, of_claude(machine)) == rules | {"shop/AGENTS.md"}
    for own in ("shop/CLAUDE.md", "shop/.claude/CLAUDE.md", "shop/CLAUDE.local.md", "CLAUDE.md"):
        path = machine.write(machine.home / own, "c\n")
        assert names(machine, of_claude(machine)) == rules | {own}
        path.unlink()


def test_claude_follows_imports_inside_the_project_that_are_not_in_code(machine: Machine) -> None:
    machine.write(machine.project / "CLAUDE.md", "See @docs/a.md and `@b.md`.\n```\n@c.md\n```\n@../out.md @d.md\n")
    for name in ("docs/a.md", "b.md", "c.md", "../out.md", "d.md"):
        machine.write(machine.project / name, "@CLAUDE.md\n")
    assert names(machine, of_claude(machine)) == {"shop/CLAUDE.md", "shop/docs/a.md", "shop/d.md"}


def test_an_import_with_an_impossible_name_is_passed_over(machine: Machine) -> None:
    machine.write(machine.project / "CLAUDE.md", f"@{'x' * 5000} @a\x00b @~nobody/x\n")
    assert names(machine, of_claude(machine)) == {"shop/CLAUDE.md"}


def test_rules_for_some_paths_wait_for_such_a_file(machine: Machine) -> None:
    machine.write(machine.project / ".claude" / "rules" / "ts.md", '---\npaths: "**/*.ts"\n---\nr\n')
    assert names(machine, of_claude(machine)) == set()


def test_claude_lists_its_own_skills_links_included_and_not_the_hidden_ones(machine: Machine) -> None:
    machine.skill(machine.home / ".claude" / "skills" / "mine")
    machine.skill(machine.project / ".claude" / "skills" / "hidden", front="disable-model-invocation: true")
    ours = machine.skill(machine.project / ".agents" / "skills" / "skillopt-sleep")
    assert not of_claude(machine).sees(ours, "The body.")
    (machine.project / ".claude" / "skills" / "skillopt-sleep").symlink_to(ours.parent)
    sight = of_claude(machine)
    assert sight.sees(ours, "The body.")
    assert {path.parent.name for path in sight.skills} == {"mine", "skillopt-sleep"}


def test_codex_reads_instructions_and_skills_that_its_settings_leave_on(machine: Machine) -> None:
    off = machine.skill(machine.project / ".agents" / "skills" / "switched-off")
    config = machine.write(machine.home / ".codex" / "config.toml", _switch(off))
    users_memory = machine.write(machine.home / ".codex" / "AGENTS.md", "Be brief.\n")
    ours = machine.skill(machine.project / ".agents" / "skills" / "skillopt-sleep")
    users = machine.skill(machine.home / ".agents" / "skills" / "two")
    old = machine.skill(machine.home / ".codex" / "skills" / "three")
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\r\n\r\n- Use pnpm.\r\n")
    sight = of_codex(machine)
    assert {path.resolve() for path in sight.skills} == {ours, users, old}
    assert sight.instructions == (users_memory, memory)
    assert sight.sees(ours, "The body.")
    assert sight.sees(memory, "- Use pnpm.")
    assert not sight.sees(memory, "- Use tabs.")
    config.write_text("[skills]\ninclude_instructions = false\n", encoding="utf-8")
    assert of_codex(machine).skills == ()


def test_of_a_long_file_codex_reads_the_beginning(machine: Machine) -> None:
    memory = machine.write(machine.project / "AGENTS.md", f"# Shop\n\n{'x' * 33_000}\n\n- Use pnpm.\n")
    sight = of_codex(machine)
    assert (sight.instructions, sight.cut) == ((), (memory,))
    assert sight.sees(memory, "# Shop")
    assert not sight.sees(memory, "- Use pnpm.")


@pytest.mark.parametrize("text", ["= broken", "skills = 3", '[skills]\nconfig = "x"'])
def test_a_configuration_that_codex_could_not_read_either_is_named(machine: Machine, text: str) -> None:
    machine.write(machine.home / ".codex" / "config.toml", text)
    with pytest.raises(ConfigError, match=r"config\.toml"):
        of_codex(machine)


@pytest.mark.cli
def test_the_genuine_codex_would_send_the_same(machine: Machine, programs: Programs) -> None:
    off = machine.skill(machine.project / ".agents" / "skills" / "switched-off")
    machine.write(machine.home / ".codex" / "config.toml", f"project_doc_max_bytes = 4096\n{_switch(off)}")
    machine.write(machine.home / ".codex" / "AGENTS.md", "Be brief.\n")
    for folder in (".agents/skills/two", ".codex/skills/three", "shop/.agents/skills/skillopt-sleep"):
        machine.skill(machine.home / folder)
    machine.write(machine.project / "AGENTS.md", f"# Shop\n\n- Use pnpm.\n{'x' * 5_000}\n- Use tabs.\n")
    nobody = 'model_providers.nobody={name="nobody",base_url="http://127.0.0.1:9/v1",wire_api="responses"}'
    switches = ("-c", nobody, "-c", "model_provider=nobody", "-c", "skills.bundled.enabled=false")
    shown = subprocess.run(
        [programs.codex, "--disable", "plugins", "debug", "prompt-input", *switches, "-c", "analytics.enabled=false"],
        env={"HOME": str(machine.home), "CODEX_HOME": str(machine.home / ".codex"), "PATH": os.environ["PATH"]},
        cwd=machine.project, capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    sight = of_codex(machine)
    assert {name.rpartition("/")[2] for name in re.findall(r"file: ([^)]+)/SKILL\.md", shown)} == {
        path.parent.name for path in sight.skills
    }
    for line in ("Be brief.", "- Use pnpm.", "- Use tabs."):
        assert (line in shown) is (sight.text is not None and line in sight.text), line
    assert sight.cut == (machine.project / "AGENTS.md",)


def _switch(skill: Path) -> str:
    return f'[[skills.config]]\npath = "{skill}"\nenabled = false\n'
