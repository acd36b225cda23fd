from collections.abc import Iterable
from datetime import timedelta

from msgspec.structs import replace

from skillopt_sleep.cli.why_shown import Row, absence_rows, blamed_rows, decision, origin_rows, tried
from skillopt_sleep.proposals.absence import Absence
from skillopt_sleep.proposals.origins import Origin, origins
from skillopt_sleep.records import Deed, DeedKind, Evidence, Proof, Solved
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, Decided
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
    assert "and 2 more times" in text
    assert "you checked the work: make lint" in text
    assert "\x1b" not in text


def test_a_trial_is_told_in_whole_numbers() -> None:
    solved = Solved(before=3, after=11, n=12, requests=3)
    assert tried(an_origin(solved=solved)).startswith("it was tried: without the rule 3 of 12 answers did")
    assert "rules of P-0001 were tried together" in tried(an_origin(solved=solved, alone=False))
    assert "graded 0.25 before, 1.00 with it, n=9" in tried(an_origin(before=0.25, after=1.0, n=9))
    assert "own words" in tried(an_origin(proof=Proof.WORDS))
    assert tried(an_origin()) == "no trial was run"


def test_a_decision_has_its_day_and_its_reason() -> None:
    assert decision(an_origin(REJECTED, "too long"), now=NOW).endswith("(3 days ago): too long")
    assert decision(an_origin(decided=""), now=NOW) == "you adopted it"


def test_a_line_of_deeds_alone_is_told_by_them() -> None:
    lines = plain(blamed_rows(7, "- Run make lint.", an_origin(said=()), now=NOW))
    assert lines[0] == "   7  - Run make lint."
    assert "you checked the work: make lint" in lines[1]


def test_an_absence_ends_with_what_to_do() -> None:
    found = Absence(said=SAID[:1], end="seen_once", because="seen once", next="say it again", lesson="l1", task="t1")
    lines = plain(absence_rows(found, now=NOW))
    assert lines[-4:] == ["Seen once.", "→ say it again", "", "lesson l1, task t1"]
