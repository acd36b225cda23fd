from pathlib import Path

import pytest

from skillopt_sleep.keeping import files
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.quotes import PurgeSearch

WORDS = PurgeSearch(ids=frozenset({"codex:1"}), phrases=("blue whale",))


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
        _put(paths.data / "sleep.db.aside-20260101T000000", "SQLite\0codex:1\0"),
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


def test_all_logs_are_found_but_not_their_lock(paths: Paths) -> None:
    found = [
        _put(paths.log, "{}"),
        _put(paths.logs / f"{paths.log.name}.1", "{}"),
        _put(paths.logs / "crash.log", ""),
    ]
    _put(paths.logs / f"{paths.log.name}.lock", "")
    assert sorted(files.logs(paths)) == sorted(found)


def test_a_rule_counts_only_where_its_document_is_named(tmp_path: Path) -> None:
    sweep = files.Sweep(
        WORDS, PurgeSearch(phrases=("use pnpm, never npm",)), PurgeSearch(ids=frozenset({"/w/CLAUDE.md"}))
    )
    rule = _put(tmp_path / "a" / "result", "# Rules\n- Use pnpm, never npm.\n")
    assert not sweep.is_in_folder(tmp_path / "a")
    _put(tmp_path / "a" / "proposal.json", '{"path": "/w/CLAUDE.md"}')
    assert sweep.is_in_folder(tmp_path / "a")
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
