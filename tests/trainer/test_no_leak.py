"""The optimizer learns the right answers of train items, and none of val or test."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer import Dataset
from tests.trainer.toy import Scripted, a_config, a_trainer


class Coding(Scripted):
    """The target answers with the codes in its skill, and reflection puts those in it that it was told."""

    def _answer(self, prompt: Prompt) -> str:
        match prompt.purpose:
            case Purpose.ROLLOUT:
                kind = re.findall(r"kind (\d)\?", prompt.text)[-1]
                known = f"Say okapi{kind}x." in prompt.text
                return f"<answer>{f'okapi{kind}x' if known else 'gnu'}</answer>"
            case Purpose.REFLECT:
                told = dict.fromkeys(re.findall(r"the right answer was '(okapi\dx)", prompt.text))
                edits = [{"op": "append", "content": f"- Say {one}."} for one in (*told, "gnu twice")]
                return json.dumps({"edits": edits})
            case Purpose.AGGREGATE:
                found = dict.fromkeys(re.findall(r"append '': - (Say [^.]+\.)", prompt.text))
                return json.dumps({"edits": [{"op": "append", "content": f"- {rule}"} for rule in found]})
            case _:
                return super()._answer(prompt)


def a_dataset(folder: Path) -> Dataset:
    for split, count in (("train", 16), ("val", 12), ("test", 8)):
        rows = [
            {"id": f"{split}-{n}", "question": f"What is the code of kind {n % 4}?", "answer": f"okapi{n % 4}x {split}mark"}
            for n in range(count)
        ]  # fmt: skip
        folder.joinpath(f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return Dataset(path=str(folder), score="f1")


@pytest.mark.parametrize("preset", ["default", "skillopt", "evidence"])
@pytest.mark.parametrize("mode", ["patch", "rewrite"])
def test_reflection_is_told_right_answers_of_train_and_no_prompt_those_of_val_or_test(
    tmp_path: Path, preset: str, mode: str
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    model = Coding()
    config: Any = a_config(preset, train={"epochs": 3}, optimizer={"mode": mode})
    summary = a_trainer(tmp_path / "run", model, config=config, env=a_dataset(data)).train()
    assert summary.best.val.metric is not None
    assert summary.best.val.metric > (summary.initial.val.metric or 0)
    texts = [prompt.text for prompt in model.prompts if prompt.purpose is not Purpose.ROLLOUT]
    assert any("trainmark" in text for text in texts)
    assert not [text for text in texts if "valmark" in text or "testmark" in text]
    if preset == "skillopt":
        assert {Purpose.SLOW_UPDATE, Purpose.META_SKILL} <= {prompt.purpose for prompt in model.prompts}
