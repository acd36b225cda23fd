"""What an agent sees; for Codex, the genuine program is asked too (marker cli)."""

import os
from pathlib import Path

import pytest

from skillopt_sleep.doctor.sight import Sight, claude_sight, codex_sight
from skillopt_sleep.errors import ConfigError, ItemError
from tests.doctor.machine import Machine, script, shown_by_codex
from tests.genuine import Programs


def of_claude(machine: Machine) -> Sight:
    return claude_sight(machine.project, home=machine.home, agent_home=machine.home / ".claude")


def of_codex(machine: Machine, program: Path) -> Sight:
    return codex_sight(
        str(program),
        machine.project,
        home=machine.home,
        agent_home=machine.home / ".codex",
        environ={"PATH": os.environ["PATH"]},
        place=machine.folder / "place",
    )


def names(machine: Machine, sight: Sight) -> set[str]:
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


def test_codex_sees_what_it_says_it_would_send(machine: Machine) -> None:
    ours = machine.skill(machine.project / ".agents" / "skills" / "skillopt-sleep")
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n\n- Use pnpm.\n")
    machine.has_codex(shown_by_codex("# Shop\r\n\r\n- Use pnpm.\r\n", {"skillopt-sleep": str(ours)}))
    sight = of_codex(machine, machine.bin / "codex")
    assert sight.sees(ours, "The body.")
    assert sight.sees(memory, "- Use pnpm.")
    assert not sight.sees(memory, "- Use tabs.")


@pytest.mark.parametrize("says", ["", "not json", "[]", '{"a": 1}', '[{"content": "text"}]'])
def test_a_codex_that_says_something_else_is_an_item_error(machine: Machine, says: str) -> None:
    program = script(machine.bin / "codex", f"echo '{says}'")
    with pytest.raises(ItemError, match="prompt-input"):
        of_codex(machine, program)


def test_a_codex_that_fails_is_quoted(machine: Machine) -> None:
    program = script(machine.bin / "codex", "echo 'error: unrecognized subcommand' >&2; exit 2")
    with pytest.raises(ItemError, match="unrecognized subcommand"):
        of_codex(machine, program)


def test_a_configuration_that_codex_could_not_read_either_is_named(machine: Machine) -> None:
    machine.has_codex()
    machine.write(machine.home / ".codex" / "config.toml", "= broken")
    with pytest.raises(ConfigError, match=r"config\.toml"):
        of_codex(machine, machine.bin / "codex")


@pytest.mark.cli
def test_the_genuine_codex_shows_instructions_and_skills_and_starts_nothing_of_the_users(
    machine: Machine, programs: Programs
) -> None:
    marker = machine.folder / "started"
    server = f'[mcp_servers.x]\ncommand = "/usr/bin/touch"\nargs = ["{marker}"]\n'
    trust = f'[projects."{machine.project}"]\ntrust_level = "trusted"\n'
    off = machine.skill(machine.project / ".agents" / "skills" / "switched-off")
    limit = "project_doc_max_bytes = 4096\n"
    switch = f'[[skills.config]]\npath = "{off}"\nenabled = false\n'
    machine.write(machine.home / ".codex" / "config.toml", f"{limit}{server}{trust}{switch}")
    machine.write(machine.project / ".codex" / "config.toml", server)
    machine.write(machine.home / ".codex" / "AGENTS.md", "Be brief.\n")
    ours = machine.skill(machine.project / ".agents" / "skills" / "skillopt-sleep")
    users = machine.skill(machine.home / ".agents" / "skills" / "two")
    old = machine.skill(machine.home / ".codex" / "skills" / "three")
    memory = machine.write(machine.project / "AGENTS.md", "# Shop\n\n- Use pnpm.\n")
    before = set(machine.home.rglob("*"))
    sight = of_codex(machine, programs.codex)
    assert {path.resolve() for path in sight.skills} == {ours, users, old}
    assert sight.instructions == (machine.home / ".codex" / "AGENTS.md", memory)
    assert sight.sees(memory, "- Use pnpm.")
    assert not marker.exists()
    assert set(machine.home.rglob("*")) == before


@pytest.mark.cli
def test_the_genuine_codex_shows_where_it_cuts(machine: Machine, programs: Programs) -> None:
    memory = machine.write(machine.project / "AGENTS.md", f"# Shop\n\n{'x' * 33_000}\n\n- Use pnpm.\n")
    sight = of_codex(machine, programs.codex)
    assert sight.cut == (memory,)
    assert not sight.sees(memory, "- Use pnpm.")
