"""A night's error rate is what the month left of it: nights that try something spend, what stays adopted earns."""

from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.night.error_rate import FLOOR, STOCK, WINDOW, error_rate, nights_rate, with_nights_rate
from skillopt_sleep.records import (
    AppliedEdit,
    CandidateKind,
    Decision,
    EditFate,
    EditOp,
    ErrorRate,
    GateRule,
    Judged,
    SpentErrorRate,
    StepOutcome,
    Trial,
    Verdict,
)
from skillopt_sleep.stores.bank import ADOPTED, UNDONE
from tests.builders import a_proposal, an_edit, an_outcome
from tests.fakes import NOON, FakeClock
from tests.nights import Machine, a_plan
from tests.stores.opening import open_at, seal

ALPHA = 0.05
RULE = an_edit("- Use pnpm.")
SEQUENTIAL = a_plan(gate=GateRule(alpha=ALPHA))


def month(nights: int, *, adopted: int = 0) -> list[float]:
    """The rates of so many nights that all try something new."""
    rates: list[float] = []
    for _ in range(nights):
        rates.append(nights_rate(SpentErrorRate(rates=sum(rates), adopted=adopted), ALPHA))
    return rates


def test_the_first_nights_have_the_full_rate_and_without_a_success_the_next_have_less() -> None:
    rates = month(8)

    assert rates[0] == ALPHA
    assert rates == sorted(rates, reverse=True)
    assert rates[3] < ALPHA / 3
    assert rates[-1] == FLOOR * ALPHA


def test_without_an_adoption_the_rates_of_a_month_add_up_to_the_stock_and_the_floors() -> None:
    assert sum(month(30)) <= (STOCK + 30 * FLOOR) * ALPHA
    assert sum(month(30)) <= 0.22


def test_what_stays_adopted_earns_the_full_rate_back() -> None:
    spent = sum(month(10))

    assert nights_rate(SpentErrorRate(rates=spent), ALPHA) == FLOOR * ALPHA
    assert nights_rate(SpentErrorRate(rates=spent, adopted=3), ALPHA) == ALPHA


@given(st.floats(0, 3), st.integers(0, 40), st.floats(1e-4, 0.2))
def test_a_night_has_never_more_than_the_setting_and_never_less_than_the_floor(
    spent: float, adopted: int, alpha: float
) -> None:
    rate = nights_rate(SpentErrorRate(rates=spent, adopted=adopted), alpha)

    assert FLOOR * alpha <= rate <= alpha
    assert rate <= nights_rate(SpentErrorRate(rates=spent, adopted=adopted + 1), alpha)


def test_in_few_months_of_useless_edits_one_passes_though_each_uses_the_rate_up() -> None:
    chance = Random(0)
    rates = month(30)

    passed = [any(chance.random() < rate for rate in rates) for _ in range(4_000)]

    assert sum(passed) / len(passed) <= 0.22


# what a night spent -------------------------------------------------------------------------------------


def an_outcome_of(kind: CandidateKind, *, tried: bool = True, fate: EditFate = EditFate.APPLIED) -> StepOutcome:
    """A step that proposed a rule, and tried it or something else."""
    outcome = an_outcome()
    verdict = Verdict(decision=Decision.REJECT, reason="no better")
    judged = Judged(kind=kind, edits=(RULE,) if tried else (an_edit("- Old."),), trial=Trial(), verdict=verdict)
    return replace(
        outcome, tried=replace(outcome.tried, edits=(AppliedEdit(edit=RULE, fate=fate),), tested=(judged,))
    )


@pytest.mark.parametrize(
    ("outcome", "spent"),
    [
        (an_outcome_of(CandidateKind.RULE), ALPHA),
        (an_outcome_of(CandidateKind.GUIDANCE, tried=False), ALPHA),
        (an_outcome_of(CandidateKind.RULE, tried=False), 0.0),
        (an_outcome_of(CandidateKind.REMOVAL), 0.0),
        (an_outcome_of(CandidateKind.RULE, fate=EditFate.REFUSED), 0.0),
        (an_outcome(), 0.0),
    ],
    ids=["new", "guidance", "waited", "removal", "refused", "nothing"],
)
def test_a_night_spends_its_rate_if_it_tries_something_new(outcome: StepOutcome, spent: float) -> None:
    assert error_rate(SEQUENTIAL, [outcome]) == ErrorRate(rate=ALPHA, spent=spent)


def test_a_rule_without_a_known_rate_has_none_to_spend() -> None:
    strict = a_plan(gate=GateRule(name="strict"))

    assert error_rate(strict, [an_outcome_of(CandidateKind.RULE)]) is None


# whole nights -------------------------------------------------------------------------------------------


def test_nights_of_the_last_month_count_and_what_was_adopted_since_and_stays(tmp_path: Path) -> None:
    clock = FakeClock()
    store = open_at(tmp_path, clock=clock)
    rules = [a_proposal(id=f"P-000{n}", edits=(RULE,)) for n in (1, 2)]
    removal = a_proposal(id="P-0003", edits=(an_edit("", op=EditOp.DELETE, target="- Old."),))
    for rate in (0.04, 0.03, 0.02):
        with store.open_night() as page:
            proposals = (*rules, removal) if rate == 0.04 else ()
            seal(page, proposals=proposals, error_rate=ErrorRate(rate=ALPHA, spent=rate))
        clock.pass_by(days=10)
    for proposal in (*rules, removal):
        store.bank.decide(proposal.id, ADOPTED, at=clock())
    store.bank.decide("P-0002", UNDONE, at=clock(), leaving=(ADOPTED,))
    with store.open_night() as page:
        known = page.history.spent(page.started - WINDOW)
        later = page.history.spent(page.started - WINDOW + timedelta(days=1))
        none = page.history.spent(page.started + timedelta(days=1))
    store.close()

    assert clock() > NOON
    assert (known.rates, known.adopted) == (pytest.approx(0.09), 1)
    assert (later.rates, later.adopted) == (pytest.approx(0.05), 1)
    assert none == SpentErrorRate()


def test_a_resumed_night_keeps_the_rate_it_began_with(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    for _ in range(2):
        with store.open_night() as page:
            seal(
                page, proposals=(a_proposal(edits=(RULE,)),), error_rate=ErrorRate(rate=ALPHA, spent=ALPHA / 2 + 0.02)
            )
    with store.open_night() as page:
        first = with_nights_rate(SEQUENTIAL, page).gate.alpha
    # The night was never closed; meanwhile there is more to spend.
    store.bank.decide("P-0001", ADOPTED, at=NOON)
    with store.open_night() as page:
        assert page.resumed
        assert page.history.spent(NOON - WINDOW).adopted == 1
        assert with_nights_rate(SEQUENTIAL, page).gate.alpha == first
    store.close()

    assert first == pytest.approx(0.005)


def test_a_night_that_tries_something_tells_its_rate_and_the_next_night_knows(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.had(0, 1, 2, 3, 4)
    report = machine.night(gate=GateRule(alpha=ALPHA))
    store = machine.store()
    with store.open_night() as page:
        spent = page.history.spent(page.started - WINDOW)
    store.close()

    assert report.error_rate == ErrorRate(rate=ALPHA, spent=ALPHA)
    assert spent == SpentErrorRate(rates=ALPHA)
