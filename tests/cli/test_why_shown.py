from datetime import timedelta

from skillopt_sleep.cli.why import absence_blocks, managed_blocks
from skillopt_sleep.deciding.origin import origin_blocks
from skillopt_sleep.deciding.why import Absence
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.proposals.origins import Managed, RuleOrigin, origins
from skillopt_sleep.records import Deed, DeedKind, Evidence
from skillopt_sleep.stores.bank import ADOPTED, Decided
from tests.builders import a_proposal, changed
from tests.fakes import NOON

NOW = NOON + timedelta(days=3)
SAID = tuple(
    Evidence(session=f"claude_code:0123456789-{n}", turn=2, quote=f"no,\x1b[31m use pnpm {n}", at=NOON)
    for n in range(5)
)
DID = Deed(kind=DeedKind.CHECKED, session="s", turn=3, what="make lint")


def an_origin(state: str = ADOPTED, reason: str = "", **fields: object) -> RuleOrigin:
    proposal = a_proposal(evidence=SAID, deeds=(DID,))
    (origin,) = origins([Decided(proposal, state, reason, NOON.isoformat())], ())
    return changed(origin, **fields)


def test_the_words_come_first_with_when_and_where_and_the_ids_last() -> None:
    text = markdown([*origin_blocks(an_origin(), now=NOW)])
    assert text.index("«no,") < text.index("You adopted it") < text.index("proposal P-0001")
    assert "2026-03-02 (3 days ago), claude_code 01234567, turn 2" in text
    assert "and 3 more times" in text
    assert "you checked the work: «make lint»" in text
    assert "\x1b" not in text


def test_a_line_of_deeds_alone_is_told_by_them() -> None:
    origin = an_origin(said=a_proposal(deeds=(DID,)).signs)
    (item,) = managed_blocks([Managed(7, "- Run make lint.", origin)], now=NOW, recorded=True).items
    assert item.text == "line 7: - Run make lint."
    assert "you checked the work: «make lint»" in item.below[0]


def test_an_absence_ends_with_what_to_do() -> None:
    found = Absence(
        said=SAID[:1], end="needs_session", because="seen once", next="say it again", lesson="l1", task="t1"
    )
    lines = markdown([*absence_blocks(found, now=NOW)]).splitlines()
    assert [line.strip() for line in lines[-3:]] == ["Seen once.", "→ say it again", "lesson l1, task t1"]
