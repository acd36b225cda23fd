import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.command import Home
from tests.sessions import Exchange, claude_session, codex_session

CORRECTED = ("create a run script", "no, use pnpm, never npm")


def hours_ago(hours: float) -> datetime:
    return datetime.now(UTC).replace(microsecond=0) - timedelta(hours=hours)


def adds_up(answer: dict[str, Any]) -> bool:
    places = len(answer["sessions"]) + sum(answer["skipped"].values()) + answer["doubles"] + answer["task_files"]
    return bool(answer["files"] == places)


def a_whole_history(home: Home) -> None:
    """Every kind of file there is, but for what a person may not read."""
    home.had_sessions([CORRECTED, ("write the notes", "no, shorter please")], days_ago=3)
    home.had_sessions_in(home.folder / "work" / "old-shop", [CORRECTED], days_ago=40)
    home.had_sessions_in(home.folder / "work" / "secret", [CORRECTED], days_ago=2)
    projects, cwd = home.folder / ".claude" / "projects", str(home.project)
    talk = [Exchange("hello", "Hello."), Exchange("thanks", "You are welcome.")]
    first = claude_session(projects, cwd=cwd, started=hours_ago(30), exchanges=talk)
    claude_session(projects, cwd=cwd, started=hours_ago(9), exchanges=talk[:1], headless=True)
    claude_session(projects, cwd=cwd, started=hours_ago(29), exchanges=talk[:1], subagent_of=first)
    claude_session(projects, cwd=cwd, started=hours_ago(0.02), exchanges=[Exchange("add a test", "Added.")])
    (first.parent / "copied.jsonl").write_bytes(first.read_bytes())
    torn = claude_session(projects, cwd=cwd, started=hours_ago(20), exchanges=[Exchange("fix the build", "Fixed.")])
    torn.write_bytes(torn.read_bytes() + b'{"type":"user" broken\n{"type":"user","message":7}\n')
    exchanges = [Exchange("rename it", "Renamed.")]
    live = codex_session(home.folder / ".codex", cwd=cwd, started=hours_ago(50), exchanges=exchanges)
    (home.folder / ".codex" / "archived_sessions").mkdir()
    (home.folder / ".codex" / "archived_sessions" / live.name).write_bytes(live.read_bytes())
    tasks = home.folder / "tasks.toml"
    tasks.write_text('[[task]]\nprompt = "x"\n[task.reference]\nkind = "rubric"\ntext = "y"\n', encoding="utf-8")
    (home.folder / "sleep").mkdir()
    (home.folder / "sleep" / "config.toml").write_text(
        f'[harvest]\ntasks_files = ["{tasks}", "{home.folder}/none.toml"]\n[projects]\nexclude = ["secret"]\n',
        encoding="utf-8",
    )


def test_it_lists_every_session_with_what_was_typed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([CORRECTED])
    answer = home.command("harvest", "--json").json
    (session,) = answer["sessions"]
    assert session["id"].startswith("claude_code:")
    assert session["project"] == str(home.project)
    assert tuple(t["text"] for t in session["turns"] if t["origin"] == "user") == CORRECTED
    assert (session["tools"], session["errors"]) == (1, 0)
    assert answer["skipped"] == {}
    assert (answer["files"], answer["prompts"], answer["may_hold_a_lesson"], answer["damaged"]) == (1, 2, 1, 0)
    row = {"source": "claude_code", "project": str(home.project), "files": 1, "sessions": 1}
    assert answer["account"] == [{**row, "prompts": 2}]


@pytest.mark.slow
def test_what_a_program_started_is_counted_and_read_only_when_asked_for(tmp_path: Path) -> None:
    home = Home(tmp_path)
    folder = tmp_path / ".claude" / "projects"
    exchanges = [Exchange("hi", "ho")]
    claude_session(folder, cwd=str(home.project), started=hours_ago(5), exchanges=exchanges, headless=True)
    answer = home.command("harvest", "--json").json
    assert (answer["sessions"], answer["skipped"]) == ([], {"headless": 1})
    assert len(home.command("harvest", "--include-headless", "--json").json["sessions"]) == 1
    assert "1 headless: started by a program, not a person (--include-headless)" in home.command("harvest").out


