import sqlite3
from contextlib import closing
from pathlib import Path

from tests.command import Home
from tests.web.dashboard import Dashboard, entered, visible_text


def test_before_the_first_night_it_says_how_to_begin(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with entered(home) as dashboard:
        page = visible_text(dashboard.get("/").text)
        listed = visible_text(dashboard.get("/nights").text)
    assert "No night has run yet" in page
    for step in ("run --example", "init", "run --plan", "install"):
        assert f"skillopt-sleep {step}" in page
    assert "No night has run yet" in listed
    assert not (home.folder / "sleep" / "data" / "sleep.db").exists(), "looking creates no store"


def test_its_first_page_leads_to_the_first_of_the_navigation(dashboard: Dashboard) -> None:
    reply = dashboard.get("/")
    assert reply.status == 303
    assert dashboard.get(reply.headers["location"]).status == 200


def test_a_page_that_is_not_there_says_so_within_the_dashboard(dashboard: Dashboard) -> None:
    reply = dashboard.get("/nowhere")
    assert reply.status == 404
    assert "There is no such page." in reply.text
    assert "<nav" in reply.text


def test_settings_that_can_not_be_read_are_said_and_everything_else_is_shown(tmp_path: Path, slept: Home) -> None:
    home = Home(tmp_path)
    (home.folder / "sleep").mkdir()
    (home.folder / "sleep" / "config.toml").write_text("[budget]\ncals = 3\n", encoding="utf-8")
    with entered(home) as dashboard:
        reply = dashboard.get("/nights")
    assert reply.status == 200
    assert "budget.cals" in visible_text(reply.text)


def test_a_store_that_can_not_be_read_is_an_error_with_a_remedy_and_the_others_go_on(tmp_path: Path) -> None:
    home = Home(tmp_path)
    data = home.folder / "sleep" / "data"
    data.mkdir(parents=True)
    (data / "sleep.db").write_bytes(b"not a database " * 100)
    with entered(home) as dashboard:
        reply = dashboard.get("/nights")
        other = dashboard.get("/static/look.css")
    assert reply.status == 500
    assert "is corrupt" in visible_text(reply.text)
    assert other.status == 200
    assert (data / "sleep.db").exists(), "a page sets nothing aside"


def test_what_another_version_wrote_is_no_bug_but_said_as_the_command_says_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("UPDATE nights SET report = '{}'")
        store.execute("UPDATE proposals SET body = '{}'")
    with entered(home) as dashboard:
        for path in ("/nights", "/inbox"):
            reply = dashboard.get(path)
            assert reply.status == 500
            said = visible_text(reply.text)
            assert "isn't in this version's format" in said
            assert "Use the version that wrote it" in said
            assert "a bug" not in said
