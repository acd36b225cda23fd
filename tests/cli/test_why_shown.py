from collections.abc import Iterable
from datetime import timedelta

from msgspec.structs import replace

from skillopt_sleep.cli.why_shown import Row, absence_rows, blamed_rows, origin_rows
from skillopt_sleep.proposals.absence import Absence
from skillopt_sleep.proposals.origins import Origin, origins
from skillopt_sleep.records import Deed, DeedKind, Evidence
from skillopt_sleep.stores.bank import ADOPTED, Decided
from tests.builders import a_proposal
from tests.fakes import NOON

NOW = NOON + timedelta(days=3)
SAID = tuple(
    Evidence(session=f"claude_code:0123456789-{n}", turn=2, quote=f"no,\x1b[31m use pnpm {n}", at=NOON)
    for n in range(5)
)
DID = Deed(kind=DeedKind.CHECKED, session="s", turn=3, what="make lint")


def an_origin(state: str = ADOPTED, reason: str = "", **fields: object) -> Origin:
    proposal = a_proposal(evidence=SAID, deeds=(DID,))
    (origin,) = origins([Decided(proposal, state, reason, NOON.isoformat())], ())
    return replace(origin, **fields)


def plain(rows: Iterable[Row]) -> list[str]:
    """The rows as lines without styles."""
    return [label + (part if isinstance(part, str) else part[0]) for label, part in rows]


def test_the_words_come_first_with_when_and_where_and_the_ids_last() -> None:
    text = "\n".join(plain(origin_rows(an_origin(), now=NOW)))
    assert text.index("«no,") < text.index("You adopted it") < text.index("proposal  P-0001")
    assert "2026-03-02 (3 days ago), claude_code 01234567, turn 2" in text
    assert "and 3 more times" in text
    assert "you checked the work: «make lint»" in text
    assert "\x1b" not in text


def test_a_line_of_deeds_alone_is_told_by_them() -> None:
    lines = plain(
        blamed_rows(7, "- Run make lint.", an_origin(said=a_proposal(deeds=(DID,)).signs), now=NOW, recorded=True)
    )
    assert lines[0] == "   7  - Run make lint."
    assert "you checked the work: «make lint»" in lines[1]


def test_an_absence_ends_with_what_to_do() -> None:
    found = Absence(
        said=SAID[:1], end="needs_session", because="seen once", next="say it again", lesson="l1", task="t1"
    )
    lines = plain(absence_rows(found, now=NOW))
    assert lines[-4:] == ["Seen once.", "→ say it again", "", "lesson l1, task t1"]
