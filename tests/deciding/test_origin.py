"""Where a rule comes from is told alike in the terminal and in the dashboard."""

from datetime import timedelta

from skillopt_sleep.deciding.origin import decided_on, decision, often, rests_on, tried
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.proposals.origins import RuleOrigin, origins
from skillopt_sleep.records import Proof, Solved
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, Decided
from tests.builders import a_proposal, changed
from tests.fakes import NOON

NOW = NOON + timedelta(days=3)


def an_origin(state: str = ADOPTED, reason: str = "", **fields: object) -> RuleOrigin:
    (origin,) = origins([Decided(a_proposal(), state, reason, NOON.isoformat())], ())
    return changed(origin, **fields)


def test_a_trial_is_told_in_whole_numbers() -> None:
    solved = Solved(before=3, after=11, n=12, requests=3)
    assert tried(an_origin(solved=solved)).startswith("it was tried: without the rule 3 of 12 answers did")
    assert "rules of P-0001 were tried together" in tried(an_origin(solved=solved, alone=False))
    assert "graded 0.25 before, 1.00 with it, n=9" in tried(an_origin(before=0.25, after=1.0, n=9))
    assert "own words" in tried(an_origin(proof=Proof.WORDS))
    assert tried(an_origin()) == "no trial was run"


def test_a_decision_has_its_day_and_its_reason() -> None:
    assert decision(an_origin(REJECTED, "too long"), now=NOW) == "you rejected it on 2 Mar: «too long»"
    assert decision(an_origin(decided=""), now=NOW) == "you adopted it"


def test_how_often_is_told_from_the_second_session_on() -> None:
    assert often(an_origin(sessions=1), now=NOW) == ""
    assert often(an_origin(sessions=3), now=NOW) == "in 3 sessions"
    assert often(an_origin(sessions=3, projects=("shop", "blog")), now=NOW) == "in 3 sessions of shop, blog"


def test_what_a_rule_rests_on_has_its_trial_its_proof_and_the_decision_in_this_order() -> None:
    origin = an_origin(label="the chance of an error isn't known")
    text = markdown([*decided_on(origin, now=NOW)])
    assert text.index("No trial was run.") < text.index("isn't known") < text.index("You adopted it on 2 Mar.")
    assert text.strip().splitlines()[0] in markdown([*rests_on(origin, now=NOW)])
