"""Several trainings are drawn over one another, told apart by more than colour, with what differs in them."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.trainer.plot import page_of_several, place_of_several
from skillopt_sleep.trainer.plot.several import KINDS, kind_of
from tests.colours import AA, colours_of, contrast
from tests.drawn import Elements, refuse_what_loads_or_runs, text_of
from tests.framed import BROWSER, framed
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

RUNS: Mapping[str, Mapping[str, dict[str, Any]]] = {
    "strict": {"evaluation": {"confirm": True}},
    "greedy": {"evaluation": {"gate": "greedy", "confirm": True}, "optimizer": {"edit_budget": 2}},
    "short <i>": {"train": {"epochs": 1, "seed": 8}},
}


class Stopped(BaseException):
    """Ends a training in its middle."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    home = tmp_path_factory.mktemp("runs")
    for name, sections in RUNS.items():
        a_trainer(home / name, config=a_config(**sections)).train()

    def stop(prompt: object, number: int) -> None:
        if number > 60:
            raise Stopped

    with pytest.raises(Stopped):
        a_trainer(home / "stopped", Scripted(stop)).train()
    return tuple(home / name for name in (*RUNS, "stopped"))


@pytest.fixture(scope="module")
def drawn(runs: tuple[Path, ...]) -> str:
    return page_of_several(runs)


def test_nothing_is_loaded_or_run_and_every_text_is_escaped(drawn: str) -> None:
    refuse_what_loads_or_runs(drawn)
    assert "3 short &lt;i&gt;" in drawn
    assert "i" not in {tag for tag, _ in Elements(drawn).found}


def test_each_line_has_a_dash_and_ends_with_its_number(drawn: str) -> None:
    lines = re.findall(r'<polyline class="line (run-\d)"[^>]* points="([^"]*)"', drawn)
    assert [kind for kind, _ in lines] == ["run-1", "run-2", "run-3", "run-4"]
    numbers = re.findall(
        r'<text class="line (run-\d)" x="([\d.]+)%" dx="6" y="([\d.]+)%" dy="0.32em">(\d)</text>', drawn
    )
    assert [number for _, _, _, number in numbers] == ["1", "2", "3", "4"]
    for (_, points), (_, x, _, _) in zip(lines, numbers, strict=True):
        assert points.split()[-1].split(",")[0] == x
    dashes = re.findall(r"^\.run-\d \{[^}]*?(--dash: [^;]*)?; \}$", drawn, re.MULTILINE)
    assert len(set(dashes)) == KINDS


def test_numbers_that_would_hide_one_another_stand_apart(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        a_trainer(tmp_path / name, config=a_config(train={"epochs": 1})).train()
    page = page_of_several([tmp_path / name for name in ("one", "two", "three")])
    heights = [float(at) for at in re.findall(r'<text class="line [^>]* y="([\d.]+)%" dy', page)]
    assert heights[1] - heights[0] >= 5
    assert heights[2] - heights[1] >= 5
    assert "Nothing that can change a result." in page


def test_what_is_reported_of_each_has_its_interval_and_n(drawn: str) -> None:
    text = text_of(drawn)
    assert re.search(r"1 strict toy, scripted, gate strict 1\.000 0\.\d\d to 1\.00 \(n=8, \d tried\) 1\.000", text)
    assert re.search(r"3 short <i> .*? of the pass that chose it", text)
    assert re.search(r"4 stopped toy, scripted, gate strict not finished not measured", text)
    assert re.search(r"\d+ calls paid, \$0\.\d+", text)
    assert drawn.count("<circle") == 3


def test_what_differs_in_their_settings_is_a_table(drawn: str) -> None:
    text = text_of(drawn)
    assert "evaluation.gate strict greedy strict strict" in text
    assert "optimizer.edit_budget 1 2 1 1" in text
    assert "train.seed 7 7 8 7" in text
    assert "train.folder" not in text


def test_scores_on_other_items_or_by_another_metric_are_not_compared(runs: tuple[Path, ...], tmp_path: Path) -> None:
    assert "can't be compared" not in page_of_several(runs)
    config = a_config(train={"epochs": 1}, evaluation={"metric": "soft"})
    a_trainer(tmp_path / "other", env=Toy(sizes={"val": 7}), config=config).train()
    page = page_of_several([runs[0], tmp_path / "other"])
    assert "They differ in val items and metric, so their scores can't be compared." in page


def test_trainings_of_one_name_are_told_apart_by_their_way(tmp_path: Path) -> None:
    folders = [tmp_path / place / "run" for place in ("here", "there")]
    for folder in folders:
        a_trainer(folder, config=a_config(train={"epochs": 1})).train()
    page = page_of_several(folders)
    assert "1 here/run" in page
    assert "2 there/run" in page
    assert place_of_several(folders) == tmp_path / "runs-plot.html"
    with pytest.raises(ConfigError, match="named twice"):
        page_of_several([folders[0], tmp_path / "there" / ".." / "here" / "run"])
    with pytest.raises(ConfigError, match="holds no run"):
        page_of_several([folders[0], tmp_path])


def test_beyond_the_colours_the_numbers_go_on() -> None:
    assert [kind_of(number) for number in (1, KINDS, KINDS + 1)] == [1, KINDS, 1]


@pytest.mark.parametrize("is_dark", [False, True])
def test_every_colour_can_be_read_on_its_paper(drawn: str, *, is_dark: bool) -> None:
    colours = colours_of(drawn, is_dark=is_dark)
    for kind in range(1, KINDS + 1):
        assert contrast(colours[f"run-{kind}"], colours["paper"]) >= AA


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which(BROWSER), reason="chromium isn't installed")
@pytest.mark.parametrize("width", [390, 1440])
def test_in_a_browser_the_page_is_no_wider_than_its_window(drawn: str, width: int, tmp_path: Path) -> None:
    wide, window = framed(drawn, width, tmp_path)
    assert 0 < wide == window <= width
