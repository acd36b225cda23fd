from collections import Counter
from pathlib import Path

import pytest

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.learning.learn import Draft
from skillopt_sleep.records import AppliedEdit, Completion, Edit, EditFate, EditOp, Prompt, Purpose, Split
from skillopt_sleep.trainer.data import as_document
from skillopt_sleep.trainer.gate import screened
from skillopt_sleep.trainer.summary import History
from tests.trainer.test_gate import some_parts
from tests.trainer.toy import Scripted, a_config, a_trainer


class Fallible(Scripted):
    """Proposes a useless edit beside each one that helps."""

    def complete(self, prompt: Prompt) -> Completion:
        completion = super().complete(prompt)
        if prompt.purpose is not Purpose.REFLECT:
            return completion
        text = completion.text.replace('{"edits": [', '{"edits": [{"op": "append", "content": "- Be kind."}, ', 1)
        return decoded(prompt, Completion(text=text.replace("}, ]", "}]")))


def test_an_edit_that_gains_nothing_on_train_never_reaches_val(tmp_path: Path) -> None:
    config = a_config(
        "default",
        gradient={"minibatch": 1, "merge_batch": 8, "failure_only": True},
        optimizer={"schedule": "none"},
    )

    class Both(Fallible):
        def _answer(self, prompt: Prompt) -> str:
            if prompt.purpose is Purpose.AGGREGATE:
                found = sorted(set(prompt.text.split("append '': ")[1:]))
                rules = dict.fromkeys(line.splitlines()[0] for line in found)
                edits = ", ".join(f'{{"op": "append", "content": "{rule}"}}' for rule in rules)
                return f'{{"edits": [{edits}]}}'
            return super()._answer(prompt)

    model = Both()
    summary = a_trainer(tmp_path, model, config=config).train()
    assert "Be kind" not in summary.best_skill
    assert "Say alpha" in summary.best_skill
    asked = [prompt.text for prompt in model.prompts if "val request" in prompt.text]
    assert not any("Be kind" in text for text in asked)
    history = from_json((tmp_path / "history.json").read_bytes(), History)
    fates = Counter(fate.fate for step in history.steps for fate in step.edits)
    assert fates[EditFate.LEFT_OUT] > 0


@pytest.mark.parametrize("gains", [True, False])
def test_an_edit_is_tried_on_the_items_it_names_only(tmp_path: Path, *, gains: bool) -> None:
    asked: list[tuple[int, str]] = []

    def grade(skill: str, n: int, sample: int) -> float:
        asked.append((n, skill))
        return float(gains and "Good" in skill)

    parts = some_parts(tmp_path, grade)
    document = as_document("- Old.")
    fates: list[AppliedEdit] = []
    for place, word in enumerate(("Good", "Good too")):
        edit = Edit(op=EditOp.APPEND, content=f"- {word}.", tasks=(parts.items[Split.TRAIN][place].id,))
        fates.append(AppliedEdit(edit=edit, fate=EditFate.APPLIED))
    drafted = Draft(candidate=as_document("- Old.\n- Good.\n- Good too."), fates=tuple(fates))

    found = screened(parts, document, drafted)

    assert Counter(n for n, _ in asked) == {0: 4, 1: 4}
    assert (found.candidate.text == document.text) is not gains


def test_an_edit_whose_attempts_have_no_score_is_not_taken_for_useless(tmp_path: Path) -> None:
    parts = some_parts(tmp_path, lambda skill, n, sample: None)
    edit = Edit(op=EditOp.APPEND, content="- Good.", tasks=(parts.items[Split.TRAIN][0].id,))
    drafted = Draft(candidate=as_document("- Old.\n- Good."), fates=(AppliedEdit(edit=edit, fate=EditFate.APPLIED),))
    assert screened(parts, as_document("- Old."), drafted) == drafted


def test_a_step_whose_edits_all_gain_nothing_asks_val_nothing(tmp_path: Path) -> None:
    class Useless(Scripted):
        def _answer(self, prompt: Prompt) -> str:
            if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
                return '{"edits": [{"op": "append", "content": "- Be careful."}]}'
            return super()._answer(prompt)

    model = Useless()
    config = a_config("default", evaluation={"test": False})
    summary = a_trainer(tmp_path, model, config=config).train()
    assert summary.actions == {"skip_no_gain": 4}
    assert len([prompt for prompt in model.prompts if "val request" in prompt.text]) == 8