def test_old_sessions_are_shown_although_the_first_night_would_not_read_them(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([CORRECTED], days_ago=40)
    assert len(home.command("harvest", "--json").json["sessions"]) == 1
    assert "The next night reads 0 of the 1 session (1 older than 30d)." in home.command("harvest").out


def test_a_whole_history_is_told_on_one_page_that_adds_up(tmp_path: Path) -> None:
    home = Home(tmp_path)
    a_whole_history(home)
    answer = home.command("harvest", "--json").json
    assert adds_up(answer)
    told = home.command("harvest")
    assert told.err == ""
    lines = told.out.splitlines()
    assert lines[0] == "14 files → 6 sessions → 10 prompts"
    assert "Left out, 8 files:" in lines
    others = [line.removeprefix("- ") for line in lines if re.match(r"- \d", line)]
    assert sum(int(line.split()[0]) for line in others) == 8
    assert [line.partition(":")[0].partition(" ")[2] for line in others] == [
        *("active", "doubles", "excluded", "headless", "no_user_turn", "subagent", "tasks files", "unreadable"),
    ]


@pytest.mark.slow
def test_a_folder_that_can_not_be_read_is_told_of_everywhere_and_nothing_read_in_it_is_lost(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    assert home.command("harvest", "--json").json["errors"] == []
    # A link to itself refuses root too.
    projects, aside = tmp_path / ".claude" / "projects", tmp_path / "aside"
    projects.rename(aside)
    projects.symlink_to("projects")

    told = home.command("harvest").out
    assert told.startswith("5 files → 5 sessions")
    assert f"{projects}: the folder can't be read" in told
    assert "→ make it readable" in told
    (error,) = home.command("harvest", "--json").json["errors"]
    assert error.startswith(f"{projects}: ")
    assert f"{projects}: the folder can't be read" in home.command("run", "--plan").out
    assert f"{projects}: the folder can't be read" in home.command("doctor").out.replace("\n" + " " * 12, " ")

    night = home.command("run", "--backend", "simulated")
    assert night.code == 3
    report = home.command("report").out.replace("\\_", "_")
    assert f"Error: {projects}: the folder can't be read" in report
    assert home.command("report", "--json").json["found"]["sessions"]["used"] == 5


@pytest.mark.slow
def test_a_night_that_could_not_look_does_not_say_that_nothing_went_wrong(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "projects").symlink_to("projects")

    home.command("run", "--backend", "simulated")

    report = home.command("report").out.replace("\\_", "_")
    assert f"No new session could be read: {tmp_path / '.claude' / 'projects'}: the folder can't be read" in report


@pytest.mark.slow
def test_a_folder_of_a_strange_name_is_spelled_out_wherever_it_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions_in(tmp_path / "work" / "a\x1b[31m\nb", [CORRECTED, ("write notes", "no, use pnpm, never npm")])
    (session, _) = home.command("harvest", "--json").json["sessions"]
    for command in (
        ("harvest",),
        ("harvest", "--why", session["id"]),
        ("run", "--plan"),
        ("run", "--backend", "simulated"),
        ("tasks", "list"),
        ("report", "--list"),
        ("status",),
        ("report",),
    ):
        out = home.command(*command).out
        assert "1B" in out, command
        assert "\x1b" not in out
        assert "\nb" not in out


def test_nothing_to_read_says_where_it_looked(tmp_path: Path) -> None:
    out = Home(tmp_path).command("harvest").out
    assert "~/.claude/projects" in out
    assert "CODEX_HOME" in out


def test_a_history_of_nothing_but_programs_is_no_empty_table(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for hours in (5, 6):
        folder, exchanges = tmp_path / ".claude" / "projects", [Exchange("hi", "ho")]
        claude_session(folder, cwd=str(home.project), started=hours_ago(hours), exchanges=exchanges, headless=True)
    out = home.command("harvest").out
    assert out.startswith(
        "2 files → 0 sessions → 0 prompts\nLeft out, 2 files:\n\n- 2 headless: started by a program"
    )
    assert "may hold a lesson" not in out


def test_one_session_is_explained(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([CORRECTED])
    (path,) = (tmp_path / ".claude").rglob("*.jsonl")
    out = home.command("harvest", "--why", path.stem[:8]).out
    assert out.startswith(f"claude_code:{path.stem}: used\n")
    assert f"file         {path}\n" in out
    assert "   0  request              create a run script\n" in out
    assert "correction of 0      no, use pnpm, never npm\n" in out
    answer = home.command("harvest", "--why", str(path), "--json").json
    assert (answer["used"], answer["left_out"], answer["file"]) == (True, None, str(path))
    assert [turn["taken_for"] for turn in answer["turns"]] == ["request", "correction"]


def test_a_name_of_no_or_several_sessions_is_one_clear_line(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions([CORRECTED, ("write the notes", "no, shorter please")])
    done = home.command("harvest", "--why", "claude_code:")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("skillopt-sleep: 2 sessions have 'claude_code:' in their id or file: claude_code:")
    assert "type more of the id" in done.err
    done = home.command("harvest", "--why", "nothing-like-it")
    assert done.code == 2
    assert "no session has 'nothing-like-it' in its id or file" in done.err


def test_sessions_in_a_worktree_are_those_of_the_repository(tmp_path: Path) -> None:
    home = Home(tmp_path)
    worktree = tmp_path / "work" / "fix"
    inner = home.project / ".git" / "worktrees" / "fix"
    inner.mkdir(parents=True)
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {inner}\n", encoding="utf-8")
    (inner / "gitdir").write_text(f"{worktree}{os.sep}.git\n", encoding="utf-8")
    home.had_sessions_in(worktree, [CORRECTED])
    home.had_sessions([("write the notes", "no, shorter please")])
    (row,) = home.command("harvest", "--json").json["account"]
    assert (row["project"], row["sessions"]) == (str(home.project), 2)
