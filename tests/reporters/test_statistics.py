"""What a proposal's trial proves is shown with its n, its interval and what its error rate is of."""

from collections.abc import Iterator

from skillopt_sleep.records import EditEffect, Effect, FreshRound, Proposal, Solved
from skillopt_sleep.reporters.rate import of_proposal
from skillopt_sleep.reporters.statistics import statistics
from tests.builders import a_proposal, an_edit

FRESH = FreshRound(before=0.5, after=0.75, n=4, interval=(-0.4, 0.8))
CLAIM = "the chance that the night proposed any rule that does nothing was at most 3 %; this one helped in 2 of 2"


def proven(**fields: object) -> Proposal:
    known = {"before": 0.25, "after": 1.0, "n": 2, "interval": (-0.61, 1.0), "gain": 0.6, "error_rate": CLAIM}
    return a_proposal(**(known | fields))


def numbers(proposal: Proposal) -> Iterator[str]:
    return statistics(proposal, proposal)


def test_what_it_gains_comes_first_from_fresh_attempts_then_the_trial_then_the_claim() -> None:
    assert list(numbers(proven(fresh=FRESH)))[:4] == [
        (
            "What it gains: on fresh attempts after the trial 0.50 → 0.75 (4 tries), "
            "gain +0.25 (90 % interval -0.40 to +0.80); too few to prove anything; the trial did"
        ),
        "The trial, on unseen requests: 0.25 → 1.00 (2 tries), gain +0.75 (90 % interval -0.61 to +1.00)",
        f"The{CLAIM[3:]}.",
        of_proposal(CLAIM),
    ]
    assert list(numbers(proven(error_rate="error rate unknown")))[-1] == "Error rate unknown."


def test_without_fresh_attempts_the_gain_is_called_flattered() -> None:
    first = next(numbers(proven()))

    assert (
        first
        == "What it gains: gain +0.60 (2 tries), shrunk, but possibly flattered: by the very trial that chose it"
    )


def test_what_the_page_of_a_rule_says_is_not_said_again() -> None:
    counts = Solved(before=3, after=11, n=12, requests=3)
    lines = list(numbers(proven(edits=(an_edit("- Rule."),), solved=counts, guarded=2)))
    assert not any("did as you asked" in line or "other lessons" in line for line in lines)


def test_a_rule_of_several_names_the_others() -> None:
    one, other = an_edit("- One."), an_edit("- Two.")
    whole = proven(edits=(one, other))
    part = proven(id="P-0001.1", edits=(one,))
    assert list(statistics(part, whole))[-1] == "P-0001 also has: «- Two.»"


def test_without_a_trial_nothing_is_claimed() -> None:
    assert list(numbers(proven(before=None, after=None, error_rate=""))) == []


def test_of_several_rules_each_is_shown_with_its_own_numbers() -> None:
    rules = tuple(an_edit(f"- Rule {n}.") for n in range(2))
    effects = tuple(
        EditEffect(edit=rule, effect=Effect.HELPED, n=6, before=0.0, after=0.5, interval=(0.1, 0.9)) for rule in rules
    )

    lines = list(numbers(proven(edits=rules, effects=effects)))

    assert "  «- Rule 0.»: by itself +0.50 (90 % interval +0.10 to +0.90) (6 tries)" in lines
    assert sum("by itself" in line for line in lines) == 2
    assert not any("by itself" in line for line in numbers(proven(edits=rules[:1], effects=effects[:1])))
