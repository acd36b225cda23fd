"""A morning in the browser: what waits is read, and each decision is the one that was seen, and can be taken back."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import Evidence, Proposal
from skillopt_sleep.reporters.recurrence import SHARPEN
from tests.builders import changed
from tests.cli.walked import rules, states, with_three_rules
from tests.command import Home
from tests.web.dashboard import entered, served, visible_text
from tests.web.forms import follow, forms, send

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg/onload=alert(3)> javascript:alert(4) \x1b[31m\u202e"


def document(home: Home) -> Path:
    return home.project / "CLAUDE.md"


@pytest.mark.slow
def test_what_waits_is_shown_as_in_a_review(home: Home) -> None:
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        known = visible_text(dashboard.get("/inbox/P-0001/all").text)
        assert dashboard.get("/inbox/P-0009/all").status == 404
    text = visible_text(page)
    for words in (
        "One rule waits for you",
        "Use pnpm, never npm.",
        "You said",
        "we always use pnpm here, never npm",
        "Without the rule",
        "as you asked",
        "All that was said, answered, measured and changed",
        "shop-api/CLAUDE.md",
        "tokens in every session",
        "Claude Code",
    ):
        assert words in text, words
    for words in ("90 % interval", "You said so in 5 sessions", "second trial", "turn 2"):
        assert words in known, words
    assert len(text.partition("One rule waits")[2].split()) <= 250
    assert states(home) == {"P-0001": "waiting"}, "reading decides nothing"


@pytest.mark.slow
def test_a_rule_is_adopted_and_taken_back_to_the_byte(home: Home) -> None:
    before = document(home).read_bytes()
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001/adopt"))
        assert rules(home) == ["- Use pnpm, never npm."]
        assert states(home) == {"P-0001": "adopted"}
        text = visible_text(page)
        assert "Nothing waits for you" in text
        assert "Adopted P-0001: wrote ~/work/shop-api/CLAUDE.md" in text
        of_file = re.search(r'href="(/documents/[0-9a-f]+)">~/work/shop-api/CLAUDE.md<', page)
        assert of_file
        assert "Use pnpm, never npm" in visible_text(dashboard.get(of_file[1]).text)
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001/undo"))
        assert "P-0001 is taken back" in visible_text(page)
        listed = dashboard.get("/inbox/decided").text
        assert '<a href="/inbox/P-0001">Adopt it again</a>' in listed
    assert document(home).read_bytes() == before
    assert states(home) == {"P-0001": "undone"}


@pytest.mark.slow
def test_a_rule_is_rejected_with_a_reason_and_waits_again_after_an_undo(home: Home) -> None:
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001/reject", reason="we moved to yarn"))
        assert "Rejected P-0001" in visible_text(page)
        assert "we moved to yarn" in home.command("review", "--show", "P-0001").out
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001/wait"))
    assert "P-0001 waits for you again" in visible_text(page)
    assert states(home) == {"P-0001": "waiting"}


@pytest.mark.slow
def test_a_rule_is_put_off_until_tomorrow_and_shown_again_after_an_undo(home: Home) -> None:
    with entered(home) as dashboard:
        page = follow(dashboard, send(dashboard, dashboard.get("/inbox").text, "/inbox/P-0001/later"))
        text = visible_text(page)
        assert "P-0001 is put off until" in text
        assert "Nothing waits for you" in text
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001/wake"))
    assert "One rule waits for you" in visible_text(page)


def test_own_words_wait_untested_and_can_be_tested_tonight(home: Home) -> None:
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001/edit", words="- Use pnpm 9.\r\n"))
        text = visible_text(page)
        assert "Your words wait as P-0001.1, untested" in text
        assert "No trial was run with these words" in text
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001.1/test"))
        assert "The next night tests P-0001.1" in visible_text(page)
        follow(dashboard, send(dashboard, page, "/inbox/P-0001.1/adopt"))
    assert rules(home) == ["- Use pnpm 9."]


@pytest.mark.slow
def test_words_that_can_not_be_used_change_nothing(home: Home) -> None:
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        reply = send(dashboard, page, "/inbox/P-0001/edit", words="- Be\u200b brief.")
    assert reply.status == 409
    assert "invisible" in visible_text(reply.text).lower()
    assert states(home) == {"P-0001": "waiting"}


@pytest.mark.slow
def test_one_rule_of_three_is_adopted_and_the_others_wait_on(home: Home) -> None:
    with_three_rules(home)
    with entered(home) as dashboard:
        page = dashboard.get("/inbox/P-0001.2").text
        assert "3 rules wait for you" in visible_text(page)
        assert "/inbox/P-0001.1/adopt" not in page, "one card, one decision"
        whole = visible_text(dashboard.get("/inbox/P-0001").text)
        assert "Adopt all 3 rules" in whole
        assert states(home) == {"P-0001": "waiting"}
        page = follow(dashboard, send(dashboard, page, "/inbox/P-0001.2/adopt"))
        assert "2 rules wait for you" in visible_text(page)
        assert dashboard.get("/inbox/P-0001").status == 303, "it was divided, so it can't be decided on whole"
    assert rules(home) == ["- Be brief."]


@pytest.mark.slow
def test_a_file_that_changed_since_it_was_shown_is_not_written_and_the_new_state_is_shown(home: Home) -> None:
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        document(home).write_text("# mine\n\nA line of my own.\n", encoding="utf-8")
        now = document(home).read_bytes()
        for verb in ("adopt", "reject", "later", "edit"):
            reply = send(dashboard, page, f"/inbox/P-0001/{verb}", words="- x")
            assert reply.status == 409, verb
            assert "any more as it was shown to you" in visible_text(reply.text)
        assert (document(home).read_bytes(), states(home)) == (now, {"P-0001": "waiting"})
        assert "A line of my own." in visible_text(reply.text)
        assert forms(reply.text)["/inbox/P-0001/adopt"]["shown"] != forms(page)["/inbox/P-0001/adopt"]["shown"]
        follow(dashboard, send(dashboard, reply.text, "/inbox/P-0001/adopt"))
    assert b"A line of my own." in document(home).read_bytes()
    assert rules(home) == ["- Use pnpm, never npm."]


@pytest.mark.slow
def test_a_second_tab_can_not_decide_what_was_decided(home: Home) -> None:
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        home.command("reject", "P-0001")
        reply = send(dashboard, page, "/inbox/P-0001/adopt")
        assert reply.status == 409
        text = visible_text(reply.text)
        assert "P-0001 was decided on in the meantime" in text
        assert "You rejected it on" in text
        decided = follow(dashboard, send(dashboard, dashboard.get("/inbox?did=P-0001").text, "/inbox/P-0001/wait"))
        stale = dashboard.get("/inbox?did=P-0001").text
        assert "/inbox/P-0001/wait" not in stale
        assert "/inbox/P-0001/adopt" in decided
    assert rules(home) == []


def test_a_merge_with_edits_by_hand_is_shown_before_it_is_written(home: Home) -> None:
    with entered(home) as dashboard:
        page = follow(dashboard, send(dashboard, dashboard.get("/inbox").text, "/inbox/P-0001/adopt"))
        text = document(home).read_text(encoding="utf-8")
        document(home).write_text(text.replace("never npm.", "never npm.\n- A rule of mine."), encoding="utf-8")
        edited = document(home).read_bytes()
        merge = send(dashboard, page, "/inbox/P-0001/undo")
        assert merge.status == 200
        assert "Nothing was written yet" in visible_text(merge.text)
        assert document(home).read_bytes() == edited
        document(home).write_bytes(edited + b"One more line.\n")
        other = send(dashboard, merge.text, "/inbox/P-0001/undo")
        assert other.status == 200, "the merge is another one by now, so it is shown again"
        assert b"never npm" in document(home).read_bytes()
        follow(dashboard, send(dashboard, other.text, "/inbox/P-0001/undo"))
    assert rules(home) == ["- A rule of mine."]


def test_hostile_text_in_every_field_is_inert(home: Home) -> None:
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        ((body,),) = store.execute("SELECT body FROM proposals").fetchall()
        proposal = from_json(body, Proposal)
        said = [Evidence(session=HOSTILE, turn=1, quote=HOSTILE) for _ in proposal.evidence]
        edits = [replace(edit, content=f"- {HOSTILE}", reason=HOSTILE) for edit in proposal.edits]
        hostile = changed(
            proposal,
            document=HOSTILE,
            summary=HOSTILE,
            evidence=said,
            edits=edits,
            one_model=HOSTILE,
            error_rate=HOSTILE,
        )
        store.execute("UPDATE proposals SET body = ?", [to_json(hostile)])
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
    assert "alert(1)" in page
    for tag in re.findall(r"<(?:img|script|svg)\b[^>]*>", page):
        assert "alert" not in tag, tag
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


@pytest.mark.parametrize("address", ["/inbox/P-0009", "/inbox/..%2f..%2fetc", "/inbox/P-0001.9", "/inbox/%00"])
def test_a_name_that_nothing_has_is_not_found(home: Home, address: str) -> None:
    with entered(home) as dashboard:
        assert dashboard.get(address).status == 404


@pytest.mark.slow
def test_a_rule_that_was_divided_from_others_is_adopted_alone_again(home: Home) -> None:
    with_three_rules(home)
    home.command("adopt", "P-0001.2")
    home.command("undo", "P-0001.2")
    with entered(home) as dashboard:
        page = dashboard.get("/inbox/P-0001.2").text
        assert "Adopt all" not in visible_text(page)
        assert "You adopted it, and took it back on" in visible_text(page)
        assert "/inbox/P-0001.2/later" not in page, "it isn't asked about any more"
        follow(dashboard, send(dashboard, page, "/inbox/P-0001.2/adopt"))
    assert rules(home) == ["- Be brief."]


@pytest.mark.slow
def test_the_page_of_a_decided_rule_has_the_way_back(home: Home) -> None:
    home.command("adopt", "P-0001")
    with entered(home) as dashboard:
        page = dashboard.get("/inbox/P-0001").text
        assert "You adopted it on" in visible_text(page)
        assert "shop-api/CLAUDE.md" in page.partition("The change, as it was proposed")[2]
        follow(dashboard, send(dashboard, page, "/inbox/P-0001/undo"))
    assert rules(home) == []


@pytest.mark.slow
def test_what_was_decided_is_listed_newest_first_each_with_its_way_back(home: Home) -> None:
    with_three_rules(home)
    home.command("adopt", "P-0001.1")
    home.command("reject", "P-0001.2", "--reason", "we moved to yarn")
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        follow(dashboard, send(dashboard, page, "/inbox/P-0001.3/later"))
        for address in ("/inbox", "/inbox/decided"):
            page = dashboard.get(address).text
            text = visible_text(page)
            expected = (
                "Answer in English. You put it off until",
                "Ask me now",
                "Be brief. You rejected it on",
                "«we moved to yarn»",
                "Let it wait again",
                "Use pnpm, never npm. You adopted it on",
                "Undo",
            )
            places = [text.index(words) for words in expected]
            assert places == sorted(places), address
        listed = follow(dashboard, send(dashboard, page, "/inbox/P-0001.1/undo"))
        assert "What you decided" in listed
        assert "P-0001.1 is taken back" in visible_text(listed)
        assert "You adopted it, and took it back on" in visible_text(listed)
        follow(dashboard, send(dashboard, listed, "/inbox/P-0001.2/wait"))
        follow(dashboard, send(dashboard, listed, "/inbox/P-0001.3/wake"))
    assert rules(home) == []
    assert (states(home)["P-0001.2"], states(home)["P-0001.3"]) == ("waiting", "waiting")


def test_before_a_decision_the_list_says_that_there_is_none(home: Home) -> None:
    with entered(home) as dashboard:
        assert "You have decided nothing yet" in visible_text(dashboard.get("/inbox/decided").text)
        assert "What you decided" not in dashboard.get("/inbox").text


@pytest.mark.parametrize(
    ("decided", "verb", "button"),
    [("adopt", "undo", "Undo"), ("reject", "wait", "Let it wait again"), ("later", "wake", "Ask me now")],
)
def test_the_page_of_a_rule_always_has_the_way_back(home: Home, decided: str, verb: str, button: str) -> None:
    with entered(home) as dashboard:
        page = dashboard.get("/inbox").text
        follow(dashboard, send(dashboard, page, f"/inbox/P-0001/{decided}"))
        own = dashboard.get("/inbox/P-0001").text
        assert own.partition("</article>")[0].count(f">{button}</button>") == 1
        follow(dashboard, send(dashboard, own, f"/inbox/P-0001/{verb}"))
        assert "/inbox/P-0001/adopt" in dashboard.get("/inbox/P-0001").text


def test_a_live_rule_that_was_corrected_again_is_in_the_inbox_and_its_page_says_what_to_do(home: Home) -> None:
    assert home.command("adopt", "P-0001").code == 0
    earlier = (datetime.now(UTC) - timedelta(days=9)).isoformat()
    with closing(sqlite3.connect(home.folder / "sleep" / "data" / "sleep.db")) as store, store:
        store.execute("UPDATE proposals SET decided = ? WHERE state = 'adopted'", (earlier,))
    assert home.command("run", "--backend", "simulated").code == 0
    with served(home) as (dashboard, _):
        dashboard.enter()
        inbox = dashboard.get("/inbox").text
        page = visible_text(dashboard.get("/inbox/P-0001").text)
    again = inbox.partition("Live, and corrected again")[2]
    assert "5 of 5 since" in visible_text(again)
    assert "we always use pnpm here, never npm" in again
    assert "/inbox/P-0001" in again
    assert "/sessions/one?id=" in again
    assert SHARPEN in page
    assert "Undo takes it out of the file again" in page
