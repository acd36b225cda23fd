"""What a training says of a skill at its end is one number for one text."""

import json
from pathlib import Path

from skillopt_sleep.cli.train_shown import summary_lines
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from skillopt_sleep.trainer.parts import CONFIRMING
from tests.trainer.toy import Scripted, a_config, a_trainer


def test_where_nothing_was_tried_no_further_pass_is_made_and_none_is_counted(tmp_path: Path) -> None:
    config = a_config("default", evaluation={"test": False})

    class Silent(Scripted):
        def _answer(self, prompt: Prompt) -> str:
            none = prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}
            return '{"edits": []}' if none else super()._answer(prompt)

    model = Silent()
    summary = a_trainer(tmp_path, model, config=config).train()
    assert summary.reported is not None
    assert summary.reported.tried == 0
    assert summary.costs["val"].calls == 8
    assert "(n=8, 0 skills tried)" in "\n".join(summary_lines(summary, None))


def test_the_evidence_gate_at_the_end_asks_val_for_its_trial_and_the_report_alone(tmp_path: Path) -> None:
    config = a_config("evidence", optimizer={"edit_budget": 4}, evaluation={"test": False})
    summary = a_trainer(tmp_path, config=config).train()
    assert summary.best.version.step > 0
    answers = json.loads((tmp_path / f"answers/val-{summary.best.version.sha[:12]}.json").read_bytes())
    samples = {answer["sample"] for answer in answers}
    assert {sample for sample in samples if sample < CANDIDATE_SAMPLES} == {CONFIRMING}
