"""Which test holds which fault of the research trainer (U) and of skillrl (S): the list itself is kept true.

Left out are faults that nothing of ours could have: U13 and U20 are of backends and hosts that it names in its own
files, S7 of a state that ours has none of, S9 of a default that is an argument here.
"""

import re
from pathlib import Path

import pytest

HELD = {
    "U1 stale test scores": ["test_an_extended_run_is_the_longer_run"],
    "U2 a score of 0 taken for none": ["test_a_score_of_zero_is_a_score_when_a_run_goes_on"],
    "U3 a schedule that drifts": ["test_the_edit_budget_is_that_of_the_step_s_number_even_after_a_skip"],
    "U4 step memory lost on resume": ["test_a_run_that_goes_on_asks_the_same_questions_as_one_that_never_stopped"],
    "U5 keys in clear": ["test_no_secret_stands_in_what_a_run_writes", "test_nothing_secret_is_written"],
    "U6 a relaunch that forgets": ["test_a_finished_run_that_is_started_again_tells_what_it_told"],
    "U7 a budget of 0 that applies an edit": [
        "test_a_budget_of_nothing_applies_nothing",
        "test_a_budget_that_can_not",
    ],
    "U8 minibatches by completion": ["test_the_same_run_makes_the_same_minibatches", "test_the_order_in_which_calls"],
    "U9 protected text deleted": ["test_an_edit_that_runs_into_the_protected_block_is_refused"],
    "U10 blank lines collapsed": ["test_a_slow_update_leaves_the_blank_lines_of_the_skill_as_they_are"],
    "U11 nothing counted as applied": ["test_an_edit_that_changes_nothing_is_not_applied_and_not_tried"],
    "U12 eval of all": [
        "test_an_empty_split_and_an_outage_are_no_score",
        "test_a_skill_is_scored_on_the_split_that_is_named",
    ],
    "U14 JSON that is a list": ["test_a_reply_in_another_form_is_a_failed_call_and_never_the_end_of_the_run"],
    "U15 a wheel without prompts": ["test_the_wheel_holds_everything_that_a_training_reads"],
    "U16 no types": ["test_results_are_broken_down_by_the_items_own_types"],
    "U17 a run moved or cut": ["test_a_run_goes_on_in_another_place", "test_a_damaged_history_is_written_anew"],
    "U18 an outage as 0": [
        "test_an_attempt_that_could_not_be_made_is_no_zero",
        "test_where_most_of_val_can_not_be_scored_there_is_no_training",
    ],
    "U19 scores of another text": ["test_a_forced_slow_update_has_no_score_that_was_measured_on_another_text"],
    "S1 a resume that starts over": ["test_a_finished_run_that_is_started_again_tells_what_it_told"],
    "S2 a dead endpoint as 0": ["test_a_dead_endpoint_ends_the_run_and_scores_nothing"],
    "S3 malformed replies that kill": ["test_many_replies_that_can_not_be_used_end_nothing"],
    "S4 a right answer inside a longer one": ["test_an_answer_that_only_contains_the_right_one_is_wrong"],
    "S5 another configuration on resume": ["test_a_changed_configuration_is_refused_with_the_difference"],
    "S6 grades cut to whole numbers": ["test_a_grade_in_between_stays_what_it_is"],
    "S8 no tokens, no systemic failure": [
        "test_every_stage_tells_its_calls_and_tokens",
        "test_an_optimizer_whose_every_reply_is_of_no_use_ends_the_run_and_is_no_result",
    ],
    "S9 a verdict that can be changed": ["test_what_the_gate_said_can_not_be_changed_afterwards"],
}


@pytest.mark.parametrize("fault", HELD)
def test_every_fault_of_theirs_is_held_by_tests_that_are_there(fault: str) -> None:
    folders = (Path(__file__).parent, Path(__file__).parents[1] / "cli")
    text = "\n".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("test_*.py"))
    missing = [name for name in HELD[fault] if not re.search(rf"^def {name}", text, re.MULTILINE)]
    assert missing == []
