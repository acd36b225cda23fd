import shutil
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import quote, urlencode

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from skillopt_sleep.kit.files import is_locked
from skillopt_sleep.settings import Settings
from skillopt_sleep.trainer import LimitsSection, load_config
from skillopt_sleep.web.pages.trainings import offer, trained
from tests.command import Home
from tests.trainer.toy import a_config, a_trainer
from tests.web.browser import complaints_at_each_width, tab
from tests.web.dashboard import Dashboard, entered, visible_text
from tests.web.forms import follow, send


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
    one, two, odd = (trained(runs / name) for name in ("one", "two", "odd"))
    assert (one.state, one.is_drawn) == ("finished", True)
    assert "interval" in one.score
    assert "n=" in one.score
    assert two.state == "4 steps so far"
    assert two.score == ""
    assert (odd.state, odd.is_drawn) == ("can't be read", False)


def test_a_training_is_drawn_and_loaded_again_while_it_goes_on(runs: Path, tmp_path: Path) -> None:
    one, two = (quote(str(runs / name)) for name in ("one", "two"))
    with entered(Home(tmp_path)) as dashboard:
        listed = visible_text(dashboard.get(f"/trainings?folder={quote(str(runs))}").text)
        finished = dashboard.get(f"/trainings/runs?run={one}")
        going_on = dashboard.get(f"/trainings/runs?run={two}")
        odd = [dashboard.get(f"/trainings/runs{query}").status for query in ("", "?run=/etc", "?run=../..", "?run=.")]
        nowhere = dashboard.get("/trainings?folder=/no/such/folder")
    assert "4 steps so far" in listed
    assert "Scores by calls" in finished.text
    assert "style-src 'sha256-" in finished.headers["content-security-policy"]
    assert "refresh" not in finished.headers
    assert going_on.headers["refresh"] == "10"
    assert odd == [404, 404, 404, 404]
    assert "There is no folder" in nowhere.text


ENV = """
import time
from skillopt_sleep.trainer import Env, Item, Result, Split, ask

class Demo(Env):
    name = "demo"

    def items(self, split):
        return [Item(id=f"{split}-{n}", text=f"Say {n}.") for n in range(6)]

    def rollout_one(self, item, skill, target, *, sample):
        time.sleep(SECONDS)
        return Result(hard=0.0, soft=0.0, response=ask(target, item.text, system=skill, sample=sample))
"""
TOML = """
[env]
name = "demo.py:Demo"
[backend]
name = "{backend}"
[train]
epochs = 1
[limits]
calls = 200
"""


def a_demo(folder: Path, *, seconds: float = 0.0, backend: str = "simulated") -> str:
    """Write a training to start into this folder, and return the address of its page."""
    folder.mkdir()
    (folder / "demo.py").write_text(ENV.replace("SECONDS", str(seconds)), encoding="utf-8")
    (folder / "demo.toml").write_text(TOML.format(backend=backend), encoding="utf-8")
    return f"/trainings?folder={quote(str(folder))}"


def shown_once(dashboard: Dashboard, address: str, words: str) -> str:
    """Wait until a page says these words, and return all that it says."""
    until = monotonic() + 60
    page = ""
    while monotonic() < until:
        page = visible_text(dashboard.get(address).text)
        if words in page:
            return page
        sleep(0.3)
    raise AssertionError(page)


@pytest.mark.slow
def test_a_training_is_started_in_the_browser_and_followed_to_its_end(tmp_path: Path) -> None:
    place = a_demo(tmp_path / "work")
    with entered(Home(tmp_path / "ada")) as dashboard:
        page = dashboard.get(place).text
        assert "demo.toml at most 200 calls Start" in visible_text(page)
        assert "Started demo.toml." in visible_text(follow(dashboard, send(dashboard, page, "/trainings/start")))
        shown_once(dashboard, place, "finished")
        assert "Scores by calls" in dashboard.get(f"/trainings/runs?run={quote(str(tmp_path / 'work' / 'run'))}").text


@pytest.mark.slow
def test_a_training_is_stopped_and_goes_on_without_paying_twice(tmp_path: Path) -> None:
    place = a_demo(tmp_path / "work", seconds=0.5)
    with entered(Home(tmp_path / "ada")) as dashboard:
        first = dashboard.get(place).text
        follow(dashboard, send(dashboard, first, "/trainings/start"))
        shown_once(dashboard, place, "What was trained")
        page = dashboard.get(place).text
        assert "is running already" in visible_text(follow(dashboard, send(dashboard, first, "/trainings/start")))
        follow(dashboard, send(dashboard, page, "/trainings/stop"))
        page = shown_once(dashboard, place, "Go on")
        assert "nothing is paid for twice" in page
        assert "demo.toml running" not in page


