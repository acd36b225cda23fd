import re
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.cli.train_shown import summary_lines
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.trainer.plot import page
from skillopt_sleep.trainer.summary import Summary
from tests.colours import AA, colours_of, contrast
from tests.drawn import Elements, refuse_what_loads_or_runs
from tests.framed import BROWSER, framed
from tests.trainer.toy import Scripted, a_config, a_trainer

HOSTILE = "</td></table><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "one"
    a_trainer(folder, config=a_config("default", train={"epochs": 2})).train()
    return folder


@pytest.fixture(scope="module")
def drawn(run: Path) -> str:
    return page(run)


def test_nothing_is_loaded_or_run(drawn: str) -> None:
    refuse_what_loads_or_runs(drawn)


def test_text_of_models_and_data_is_escaped_and_redacted(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(run, folder)
    said = HOSTILE.replace('"', "'")
    for path in (folder / "history.json", folder / "config.json", folder / "summary.json"):
        text = path.read_text(encoding="utf-8")
        text = text.replace("- Say alpha.", f"- Say {said} AKIAIOSFODNN7REALKEY.").replace('"toy"', f'"{said}"')
        path.write_text(text.replace("where", said), encoding="utf-8")
    hostile = page(folder)
    assert not {"script", "img"} & {tag for tag, _ in Elements(hostile).found}
    assert hostile.count("&lt;script&gt;alert(1)") >= 2
    assert "AKIAIOSFODNN7REALKEY" not in hostile


def test_the_page_ends_with_what_may_be_said_of_the_best_skill(drawn: str) -> None:
    text = re.sub(r"<[^>]+>", "", drawn)
    assert "best on items like val" in text
    assert re.search(r"90 % interval 0\.\d{3} to 1\.000 \(n=8\), corrected for the \d skills that were tried", text)
    assert "error rate unknown" in text


def test_the_page_and_the_command_line_say_what_was_taken_off_for_luck(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "lucky"
    shutil.copytree(run, folder)
    summary = from_json((folder / "summary.json").read_bytes(), Summary)
    assert summary.reported is not None
    lucky = replace(summary, reported=replace(summary.reported, mean=0.875, selection_bias=0.125))
    (folder / "summary.json").write_bytes(to_json(lucky))
    lines = "\n".join(summary_lines(lucky, None))
    text = re.sub(r"<[^>]+>", "", page(folder))
    assert "Measured 1.000; 0.125 of it is put down to the luck of being chosen." in text
    assert "best on items like val: 0.875 (1.000 less 0.125 for the luck of being chosen), 90 % interval" in lines


def test_every_step_edit_skill_and_stage_is_on_the_page(drawn: str) -> None:
    for number in range(1, 5):
        assert f"step {number}" in drawn
    assert drawn.count('<td class="kept">applied') == 4
    assert "- Say alpha." in drawn
    for stage in ("train", "val", "test", "reflect"):
        assert re.search(rf'<th scope="row">{stage}</th>', drawn)


def test_a_training_that_is_not_finished_is_drawn_so_far(tmp_path: Path) -> None:
    class Stopped(BaseException):
        pass

    def stop(prompt: object, number: int) -> None:
        if number > 60:
            raise Stopped

    with pytest.raises(Stopped):
        a_trainer(tmp_path, Scripted(stop)).train()
    drawn = page(tmp_path)
    assert "Not finished" in drawn
    assert "reported best" not in drawn


def test_a_training_without_a_step_is_refused(tmp_path: Path) -> None:
    a_trainer(tmp_path).train()
    (tmp_path / "history.json").unlink()
    with pytest.raises(ConfigError, match="no step yet"):
        page(tmp_path)


@pytest.mark.parametrize("is_dark", [False, True])
def test_every_colour_of_text_and_curves_can_be_read_on_its_paper(drawn: str, *, is_dark: bool) -> None:
    colours = colours_of(drawn, is_dark=is_dark)
    for name in ("ink", "soft", "train", "val", "test", "act", "care"):
        assert contrast(colours[name], colours["paper"]) >= AA
    assert contrast(colours["act"], colours["act-paper"]) >= AA
    assert contrast(colours["care"], colours["care-paper"]) >= AA


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which(BROWSER), reason="chromium isn't installed")
@pytest.mark.parametrize("width", [390, 1440])
def test_in_a_browser_the_page_says_no_error_and_is_no_wider_than_its_window(
    drawn: str, width: int, tmp_path: Path
) -> None:
    wide, window = framed(drawn, width, tmp_path)
    assert 0 < wide == window <= width
