"""Each lesson shows what it rests on and what became of it, and its tasks are changed as the command line does."""

import re
import sqlite3
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Lesson, Task
from tests.command import ASKS, Home
from tests.web.dashboard import Dashboard, entered, visible_text
from tests.web.forms import follow, forms, send

HOSTILE = "<img src=x onerror=alert(1)></textarea><script>alert(2)</script>\"'\x1b[31m\u202e"


def said(page: str) -> str:
    return unescape(visible_text(page))


def lesson_of(dashboard: Dashboard) -> str:
    """The address of the only lesson's page."""
    found = re.search(r'href="(/lessons/l-[^"]+)"', dashboard.get("/lessons").text)
    assert found
    return found[1]


def tasks(home: Home, *arguments: str) -> list[dict[str, Any]]:
    return home.command("tasks", "list", "--json", *arguments).json


def test_a_lesson_shows_its_words_its_rule_and_its_tasks(home: Home) -> None:
    with entered(home) as dashboard:
        listed = said(dashboard.get("/lessons").text)
        assert "Use pnpm, never npm «" in listed
        assert "we always use pnpm here, never npm» its rule waits for you · 5 sessions" in listed
        text = dashboard.get(lesson_of(dashboard)).text
        place = re.search(r'href="(/sessions/one[^"#]+)#(turn-2)"', text)
        assert place
        assert f'id="{place[2]}"' in dashboard.get(unescape(place[1])).text
        page = said(text)
    for words in (
        "What shows it",
        "«no, that's wrong - we always use pnpm here, never npm»",
        "Claude Code",
        "turn 2",
        "Its rules",
        "It was tried: without the rule",
        "It waits for you. P-0001",
        "create a run script",
        "to decide with",
        "A right answer contains «pnpm»",
        "What it was used for",
        "tested a change",
    ):
        assert words in page, words


def test_lessons_are_found_by_words_and_state(home: Home) -> None:
    with entered(home) as dashboard:
        assert "Use pnpm" in said(dashboard.get("/lessons?words=NEVER+npm&state=proposed").text)
        for nothing in ("words=yarn", "state=live"):
            assert "its rule waits for you ·" not in said(dashboard.get(f"/lessons?{nothing}").text), nothing
        assert dashboard.get("/lessons?state=nonsense&skip=-1").status == 200


def test_before_the_first_night_it_says_where_lessons_come_from(tmp_path_factory: Any) -> None:
    with entered(Home(tmp_path_factory.mktemp("new"))) as dashboard:
        assert "No lesson yet" in said(dashboard.get("/lessons").text)
        assert dashboard.get("/lessons/l-1").status == 404
        assert dashboard.get("/lessons/own").status == 404


@pytest.mark.slow
def test_a_task_is_dropped_pinned_and_brought_back(home: Home) -> None:
    (first, *_) = tasks(home)
    with entered(home) as dashboard:
        lesson = lesson_of(dashboard)
        address = f"{lesson}/tasks/{first['id']}"
        page = dashboard.get(lesson).text
        dropped = follow(dashboard, send(dashboard, page, f"{address}/drop"))
        assert "Dropped: it is not used" in said(dropped)
        assert [task["id"] for task in tasks(home, "--dropped")] == [first["id"]]
        assert send(dashboard, page, f"{address}/pin").status == 409, "another tab still shows it in use"
        back = follow(dashboard, send(dashboard, dropped, f"{address}/restore"))
        assert tasks(home, "--dropped") == []
        follow(dashboard, send(dashboard, back, f"{address}/pin"))
        assert tasks(home)[0]["pinned"]


@pytest.mark.slow
def test_a_task_is_edited_and_later_nights_keep_that(home: Home) -> None:
    task = next(task for task in tasks(home) if task["split"] == "val")
    with entered(home) as dashboard:
        lesson = lesson_of(dashboard)
        address = f"{lesson}/tasks/{task['id']}/edit"
        page = dashboard.get(lesson).text
        empty = send(dashboard, page, address, prompt="  ", context="", side="val")
        assert empty.status == 409
        assert "The request is empty" in said(empty.text)
        same = send(dashboard, page, address, prompt=task["prompt"], context=task["context"], side="val")
        assert "Nothing was changed" in said(follow(dashboard, same))
        fields = {"prompt": "add a start script\r\nand run it", "context": "", "side": "train"}
        after = said(follow(dashboard, send(dashboard, page, address, **fields)))
        assert "Your version is kept. It is now to learn from" in after
        assert send(dashboard, page, address, **fields).status == 409
    changed = next(one for one in tasks(home) if one["id"] == task["id"])
    assert (changed["prompt"], changed["split"]) == ("add a start script\nand run it", "train")