@pytest.mark.slow
def test_a_training_ends_with_the_dashboard(tmp_path: Path) -> None:
    place = a_demo(tmp_path / "work", seconds=5.0)
    with entered(Home(tmp_path / "ada")) as dashboard:
        follow(dashboard, send(dashboard, dashboard.get(place).text, "/trainings/start"))
        shown_once(dashboard, place, "demo.toml running")
    assert not is_locked(tmp_path / "work" / "run" / "run.lock")


def test_the_browser_gives_no_consent_and_says_at_once_where_it_is_given(tmp_path: Path) -> None:
    place, config = a_demo(tmp_path / "work"), tmp_path / "work" / "demo.toml"
    with entered(Home(tmp_path / "ada")) as dashboard:
        earlier = dashboard.get(place).text
        config.write_text(TOML.format(backend="claude"), encoding="utf-8")
        page = dashboard.get(place).text
        sent = follow(dashboard, send(dashboard, earlier, "/trainings/start"))
    assert "'claude' was not confirmed" in visible_text(page)
    assert f"set confirmed = true in [backend] of {config}" in visible_text(page)
    assert "/trainings/start" not in page
    assert "Started" not in visible_text(sent)
    assert not (tmp_path / "work" / "run").exists()


def test_a_training_that_the_command_would_refuse_is_not_offered_to_go_on(tmp_path: Path) -> None:
    toml = tmp_path / "toy.toml"
    toml.write_text('[backend]\nname = "simulated"\n[env]\nname = "toy"\n', encoding="utf-8")
    a_trainer(tmp_path / "run", config=replace(load_config(toml), limits=LimitsSection(calls=60))).train()
    assert offer(toml, None, Settings()).act == "Go on"
    toml.write_text('[backend]\nname = "simulated"\n[env]\nname = "toy"\nratio = [4, 3, 3]\n', encoding="utf-8")
    refused = offer(toml, None, Settings())
    assert refused.act == ""
    assert "was started with something else: env" in refused.problem
    assert "name another train.folder" in refused.problem


def test_only_what_the_page_lists_is_started_and_only_by_a_form_of_ours(tmp_path: Path) -> None:
    place = a_demo(tmp_path / "work")
    odd = tmp_path / "work" / "odd.toml"
    odd.write_text("[env]\nname = 3\n", encoding="utf-8")
    with entered(Home(tmp_path / "ada")) as dashboard:
        assert "can't be started" in visible_text(dashboard.get(place).text)
        for config in ("demo.toml", "/etc/passwd", str(tmp_path / "work" / "demo.py"), ""):
            assert dashboard.post("/trainings/start", {"config": config}, shown_on=place).status == 404, config
        body = urlencode({"config": str(tmp_path / "work" / "demo.toml")}).encode()
        assert dashboard.ask("POST", "/trainings/start", dashboard.form_headers(), body).status == 403
    assert not (tmp_path / "work" / "run").exists()


@pytest.mark.browser
@pytest.mark.slow
def test_the_page_of_trainings_reads_well_and_follows_one_by_itself(
    chromium: Browser, axe: str, tmp_path: Path, runs: Path
) -> None:
    place = a_demo(tmp_path / "work", seconds=8.0)
    (tmp_path / "work" / "odd.toml").write_text("[env]\nname = 3\n", encoding="utf-8")
    shutil.copytree(runs / "one", tmp_path / "work" / "one")
    with entered(Home(tmp_path / "ada")) as dashboard, tab(chromium, dashboard=dashboard) as opened:
        page = opened.page
        page.goto(f"{dashboard.home}{place}")
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("text=Started demo.toml.")
        page.goto(f"{dashboard.home}{place}")
        found = list(complaints_at_each_width(chromium, axe, f"{dashboard.home}{place}", dashboard=dashboard))
        assert found == []
        expect(page.locator("#live")).to_contain_text("run ", timeout=30_000)
        page.get_by_role("button", name="Stop").click()
        page.wait_for_selector("text=ends after the calls in flight")
        page.locator("h1").click()
        expect(page.get_by_role("button", name="Go on")).to_be_visible(timeout=60_000)
        assert opened.errors == []
