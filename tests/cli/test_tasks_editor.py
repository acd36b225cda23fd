"""Tasks in a person's editor, which is a script here."""

from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Split
from tests.builders import a_task
from tests.command import Home
from tests.stores.opening import open_at, seal


class Desk(Home):
    """A home with an editor that runs a line of shell on the file, `$1`."""

    editing = "true"

    @property
    def environment(self) -> dict[str, str]:
        script = self.folder / "my editor"
        script.write_text(f"#!/bin/sh\n{self.editing}\n")
        script.chmod(0o700)
        return super().environment | {"EDITOR": f"'{script}'" if self.editing else ""}

    def edit(self, how: str, *more: str) -> Any:
        self.editing = how
        return self.command("tasks", *(more or ("edit", "abc")))

    @property
    def drafts(self) -> list[Path]:
        return list((self.folder / "sleep" / "data" / "edits").glob("*"))

    def task(self) -> Any:
        return self.command("tasks", "show", "abc", "--json").json


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    store = open_at(tmp_path / "sleep" / "data", clock=utc_now)
    with store.open_night() as page:
        seal(page, tasks=(a_task(id="abc123", lesson="c", split=Split.TRAIN),))
    store.close()
    return made


def test_an_editor_that_is_started_within_an_agent_s_session_is_no_part_of_it(desk: Desk) -> None:
    # What Claude Code and Codex give the commands they run, and beside it what the person set.
    inherited = {
        **dict.fromkeys(("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID"), "1"),
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_PID": "7",
        "AI_AGENT": "claude",
        "CODEX_THREAD_ID": "t",
    }
    kept = {"CLAUDE_CODE_USE_BEDROCK": "1", "CODEX_CA_CERTIFICATE": "/etc/ssl/mine.pem"}
    desk.editing = f"env > {desk.folder}/seen"
    desk.command("tasks", "edit", "abc", **inherited, **kept)
    seen = dict(line.split("=", 1) for line in (desk.folder / "seen").read_text().splitlines() if "=" in line)
    assert inherited.keys() & seen.keys() == set()
    assert kept.items() <= seen.items()


def test_the_task_is_edited_as_a_tasks_file(desk: Desk) -> None:
    done = desk.edit(f'cp "$1" {desk.folder}/seen; sed -i "s/Install/Update/; s/pnpm/yarn/" "$1"')
    assert done.code == 0
    task = desk.task()
    assert task["prompt"] == "Update the dependencies of this project."
    assert task["reference"]["items"][0]["arg"] == "yarn"
    assert (task["id"], task["session"], task["lesson"]) == ("abc123", "claude_code:s1", "c")
    seen = (desk.folder / "seen").read_text()
    assert seen.startswith("# Save and close to keep")
    assert '[[task]]\nid = "abc123"\n' in seen
    assert desk.drafts == []


@pytest.mark.parametrize("how", ["true", ': > "$1"'])
def test_a_file_left_as_it_was_or_emptied_changes_nothing(desk: Desk, how: str) -> None:
    before = desk.task()
    done = desk.edit(how)
    assert done.code == 0
    assert "not changed" in done.out
    assert desk.task() == before
    assert desk.drafts == []


def test_an_editor_that_fails_changes_nothing_and_is_named(desk: Desk) -> None:
    before = desk.task()
    done = desk.edit("false")
    assert (done.code, desk.task()) == (2, before)
    assert "the editor failed" in done.err


@pytest.mark.slow
def test_what_cannot_be_used_is_kept_and_gone_on_with(desk: Desk) -> None:
    before = desk.task()
    done = desk.edit('sed -i "s/contains/contain/; s/Install/Update/" "$1"')
    assert done.code == 2
    (draft,) = desk.drafts
    assert "Invalid enum value 'contain'" in done.err
    assert str(draft) in done.err.splitlines()[1]
    assert draft.stat().st_mode & 0o777 == 0o600
    assert desk.task() == before

    done = desk.edit('sed -i "s/\\"contain\\"/\\"contains\\"/" "$1"')
    assert "continuing with what you wrote before" in done.err
    assert desk.task()["prompt"].startswith("Update")
    assert desk.drafts == []


NOT_USABLE = (
    ('[[task]]\nprompt = "x"\nreference = {kind = "checks", items = [{op = "json_valid"}]}', "nothing but a shape"),
    ('[[task]]\nprompt = "x"\nreference = {kind = "checks", items = [{op = "regex", arg = "("}]}', "regular expr"),
    ('[[task]]\nprompt = "x"\nreference = {kind = "checks", items = [{op = "has", arg = "y"}]}', "'has'"),
    ('[[task]]\nid = "abd456"\nprompt = "x"\nreference = {kind = "exact", answer = "y"}', "is not abc123"),
    ("#", "has 0 tasks, not 1"),
)


@pytest.mark.slow
def test_what_cannot_be_used_changes_nothing_and_says_why(desk: Desk) -> None:
    before = desk.task()
    for text, said in NOT_USABLE:
        (desk.folder / "written.toml").write_text(text)
        done = desk.edit(f'cp "{desk.folder}/written.toml" "$1"')
        assert done.code == 2, said
        assert said in done.err
        for draft in desk.drafts:
            draft.unlink()
    assert desk.task() == before


def test_what_was_written_is_kept_when_the_editor_fails(desk: Desk) -> None:
    done = desk.edit('sed -i "s/Install/Update/" "$1"; exit 3')
    assert done.code == 2
    assert "exited with 3" in done.err
    assert "Update" in desk.drafts[0].read_text()


def test_without_an_editor_the_other_ways_are_named(desk: Desk) -> None:
    done = desk.edit("")
    assert done.code == 2
    assert "no editor is set" in done.err