@pytest.mark.slow
def test_a_lesson_is_dropped_with_all_its_tasks_and_restored(home: Home) -> None:
    count = len(tasks(home))
    with entered(home) as dashboard:
        lesson = lesson_of(dashboard)
        page = follow(dashboard, send(dashboard, dashboard.get(lesson).text, f"{lesson}/drop"))
        assert len(tasks(home, "--dropped")) == count
        follow(dashboard, send(dashboard, page, f"{lesson}/restore"))
    assert tasks(home, "--dropped") == []


@pytest.mark.slow
def test_a_task_of_ones_own_without_a_lesson_has_a_place(home: Home) -> None:
    assert (
        home.command("tasks", "add", "--prompt", "Write a commit message", "--rubric", "Names the ticket").code == 0
    )
    with entered(home) as dashboard:
        assert "1 task without a lesson" in said(dashboard.get("/lessons").text)
        page = dashboard.get("/lessons/own").text
        assert "Write a commit message" in said(page)
        (drop,) = [address for address in forms(page) if address.endswith("/drop")]
        assert "Dropped" in said(follow(dashboard, send(dashboard, page, drop)))


def test_hostile_text_in_every_field_is_inert(home: Home) -> None:
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        for name, body in store.execute("SELECT id, body FROM lessons").fetchall():
            lesson = from_json(body, Lesson)
            quotes = tuple(replace(quote, quote=HOSTILE) for quote in lesson.quotes)
            hostile = to_json(replace(lesson, wording=HOSTILE, project=HOSTILE, quotes=quotes))
            store.execute("UPDATE lessons SET body = ? WHERE id = ?", [hostile, name])
        for name, body in store.execute("SELECT id, body FROM tasks").fetchall():
            hostile = to_json(replace(from_json(body, Task), prompt=HOSTILE, context=HOSTILE))
            store.execute("UPDATE tasks SET body = ? WHERE id = ?", [hostile, name])
    with entered(home) as dashboard:
        pages = [dashboard.get("/lessons").text, dashboard.get(lesson_of(dashboard)).text]
    for page in pages:
        assert "alert(1)" in page
        assert "<img" not in page
        assert "<script>" not in page
        assert page.count("<textarea") == page.count("</textarea>")
        assert "\x1b" not in page
        assert "\u202e" not in page


@pytest.mark.slow
def test_a_lesson_whose_rule_was_rejected_or_taken_back_says_so(home: Home) -> None:
    home.command("reject", "P-0001")
    with entered(home) as dashboard:
        listed = said(dashboard.get("/lessons").text)
        assert "you rejected its rule · 5 sessions" in listed
        assert "nights learn from it" not in listed
        assert "you rejected its rule ·" in said(dashboard.get("/lessons?state=refused").text)
        assert "No lesson matches" in said(dashboard.get("/lessons?state=open").text)
        page = said(dashboard.get(lesson_of(dashboard)).text)
        assert "no night proposes it again in these words" in page
        assert "Let it wait again" in page
        home.command("reject", "--undo", "P-0001")
        home.command("adopt", "P-0001")
        home.command("undo", "P-0001")
        assert "you adopted its rule, and took it back ·" in said(dashboard.get("/lessons").text)


@pytest.mark.slow
def test_a_rule_that_was_put_off_waits_on_no_page(home: Home) -> None:
    with entered(home) as dashboard:
        send(dashboard, dashboard.get("/inbox").text, "/inbox/P-0001/later")
        assert "Nothing waits for you" in said(dashboard.get("/inbox").text)
        lessons, nights = said(dashboard.get("/lessons").text), said(dashboard.get("/nights").text)
        assert "you put its rule off · 5 sessions" in lessons
        assert "you put P-0001 off" in nights
        assert "its rule waits for you" not in lessons
        assert "P-0001 waits for you" not in nights


@pytest.mark.slow
def test_a_lesson_of_one_session_is_not_said_to_be_learned_from(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions(ASKS[:1])
    assert home.command("run", "--backend", "simulated").code == 0
    with entered(home) as dashboard:
        listed = said(dashboard.get("/lessons").text)
        assert "waits for a second session · 1 session" in listed
        assert "nights learn from it" not in listed
