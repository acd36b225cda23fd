"""What a person writes in their editor is used or kept, never lost."""

from pathlib import Path

import pytest

from skillopt_sleep.cli.editor import in_editor
from skillopt_sleep.errors import ConfigError, UnsafeEdit


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SKILLOPT_SLEEP_HOME", str(tmp_path))
    monkeypatch.delenv("VISUAL", raising=False)
    return tmp_path / "data" / "edits"


def writes(monkeypatch: pytest.MonkeyPatch, folder: Path, line: str, *, code: int = 0) -> None:
    script = folder / "editor"
    script.write_text(f"#!/bin/sh\n{line}\nexit {code}\n")
    script.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(script))


def test_what_was_written_is_yielded_and_then_deleted(
    drafts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes(monkeypatch, tmp_path, 'echo mine > "$1"')
    with in_editor("rule.md", "old") as path:
        assert path
        assert path.read_text(encoding="utf-8") == "mine\n"
    assert list(drafts.iterdir()) == []


def test_what_is_refused_is_kept_and_gone_on_with(
    drafts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes(monkeypatch, tmp_path, 'echo mine >> "$1"')
    for written in ("old\nmine\n", "old\nmine\nmine\n"):
        with pytest.raises(ConfigError, match="no") as caught, in_editor("rule.md", "old\n"):
            raise UnsafeEdit("no", remedy="")
        assert str(drafts / "rule.md") in caught.value.remedy
        assert (drafts / "rule.md").read_text(encoding="utf-8") == written


@pytest.mark.parametrize(("line", "code"), [("true", 0), (': > "$1"', 0)])
def test_nothing_written_is_nothing_changed(
    drafts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, code: int
) -> None:
    writes(monkeypatch, tmp_path, line, code=code)
    with in_editor("rule.md", "old") as path:
        assert path is None
    assert list(drafts.iterdir()) == []


def test_an_editor_that_fails_or_is_missing_is_told(
    drafts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes(monkeypatch, tmp_path, 'echo mine > "$1"', code=1)
    with pytest.raises(ConfigError, match=r"the editor failed: .* exited with 1"), in_editor("rule.md", "old"):
        pass
    assert (drafts / "rule.md").exists()
    for setting, message in (("no-such-program", "No such file"), ("'", "No closing"), ("", "no editor is set")):
        monkeypatch.setenv("EDITOR", setting)
        with pytest.raises(ConfigError, match=message), in_editor("rule.md", "old"):
            pass


def test_an_editor_that_fails_without_a_word_is_told_and_leaves_nothing(
    drafts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes(monkeypatch, tmp_path, "true", code=3)
    with pytest.raises(ConfigError, match=r"the editor failed: .* exited with 3"), in_editor("rule.md", "old"):
        pass
    assert list(drafts.iterdir()) == []
