from pathlib import Path

import pytest

from skillopt_sleep.cli.init_written import checked, merged, write
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import Paths


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(config=tmp_path / "config", data=tmp_path / "data")


def test_what_was_chosen_comes_over_what_was_there_and_the_rest_stays() -> None:
    before = {"budget": {"calls": 10, "minutes": 5}, "gate": {"alpha": 0.01}}
    assert merged(before, {"budget": {"calls": 20}}) == {
        "budget": {"calls": 20, "minutes": 5},
        "gate": {"alpha": 0.01},
    }
    assert before["budget"]["calls"] == 10


def test_another_backend_is_given_nothing_of_the_one_before() -> None:
    before = {"backend": {"name": "openai", "model": "m", "base_url": "http://x", "confirmed": True}}
    assert merged(before, {"backend": {"name": "claude"}}) == {"backend": {"name": "claude"}}
    assert merged(before, {"backend": {"name": "openai", "model": "n"}})["backend"]["confirmed"]


def test_nobody_to_answer_leaves_no_backend_behind() -> None:
    assert merged({"backend": {"name": "claude", "confirmed": True}}, {"backend": {"name": ""}}) == {}


def test_what_the_loader_would_refuse_is_refused_without_a_word_of_the_file_it_was_tried_in() -> None:
    with pytest.raises(ConfigError) as error:
        checked({"budget": {"calls": -1}})
    assert error.value.message.startswith("budget.calls must be")


def test_a_link_to_the_file_stays_a_link(paths: Paths, tmp_path: Path) -> None:
    mine = tmp_path / "dotfiles" / "sleep.toml"
    mine.parent.mkdir()
    mine.write_text("# old\n", encoding="utf-8")
    paths.config.mkdir()
    paths.config_file.symlink_to(mine)
    done = write(paths, "# new\n")
    assert paths.config_file.is_symlink()
    assert mine.read_text(encoding="utf-8") == "# new\n"
    assert done.backup is not None
    assert done.backup.read_text(encoding="utf-8") == "# old\n"


def test_no_backup_is_ever_overwritten(paths: Paths) -> None:
    texts = [f"# {number}\n" for number in range(5)]
    backups = [write(paths, text).backup for text in texts]
    assert backups[0] is None
    assert [backup.read_text(encoding="utf-8") for backup in backups[1:] if backup] == texts[:4]
