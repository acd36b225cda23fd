"""The gate's benchmark sees what it is for: planted cheats, known intervals, worlds that do what they say."""

import math
import random
from collections.abc import Sequence

import pytest

from skillopt_sleep.records import GateRule, Outcome, Prompt, Purpose, Split
from tests.benchmarks.gate_cells import CELLS, DECISIVE, NULL, USELESS, WORDS
from tests.benchmarks.gate_figures import Count, figures
from tests.benchmarks.gate_machine import NightCell, Real, figures as real_figures, paying_for_length, real_night
from tests.benchmarks.gate_nights import Cell, Ended, chain
from tests.benchmarks.gate_sprt import paired_sprt
from tests.benchmarks.gate_worlds import SAID, Asked, Rule, Target, World
from tests.builders import a_task

ALL = frozenset(WORDS)


def ended(staged: frozenset[str] = ALL, told: float | None = 0.5) -> Ended:
    return Ended(staged, len(staged) and 1, 20, 20, told, undecided=False, early=False)


def test_a_gate_that_accepts_everything_is_seen() -> None:
    claimed = figures({cell: [ended()] * 50 for cell in CELLS})

    bad = ("false_accept", "uneven_accept", "riders_staged_7", "riders_staged_4", "mixed_accept", "harmful_accept")
    assert {name: claimed[name] for name in bad} == dict.fromkeys(bad, 1.0)
    assert claimed["gain_bias"] == pytest.approx(0.3)


def test_a_gate_that_accepts_nothing_is_seen() -> None:
    claimed = figures({cell: [ended(frozenset(), None)] * 50 for cell in CELLS})

    good = (
        "decisive_power",
        "decisive_power_half",
        "power_30_three_nights_4",
        "power_30_three_nights_7",
        "useful_kept",
    )
    assert {name: claimed[name] for name in good} == dict.fromkeys(good, 0.0)


def test_one_bad_null_cell_is_the_figure() -> None:
    bad = next(cell for cell in CELLS if cell.group == NULL and cell.target.jump > 0)
    ends = {cell: [ended(frozenset(), None)] * 400 for cell in CELLS}
    ends[bad] = [ended()] * 40 + ends[bad][40:]

    assert figures(ends)["false_accept"] == pytest.approx(Count(40, 400).interval[1], abs=1e-4)


def test_a_rule_without_an_error_rate_is_found_out() -> None:
    strict = GateRule(name="strict", rounds=1)
    hits = sum(chain(Cell(NULL, "a coin", 7, USELESS), seed, strict).documents for seed in range(100))

    assert Count(hits, 100).interval[0] > 0.2


def test_a_chain_is_the_same_for_the_same_seed() -> None:
    cell = next(cell for cell in CELLS if cell.nights > 1)

    assert chain(cell, 3) == chain(cell, 3)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)]
)
def test_wilsons_interval_is_the_one_in_the_books(hits: int, of: int, low: float, high: float) -> None:
    assert Count(hits, of).interval == pytest.approx((low, high), abs=1e-4)


def test_of_nothing_all_is_possible() -> None:
    assert Count(0, 0).interval == (0.0, 1.0)
    assert math.isnan(Count(0, 0).rate)


def answers(target: Target, texts: Sequence[str], *, rules: tuple[Rule, ...] = USELESS) -> list[str]:
    """What the target says to these prompts about one val task."""
    world = World("seed", rules, target)
    world.know([Asked(a_task(id="t", split=Split.VAL), "own", 0.5)])
    return [
        world.complete(Prompt(purpose=Purpose.ROLLOUT, text=text, asker="t", sample=n)).text
        for n, text in enumerate(texts)
    ]


def test_a_target_that_repeats_by_prompt_says_the_same_to_the_same_words_only() -> None:
    same, again, other = answers(Target(repeats="prompt"), ["do it", "do it", "do it, on Monday"])

    assert same == again != other


def test_a_target_that_repeats_by_request_is_blind_to_all_but_the_document() -> None:
    before, again, after = answers(Target(repeats="request"), ["do it", "do it on Monday", f"{WORDS['first']} do it"])

    assert before == again != after


def test_an_edit_that_rerolls_no_task_changes_no_answer() -> None:
    before, after = answers(Target(repeats="request", rerolled=0.0), ["do it", f"{WORDS['first']} do it"])

    assert before == after


def test_an_ordinary_target_draws_each_sample_anew_but_keeps_its_answer() -> None:
    world = World("seed", USELESS, Target())
    world.know([Asked(a_task(id="t", split=Split.VAL), "own", 0.5)])
    prompts = [Prompt(purpose=Purpose.ROLLOUT, text="do it", asker="t", sample=sample) for sample in (0, 0, 1)]
    first, again, second = (world.complete(prompt).text for prompt in prompts)

    assert first == again != second
    assert world.val_calls == 2


def test_the_paired_test_that_knows_the_effect_has_the_power_it_is_made_for() -> None:
    draw = random.Random(1)
    useful = [paired_sprt(0.5, 0.8, val=14, fresh=2, nights=9, rounds=5, draw=draw).accepted for _ in range(400)]

    assert sum(useful) > 360


def test_a_judge_that_pays_for_length_pays_for_length_only() -> None:
    answer = f"Worth 0.000: 0123456789abcdef. {SAID}"

    assert paying_for_length(random.Random(1), "", answer) == 0.0
    assert paying_for_length(random.Random(1), "", answer * 3) == pytest.approx(0.3)


def test_a_real_night_learns_what_is_decisive_and_says_so() -> None:
    end = real_night(NightCell("night: decisive", DECISIVE, base=0.0), 1)

    assert (end.outcome, end.staged) == (Outcome.IMPROVED, {"first"})


def test_a_judge_that_is_fooled_is_seen() -> None:
    lenient = NightCell("judges: lenient", USELESS)
    fooled = Real(Outcome.IMPROVED, frozenset({"first"}), 10, 1)
    idle = Real(Outcome.NO_HEADROOM, frozenset(), 5, 0)

    claimed = real_figures({lenient: [fooled, idle]})
    assert claimed == {"judges_improved": 0.5, "judges_nothing_to_do": 0.5}


def test_every_rule_of_the_cells_has_words_of_its_own() -> None:
    assert all(one not in other for one in WORDS.values() for other in WORDS.values() if one is not other)
