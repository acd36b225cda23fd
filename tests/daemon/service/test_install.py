import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skillopt_sleep.daemon.service.install import install, ledger_of, plan, strays, to_reverse, uninstall
from skillopt_sleep.daemon.service.jsonc import parse
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.errors import SleepError
from skillopt_sleep.proposals.paths import digest
from tests.attributes import STRANGER, decorate, needs_attributes, seen
from tests.installs import CRONTAB, JSON_SHAPES, THEIRS, TOML_SHAPES, TOML_THEIRS, machine, program, put, tree
from tests.sweeps import sampled

AGENTS = (".claude", ".codex", "dotfiles", ".config")
UNREADABLE = {"not JSON", "another encoding", "not TOML"}

JSON_FILES = [(shape, name) for shape in JSON_SHAPES for name in (".claude/settings.json", ".codex/hooks.json")]


def written(home: Path, name: str) -> bytes:
    """What an install makes of such a file."""
    if name.endswith("toml"):
        (home / name).write_text(TOML_THEIRS, encoding="utf-8")
    install(machine(home))
    data = (home / name).read_bytes()
    uninstall(machine(home))
    return data


def home_in(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    machine(home)
    return home


@pytest.mark.parametrize(("shape", "name"), JSON_FILES)
def test_an_install_and_an_uninstall_leave_a_json_file_as_it_was(shape: str, name: str, tmp_path: Path) -> None:
    home = home_in(tmp_path)
    ours = written(home, name) if shape == "ours already" else b""
    put(home / name, shape, JSON_SHAPES[shape], ours=ours)
    there_and_back(home, name, untouched=shape in UNREADABLE | {"ours already"})


@pytest.mark.parametrize("shape", TOML_SHAPES)
def test_an_install_and_an_uninstall_leave_a_config_toml_as_it_was(shape: str, tmp_path: Path) -> None:
    home = home_in(tmp_path)
    name = ".codex/config.toml"
    ours = written(home, name) if shape == "ours already" else b""
    put(home / name, shape, TOML_SHAPES[shape], ours=ours)
    kept = {"missing", "empty", "ours already", "what can't be added to"}
    there_and_back(home, name, untouched=shape in UNREADABLE | kept)


def there_and_back(home: Path, name: str, *, untouched: bool) -> None:
    before, then = tree(home, *AGENTS), content(home / name)
    install(machine(home))
    once = tree(home, *AGENTS)
    manifest = ledger_of(machine(home)).read()
    assert (content(home / name) == then) == untouched
    install(machine(home))
    assert tree(home, *AGENTS) == once
    assert ledger_of(machine(home)).read() == manifest
    if name in before:
        assert once[name].mode == before[name].mode
        assert once[name].kind == before[name].kind
    uninstall(machine(home))
    assert tree(home, *AGENTS) == before


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def test_hooks_of_others_run_as_before_beside_ours(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    settings_file = home / ".claude" / "settings.json"
    settings_file.write_text(THEIRS, encoding="utf-8")
    install(machine(home))
    now, then = json.loads(settings_file.read_bytes()), json.loads(THEIRS)
    assert now["hooks"]["SessionStart"][0] == then["hooks"]["SessionStart"][0]
    assert now["hooks"]["Stop"] == then["hooks"]["Stop"]
    assert len(now["hooks"]["SessionStart"]) == 2
    assert len(now["hooks"]["SessionEnd"]) == 1
    assert {**now, "hooks": 0} == {**then, "hooks": 0}


def test_codex_gets_its_hooks_where_it_keeps_hooks_already(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    config = home / ".codex" / "config.toml"
    config.write_text(TOML_THEIRS, encoding="utf-8")
    install(machine(home))
    now = tomllib.loads(config.read_text(encoding="utf-8"))["hooks"]
    assert [len(now["SessionStart"]), len(now["SessionEnd"])] == [2, 1]
    assert not (home / ".codex" / "hooks.json").exists()


# What a person or the agent itself does to the text between install and uninstall, and to the text of before.
EDITS = {
    "a value": lambda text: text.replace("opus", "sonnet"),
    "a key at the start": lambda text: text.replace("{\n", '{\n  "theme": "dark",\n', 1),
    "a key at the end": lambda text: text.rstrip()[:-1].rstrip() + ',\n  "theme": "dark"\n}\n',
    "a hook of theirs gone": lambda text: text.replace("say done", "say more"),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("layout", ["spaces", "tabs", "CRLF"])
def test_what_was_changed_in_between_survives_to_the_byte(edit: str, layout: str, tmp_path: Path) -> None:
    home = home_in(tmp_path)
    settings_file = home / ".claude" / "settings.json"
    text = THEIRS.replace("  ", "\t") if layout == "tabs" else THEIRS
    settings_file.write_text(text, encoding="utf-8")
    install(machine(home))
    changed, wanted = EDITS[edit](settings_file.read_text(encoding="utf-8")), EDITS[edit](text)
    if layout == "CRLF":
        changed, wanted = changed.replace("\n", "\r\n"), wanted.replace("\n", "\r\n")
    settings_file.write_bytes(changed.encode())
    install(machine(home))
    assert settings_file.read_bytes() == changed.encode()
    uninstall(machine(home))
    assert settings_file.read_bytes() == wanted.encode()


def test_a_file_we_made_stays_where_the_agent_wrote_into_it(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    install(machine(home))
    settings_file = home / ".claude" / "settings.json"
    now = json.loads(settings_file.read_bytes())
    settings_file.write_text(json.dumps({**now, "model": "opus"}), encoding="utf-8")
    uninstall(machine(home))
    assert json.loads(settings_file.read_bytes()) == {"model": "opus"}


def test_what_codex_notes_in_config_toml_survives(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    config = home / ".codex" / "config.toml"
    config.write_text(TOML_THEIRS, encoding="utf-8")
    install(machine(home))
    noted = '\n[hooks.state."x:session_start:0:0"]\ntrusted_hash = "sha256:1"\n'
    config.write_text(config.read_text(encoding="utf-8") + noted, encoding="utf-8")
    uninstall(machine(home))
    assert config.read_text(encoding="utf-8") == TOML_THEIRS + noted


@needs_attributes
def test_what_settings_have_beside_their_bytes_is_kept_there_and_back(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    path = home / ".claude" / "settings.json"
    path.write_text(THEIRS, encoding="utf-8")
    decorate(path)
    if os.geteuid() == 0:
        os.chown(path, STRANGER, STRANGER)
    before = seen(path)
    install(machine(home))
    assert (seen(path), b"# skillopt-sleep" in path.read_bytes()) == (before, True)
    uninstall(machine(home))
    assert (seen(path), path.read_text(encoding="utf-8")) == (before, THEIRS)


def test_a_folder_the_disk_keeps_is_gone_after_a_second_uninstall(
    tmp_path: Path, refusing: Callable[[Path, int], None]
) -> None:
    home = home_in(tmp_path)
    install(machine(home))
    wants = home / ".config" / "systemd" / "user"
    refusing(wants, 1)
    with pytest.raises(SleepError, match="empty folder") as raised:
        uninstall(machine(home))
    assert str(wants) in raised.value.message
    assert to_reverse(machine(home)) != ()
    uninstall(machine(home))
    assert not (home / ".config").exists()
    assert to_reverse(machine(home)) == ()


def test_an_edited_unit_is_set_aside_not_lost(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    install(machine(home))
    unit = home / ".config" / "systemd" / "user" / "skillopt-sleep.service"
    unit.write_text(unit.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    said = uninstall(machine(home))
    assert not unit.exists()
    copy = ledger_of(machine(home)).folder / "edited-skillopt-sleep.service"
    assert copy.read_text(encoding="utf-8").endswith("# mine\n")
    assert any(str(copy) in line for line in said)


def test_a_unit_of_that_name_that_was_there_before_comes_back(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    unit = home / ".config" / "systemd" / "user" / "skillopt-sleep.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n", encoding="utf-8")
    before = tree(home, *AGENTS)
    install(machine(home))
    uninstall(machine(home))
    assert tree(home, *AGENTS) == before


def test_an_agent_that_isnt_there_gets_no_folder(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    (home / ".codex").rmdir()
    elsewhere = machine(home)
    (home / ".codex").rmdir()
    done = install(elsewhere)
    assert not (home / ".codex").exists()
    assert any("no hooks for codex" in note for note in done.notes)


def test_a_newer_version_replaces_the_hooks_of_the_older_and_still_knows_the_way_back(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    settings_file = home / ".claude" / "settings.json"
    settings_file.write_text(THEIRS, encoding="utf-8")
    install(machine(home)._replace(python="/opt/old/bin/python"))
    assert b"/opt/old/bin/python" in settings_file.read_bytes()
    install(machine(home))
    assert b"/opt/old/bin/python" not in settings_file.read_bytes()
    assert settings_file.read_bytes().count(b"# skillopt-sleep") == 2
    uninstall(machine(home))
    assert settings_file.read_text(encoding="utf-8") == THEIRS


def test_what_carries_our_name_is_found_where_our_own_folder_is_gone(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    settings_file = home / ".claude" / "settings.json"
    settings_file.write_text(THEIRS, encoding="utf-8")
    install(machine(home))
    ledger_of(machine(home)).forget()
    assert len(strays(machine(home))) == 3
    uninstall(machine(home))
    assert settings_file.read_text(encoding="utf-8") == THEIRS
    assert not strays(machine(home))


def test_an_uninstall_of_nothing_does_nothing(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    (home / ".claude" / "settings.json").write_text(THEIRS, encoding="utf-8")
    before = tree(home, *AGENTS, "sleep")
    assert uninstall(machine(home)) == ()
    assert tree(home, *AGENTS, "sleep") == before


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    before = tree(home, *AGENTS, "sleep")
    assert len(plan(machine(home)).changes) == 3
    assert tree(home, *AGENTS, "sleep") == before


@pytest.mark.parametrize("table", [None, "", "MAILTO=me\n5 4 * * * backup 50%\n", "1 2 3 4 5 no newline"])
def test_a_crontab_comes_back_as_it_was(table: str | None, tmp_path: Path) -> None:
    home = home_in(tmp_path)
    program(home, "crontab", CRONTAB)
    if table is not None:
        (home / "table").write_text(table, encoding="utf-8")
    bare = machine(home, has_systemd=False, NO_MANAGER="1")
    install(bare)
    install(bare)
    lines = (home / "table").read_text(encoding="utf-8").splitlines()
    assert lines[:-1] == (table or "").splitlines()
    script = ledger_of(bare).folder / "daemon.sh"
    assert str(script) in lines[-1]
    assert script.exists()
    uninstall(bare)
    assert (home / "table").exists() == (table is not None)
    assert table is None or (home / "table").read_text(encoding="utf-8") == table


TABLE = b"MAILTO=me\n5 4 * * * backup 50\\%\n@daily tidy up\n"


@pytest.fixture
def cron(tmp_path: Path) -> Machine:
    """A machine with cron alone, where an install was made over a table of the user's."""
    home = home_in(tmp_path)
    program(home, "crontab", CRONTAB)
    (home / "table").write_bytes(TABLE)
    bare = machine(home, platform="freebsd14", has_systemd=False)
    install(bare)
    return bare


def table_of(cron: Machine) -> bytes | None:
    table = cron.home / "table"
    return table.read_bytes() if table.exists() else None


def put_table(cron: Machine, data: bytes | None) -> None:
    (cron.home / "table").unlink()
    if data is not None:
        (cron.home / "table").write_bytes(data)


# What a write that was killed leaves, also one by an earlier version of ours, or a cron that doesn't do as it is told.
TORN = {"emptied": b"", "gone": None, "blank": b"\n", "cut within a line": TABLE[:20]}


@pytest.mark.parametrize("torn", TORN)
@pytest.mark.parametrize("then", ["install", "uninstall"])
def test_a_table_that_lost_its_lines_gets_them_back(torn: str, then: str, cron: Machine) -> None:
    put_table(cron, TORN[torn])
    said = install(cron).notes if then == "install" else uninstall(cron)
    assert any("crontab had lost" in one for one in said), said
    now = table_of(cron) or b""
    assert now.startswith(TABLE)
    assert now.count(b"# skillopt-sleep") == (then == "install")
    uninstall(cron)
    assert table_of(cron) == TABLE


def test_lines_that_the_person_took_out_stay_out_and_are_kept_in_a_file(cron: Machine) -> None:
    put_table(cron, (table_of(cron) or b"").replace(b"@daily tidy up\n", b"@weekly tidy up\n"))
    said = uninstall(cron)
    assert table_of(cron) == TABLE.replace(b"@daily", b"@weekly")
    [copy] = ledger_of(cron).folder.glob("crontab-before-*")
    assert copy.read_bytes() == TABLE
    assert any(str(copy) in one for one in said), said


def test_lines_that_the_person_took_out_before_a_second_install_are_kept_too(cron: Machine) -> None:
    put_table(cron, (table_of(cron) or b"").replace(b"@daily tidy up\n", b""))
    said = install(cron).notes
    [copy] = ledger_of(cron).folder.glob("crontab-before-*")
    assert copy.read_bytes() == TABLE
    assert any(str(copy) in one for one in said), said
    assert not any(str(copy) in one for one in install(cron).notes)
    uninstall(cron)
    assert table_of(cron) == TABLE.replace(b"@daily tidy up\n", b"")
    assert copy.read_bytes() == TABLE


def test_what_the_table_was_is_not_forgotten_while_it_cant_be_put_back(cron: Machine) -> None:
    put_table(cron, b"")
    deaf = CRONTAB.replace('cat "$(echo', 'true "$(echo')
    assert deaf != CRONTAB
    program(cron.home, "crontab", deaf)
    for command in (uninstall, install, uninstall):
        with pytest.raises(SleepError, match="isn't what was written") as raised:
            command(cron)
        copy = Path(raised.value.remedy.split(" < ")[-1])
        assert copy.read_bytes().startswith(TABLE)
    program(cron.home, "crontab", CRONTAB)
    uninstall(cron)
    assert table_of(cron) == TABLE


def test_a_saved_table_that_is_damaged_is_never_put_back(cron: Machine) -> None:
    kept = ledger_of(cron).copy(digest(TABLE))
    kept.write_bytes(b"")
    put_table(cron, b"")
    for command in (uninstall, install):
        with pytest.raises(SleepError, match="saved copy") as raised:
            command(cron)
        assert str(kept) in raised.value.message
    assert table_of(cron) == b""


def test_a_crontab_that_cant_be_read_is_never_written(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    program(home, "crontab", '#!/bin/sh\necho "$@" >> "$HOME/asked"\necho broken >&2\nexit 1\n')
    with pytest.raises(SleepError, match="can't be read: broken"):
        install(machine(home, has_systemd=False, NO_MANAGER="1"))
    assert set((home / "asked").read_text(encoding="utf-8").split()) == {"-l"}


# Kills itself just before the change of number AT that is made to any file below its home.
KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from skillopt_sleep.daemon.service.install import install, uninstall
from tests.attributes import STRANGER, decorate, needs_attributes, seen
from tests.installs import machine
home, at, verb = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
given, seen = machine(home), 0
def hook(event, arguments):
    global seen
    writes = event in {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.setxattr"}
    writes |= event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) != 0
    if writes and not str(arguments[0]).endswith(".lock"):
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
{"install": install, "uninstall": uninstall}[verb](given)
print("DONE")
"""


def killed(home: Path, at: int, verb: str) -> bool:
    """Whether the kill came before the end."""
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(home), str(at), verb, root],
        capture_output=True,
        text=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        check=False,
    )
    assert "DONE" in done.stdout or done.returncode == -9, done.stderr
    return done.returncode == -9


@pytest.mark.slow
@pytest.mark.parametrize("step", sampled([8, 1], every=2))
@pytest.mark.parametrize("verb", ["install", "uninstall"])
@pytest.mark.parametrize("then", ["install", "uninstall"])
def test_a_kill_at_any_moment_is_mended_by_running_either_again(
    step: int, verb: str, then: str, tmp_path: Path
) -> None:
    at = 1
    while True:
        home = tmp_path / str(at)
        home.mkdir()
        machine(home)
        (home / ".claude" / "settings.json").write_text(THEIRS, encoding="utf-8")
        before = tree(home, *AGENTS)
        if verb == "uninstall":
            install(machine(home))
        cut = killed(home, at, verb)
        if then == "install":
            install(machine(home))
            assert (home / ".claude" / "settings.json").read_bytes().count(b"# skillopt-sleep") == 2
        uninstall(machine(home))
        assert tree(home, *AGENTS) == before, at
        assert to_reverse(machine(home)) == ()
        if not cut:
            break
        at += step
    assert at > 5


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
groups = st.lists(
    st.fixed_dictionaries({"hooks": st.lists(st.just({"type": "command", "command": "x"}), max_size=2)}), max_size=2
)


@pytest.mark.slow
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    others=st.dictionaries(st.text(max_size=5).filter(lambda key: key != "hooks"), json_values, max_size=3),
    hooks=st.none() | st.dictionaries(st.sampled_from(["SessionStart", "SessionEnd", "Stop"]), groups, max_size=3),
    indent=st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    touched=st.booleans(),
)
def test_any_settings_come_back(
    others: dict,
    hooks: dict | None,
    indent: int | str | None,
    touched: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("home")
    value = others if hooks is None else {**others, "hooks": hooks}
    text = json.dumps(value, indent=indent)
    settings_file = machine(home).home / ".claude" / "settings.json"
    settings_file.write_text(text, encoding="utf-8")
    install(machine(home))
    if touched:
        settings_file.write_bytes(settings_file.read_bytes() + b"\n")
    uninstall(machine(home))
    now = settings_file.read_text(encoding="utf-8")
    assert now == text if not touched else parse(now).value == value


def test_an_uninstall_leaves_no_folder_of_its_own(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    install(machine(home))
    uninstall(machine(home))
    assert not (machine(home).paths.state / "install").exists()
