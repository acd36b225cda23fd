import pytest

from skillopt_sleep.doctor.findings import Topic, fine, problem, unknown
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.web.pages.setup import in_blocks
from tests.command import Home
from tests.web.dashboard import entered, visible_text


def test_what_is_to_be_fixed_stands_first_and_the_rest_by_topic() -> None:
    found = (
        unknown(Topic.DAEMON, "not seen from here"),
        problem(Topic.LOGINS, "no login", "run: claude"),
        fine(Topic.STORE, "the store is fine"),
    )
    said = " ".join(markdown([*in_blocks(found)]).split())
    assert said.startswith("## To fix logins: no login run: claude ## What is fine, or can't be checked")
    assert said.endswith("- store - the store is fine - daemon - not known: not seen from here")


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
