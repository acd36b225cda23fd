import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

from skillopt_sleep.web.pages.trainings import trainings
from tests.command import Home
from tests.trainer.toy import a_config, a_trainer
from tests.web.dashboard import entered, visible_text


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished training, one that goes on, and one that can't be read."""
    folder = tmp_path_factory.mktemp("runs")
    a_trainer(folder / "one", config=a_config()).train()
    shutil.copytree(folder / "one", folder / "two")
    (folder / "two" / "summary.json").unlink()
    (folder / "odd").mkdir()
    (folder / "odd" / "config.json").write_text("{", encoding="utf-8")
    (folder / "odd" / "calls.db").touch()
    return folder


def test_the_trainings_of_a_folder_are_listed_with_their_scores(runs: Path) -> None:
    view = trainings(runs)
    rows = {row.name: row for row in view.rows}
    assert (rows["one"].state, rows["one"].is_drawn) == ("finished", True)
    assert "interval" in rows["one"].score
    assert "n=" in rows["one"].score
    assert rows["two"].state.startswith("not finished: ")
    assert rows["two"].score == ""
    assert (rows["odd"].state, rows["odd"].is_drawn) == ("can't be read", False)
    assert trainings(runs / "nowhere").problem


def test_a_training_is_drawn_and_loaded_again_while_it_goes_on(runs: Path, tmp_path: Path) -> None:
    one, two = (quote(str(runs / name)) for name in ("one", "two"))
    with entered(Home(tmp_path)) as dashboard:
        listed = visible_text(dashboard.get(f"/trainings?folder={quote(str(runs))}").text)
        finished = dashboard.get(f"/trainings/runs?run={one}")
        going_on = dashboard.get(f"/trainings/runs?run={two}")
        both = dashboard.get(f"/trainings/runs?run={one}&run={two}")
        odd = [dashboard.get(f"/trainings/runs{query}").status for query in ("", "?run=/etc", "?run=../..", "?run=.")]
        nowhere = dashboard.get("/trainings?folder=/no/such/folder")
    assert "not finished" in listed
    assert "Scores by calls" in finished.text
    assert "style-src 'sha256-" in finished.headers["content-security-policy"]
    assert "refresh" not in finished.headers
    assert going_on.headers["refresh"] == "10"
    assert both.status == 200
    assert odd == [404, 404, 404, 404]
    assert "There is no folder" in nowhere.text
