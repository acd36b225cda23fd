"""The second world of trainers does what it says, and both sides of a comparison are asked the same."""

from statistics import fmean

import pytest

from bench import trainer_peers
from bench.peers_edits import Edit, rewritten
from bench.peers_fresh_data import HARMFUL, RULES, TOPICS, USELESS, case, data
from bench.peers_lab import train
from bench.peers_world_fresh import NOISE, PLACES, WRONG, Model, items, rules, shown, sizes

SEEDS = range(5000, 5006)


def strongest(seed: int) -> list[str]:
    """Return the best wording of each custom's rule."""
    potency = data(seed).potency
    return [max((rule for rule in RULES if RULES[rule] == topic), key=potency.__getitem__) for topic in TOPICS]


def test_a_target_starts_below_a_half_and_right_rules_are_worth_much() -> None:
    for place in PLACES:
        models = [Model(place, seed) for seed in SEEDS]
        before = [model.quality("") for model in models]
        after = [model.quality("\n".join(strongest(model.seed))) for model in models]

        assert 0.3 < fmean(before) < 0.5
        assert fmean(after) > fmean(before) + 0.15
        assert max(after) < 0.9


def test_harmful_rules_harm_on_average_and_useless_ones_do_nothing_until_there_are_too_many() -> None:
    for seed in SEEDS[:3]:
        model = Model("noisy", seed)
        plain = model.quality("")
        harmed = [model.quality(rule) for rule in HARMFUL]

        assert max(harmed) <= plain
        assert fmean(harmed) < plain - 0.01
        assert model.quality("\n".join(USELESS[:8])) == pytest.approx(plain)
        assert model.quality("\n".join(USELESS)) < plain


def test_some_right_rules_work_only_beside_another_one_and_some_cost_other_cases() -> None:
    its = data(5000)
    model = Model("clean", 5000)
    best = {RULES[rule]: rule for rule in strongest(5000)}
    for topic, other in its.beside.items():
        alone, both = model.quality(best[topic]), model.quality(f"{best[topic]}\n{best[other]}")
        assert alone <= model.quality("")
        assert both > model.quality(best[other])
    assert len([topic for topic in its.spoils if topic in TOPICS]) == 3


def test_what_is_learned_by_heart_helps_its_case_only() -> None:
    model = Model("clean", 5001)
    hard = next(item for item in items("train", 60, seed=5001) if model.attempt("", item.text) == WRONG)
    heart = f"- The shelf of case {hard.text.split()[2]} is {hard.answer}."

    assert rules(heart) == (heart,)
    assert model.attempt(heart, hard.text) == hard.answer
    assert model.quality(heart) == pytest.approx(model.quality(""), abs=0.002)


def test_the_share_of_right_verdicts_is_the_quality() -> None:
    for place in PLACES:
        model = Model(place, 5002)
        skill = "\n".join(strongest(5002)[:5])
        asked = items("test", 3000, seed=5002)
        right = fmean(model.attempt(skill, item.text, 1) == item.answer for item in asked)

        assert right == pytest.approx(model.quality(skill), abs=0.03)


def test_asked_once_more_the_target_repeats_itself_in_the_clean_place_only() -> None:
    asked = items("val", 200, seed=5003)
    for place, noise in NOISE.items():
        model = Model(place, 5003)
        first, second = ([model.attempt("", item.text, draw) for item in asked] for draw in (1, 2))

        assert (first == second) == (noise.luck[2] == 0)


def test_an_optimizer_writes_all_kinds_of_edits() -> None:
    asked = items("train", 60, seed=5004)
    model = Model("noisy", 5004)
    weak = [
        min((rule for rule in RULES if RULES[rule] == topic), key=data(5004).potency.__getitem__) for topic in TOPICS
    ]
    known = "\n".join((*weak[:3], HARMFUL[0]))
    found = [edit for draw in range(150) for edit in model.propose(known, asked[:8], asked[8:], draw, most=4)]
    found += [edit for draw in range(150) for edit in model.propose(known, [], asked[8:16], draw, most=4)]
    added = {edit.content for edit in found if edit.op == "append"}

    assert {edit.op for edit in found} == {"append", "replace", "delete"}
    assert all(added & {*pool} for pool in (RULES, HARMFUL, USELESS))
    assert any(content.startswith("- The shelf of case") for content in added)
    assert any(RULES.get(content) in {RULES[rule] for rule in weak[:3]} for content in added)
    assert {len(edit.items) for edit in found} >= {0, 1, 8}


def test_what_was_tried_in_vain_is_proposed_less_often() -> None:
    asked = items("train", 8, seed=5005)
    model = Model("noisy", 5005)
    tried = "\n".join((*HARMFUL, *USELESS))

    def again(told: str) -> int:
        found = [edit for draw in range(200) for edit in model.propose("", asked, [], draw, most=4, tried=told)]
        return sum(edit.content in tried for edit in found)

    assert again(tried) < 0.8 * again("")


def test_wordings_of_one_custom_are_mostly_merged() -> None:
    first, second = [Edit(rule) for rule, topic in RULES.items() if topic == "refunds"][:2]
    kept = [len(Model("clean", 5006).merged([first, first, second], draw)) for draw in range(100)]

    assert set(kept) == {1, 2}
    assert 1.2 < fmean(kept) < 1.6


def test_the_needs_of_cases_have_a_long_tail() -> None:
    needed = [topic for item in items("test", 2000, seed=5007) for topic in case(5007, item.id, item.kind).needs]
    counts = sorted((needed.count(topic) for topic in TOPICS), reverse=True)

    assert counts[0] > 3 * counts[5] > 0
    assert counts[-1] < 0.05 * len(needed)


def test_a_text_gives_back_its_items_and_edits_its_skill() -> None:
    asked = items("val", 3, seed=5008)
    skill = rewritten(
        "Title.\n- a.\n- b.",
        [Edit("- c."), Edit("", op="delete", target="- a."), Edit("- d.", (), "replace", "- b.")],
    )

    assert shown(" and ".join(item.text for item in asked)) == asked
    assert skill == "Title.\n- d.\n- c."


def test_a_peer_may_call_as_often_as_ours_did() -> None:
    ours = [trainer_peers.Ended(0.5, 0.0, calls, 0, {}, 0.0, 0.0) for calls in (100, 5000)]
    seeds = range(2)

    assert trainer_peers.allowed("fresh", "gepa", seeds, ours) == {0: sizes(0)["budget"], 1: 5000}
    assert trainer_peers.allowed("dates", "gepa", seeds, ours) == {0: 480, 1: 480}


def test_a_training_in_it_is_the_same_for_the_same_seed() -> None:
    run = trainer_peers.a_run("fresh", "noisy", "ours", 5010, 0)
    run["config"]["train"]["epochs"] = 1
    first = train(run)

    assert train(run) == first
    assert first["calls"] > 100
