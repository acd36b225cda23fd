from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.doctor.findings import Topic, fine, problem, unknown
from skillopt_sleep.settings import Settings, find_paths
from skillopt_sleep.stores.user import read_store
from skillopt_sleep.web.pages.doctor import Checkup, doctor
from tests.command import Home
from tests.fakes import NOON
from tests.web.dashboard import entered, visible_text


def test_problems_come_first_and_the_rest_by_topic(tmp_path: Path) -> None:
    found = (
        fine(Topic.STORE, "the store is fine"),
        problem(Topic.LOGINS, "no login", "run: claude"),
        unknown(Topic.DAEMON, "not seen from here"),
    )
    with read_store(Settings(), find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})) as store:
        view = doctor(store, Checkup(NOON, "", found), now=NOON + timedelta(minutes=5))
        never = doctor(store, None, now=NOON)
    assert [finding.says for finding in view.problems] == ["no login"]
    assert [topic.topic for topic in view.others] == ["store", "daemon"]
    assert (view.headline, view.checked) == ("1 problem", "5 minutes ago")
    assert (never.checked, never.problems) == ("", ())


@pytest.mark.timeout(120)
@pytest.mark.slow
def test_it_checks_when_it_is_asked_and_says_what_the_command_says(home_after: Home) -> None:
    told = home_after.command("doctor", "--json").json
    with entered(home_after) as dashboard:
        before = visible_text(dashboard.get("/doctor").text)
        assert "Check now" in before
        assert "To fix" not in before
        assert dashboard.post("/doctor", {"project": "/etc"}).status == 303
        page = visible_text(dashboard.get("/doctor").text)
    assert "Checked just now." in page
    says = [finding["says"] for finding in told["findings"] if finding["topic"] == "models"]
    assert says
    for words in says:
        assert " ".join(words.split())[:60] in page
