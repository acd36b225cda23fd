"""The guard says what is allowed: every attack is refused under its class, and no rule that people write is."""

import pytest

from skillopt_sleep.proposals.guard import refusals
from tests.proposals.guard_cases import ATTACKS, HARMLESS

CASES = [(name, text) for name, texts in ATTACKS.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), CASES, ids=range(len(CASES)))
def test_an_attack_is_refused_under_its_class(name: str, text: str) -> None:
    found = {refusal.kind for refusal in refusals(text, evidence=())}
    assert name in found, found


@pytest.mark.parametrize("text", HARMLESS)
def test_a_rule_that_people_write_passes(text: str) -> None:
    assert refusals(text, evidence=()) == ()
