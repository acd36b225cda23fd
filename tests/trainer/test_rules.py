"""The rules of a skill are what its training's edits added, as far as they stand there as they were added."""

from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import AppliedEdit, Edit, EditFate, EditOp, EditSource
from skillopt_sleep.trainer.data import as_document
from skillopt_sleep.trainer.removal import learned_rules, taking_out
from skillopt_sleep.trainer.summary import Action, Gated, RuleWorth, Scores, SkillVersion, StepRecord


def a_step(number: int, *edits: Edit, fate: EditFate = EditFate.APPLIED) -> StepRecord:
    return StepRecord(
        step=number,
        epoch=1,
        calls=0,
        train=Scores(),
        edits=tuple(AppliedEdit(edit=edit, fate=fate) for edit in edits),
        gated=Gated(action=Action.ACCEPT),
        current=SkillVersion(sha=""),
        best=SkillVersion(sha=""),
    )


def an_edit(content: str, *tasks: str, source: EditSource = EditSource.FAILURE) -> Edit:
    return Edit(op=EditOp.APPEND, content=content, tasks=tasks, source=source)


def test_only_what_an_applied_edit_added_and_still_stands_is_a_rule() -> None:
    initial, skill = as_document("- Mine."), as_document("- Mine.\n- One.\n- Two, changed.\n- Guided.")
    steps = [
        a_step(1, an_edit("- Mine.", "a"), an_edit("- One.", "a"), an_edit("- Two.", "a")),
        a_step(2, an_edit("- One.", "b", "a"), an_edit("- Guided.", "a", source=EditSource.SLOW)),
        a_step(3, an_edit("- Mine.\n- One.", "c"), fate=EditFate.REFUSED),
    ]
    assert learned_rules(steps, skill, initial) == (RuleWorth(rule="- One.", step=1, items=("a", "b")),)


def test_a_rule_is_taken_out_where_it_stands_by_itself() -> None:
    rule = RuleWorth(rule="Be brief.", step=1, items=())
    for text, left in (
        ("# A\n\nBe brief.\n\n# B", "# A\n\n# B"),
        ("- Be brief. Always.\nBe brief.\n- C.", "- Be brief. Always.\n- C."),
    ):
        shorter = candidate(as_document(text), [taking_out(as_document(text), rule)])
        assert shorter is not None
        assert shorter.text == left
