from pathlib import Path

import pytest

from skillopt_sleep.keeping import files
from skillopt_sleep.kit.sought import Sought
from skillopt_sleep.settings import Paths

WORDS = Sought(ids=frozenset({"codex:1"}), phrases=("blue whale",))


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(config=tmp_path, data=tmp_path / "data")


def _put(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_every_other_file_that_holds_it_is_found(paths: Paths) -> None:
    held = [
        _put(paths.handoff / "open" / "01-mine-ab.md", "They said: the Blue whale"),
        _put(paths.data / "sleep.db.corrupt-20260101T000000", "SQLite\0codex:1\0"),
        _put(paths.data / "unknown" / "x.json", '{"session": "codex:1"}'),
        _put(paths.spool / "codex" / "1.ended", "1.0"),
        _put(paths.spool / "codex" / "2.started", "/r/blue whale\nc0ffee"),
        _put(paths.spool / "codex" / "2.ended", "1.0"),
    ]
    _put(paths.handoff / "README.md", "how to answer")
    _put(paths.spool / "codex" / "12.ended", "1.0")
    _put(paths.projects / "ab.toml", 'exclude = ["blue whale"]')
    _put(paths.data / "sleep.db", "codex:1")
    assert sorted(files.other_files(paths, WORDS, sessions=["codex:1"])) == sorted(held)


def test_lines_of_logs_go_by_what_they_hold_and_by_their_night(paths: Paths) -> None:
    stays = '{"event": "night ends", "night": "n2"}\n'
    log = _put(
        paths.log, stays + '{"event": "trouble", "because": "a blue whale"}\n{"event": "x", "night": "n1"}\nhalf a li'
    )
    older = _put(paths.logs / f"{paths.log.name}.1", stays)
    left = files.logs_with(paths, WORDS, nights=["n1"])
    assert left == {log: stays.encode()}
    files.rewrite(left)
    assert log.read_text(encoding="utf-8") == stays
    crash = _put(paths.logs / "crash.log", "Traceback")
    assert files.free_text(paths) == [crash]
    assert older.exists()


def test_a_rule_counts_only_where_its_document_is_named(tmp_path: Path) -> None:
    sweep = files.Sweep(WORDS, Sought(phrases=("use pnpm, never npm",)), Sought(ids=frozenset({"/w/CLAUDE.md"})))
    rule = _put(tmp_path / "a" / "result", "# Rules\n- Use pnpm, never npm.\n")
    assert files.folders_with(sweep, [tmp_path / "a"]) == []
    _put(tmp_path / "a" / "proposal.json", '{"path": "/w/CLAUDE.md"}')
    assert files.folders_with(sweep, [tmp_path / "a"]) == [tmp_path / "a"]
    files.delete([rule, tmp_path / "a", tmp_path / "gone"])
    assert not (tmp_path / "a").exists()


def test_a_read_only_folder_is_deleted_too_and_what_cant_be_is_an_error(tmp_path: Path) -> None:
    locked = _put(tmp_path / "base-1" / "locked" / "file", "x").parent
    locked.chmod(0o555)
    files.delete([tmp_path / "base-1"])
    assert not (tmp_path / "base-1").exists()
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OSError, match="link"):
        files.delete([tmp_path / "link"])
