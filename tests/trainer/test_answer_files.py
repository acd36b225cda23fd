"""Val and test answers and the optimizer's raw replies can be read in the run's folder, the same after a resume."""

import json
from pathlib import Path

from skillopt_sleep.errors import BackendUnavailable
from skillopt_sleep.records import Prompt, Purpose
from tests.trainer.toy import Scripted, a_trainer, bytes_of


def test_every_val_and_test_answer_can_be_read(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path).train()
    for split, scores in (("val", summary.best.val), ("test", summary.best.test)):
        file = tmp_path / "answers" / f"{split}-{summary.best.version.sha[:12]}.json"
        rows = json.loads(file.read_text(encoding="utf-8"))
        assert scores is not None
        assert sum(row["hard"] for row in rows) / len(rows) == scores.hard
        assert all(row["id"].startswith(split) and row["response"] for row in rows)


def test_every_raw_reply_of_the_optimizer_is_in_its_steps_folder(tmp_path: Path) -> None:
    model = Scripted()
    a_trainer(tmp_path, model).train()
    text = (tmp_path / "steps" / "step_0001" / "replies.md").read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line.startswith("# ")]
    assert heads == sorted(heads)
    assert {head.split()[1] for head in heads} >= {"reflect", "select"}
    (reply, *_) = [part for part in text.split("# ") if part.startswith("reflect")]
    assert "edits" in json.loads(reply.partition("\n")[2])


def test_the_replies_of_a_step_that_was_cut_short_can_be_read(tmp_path: Path) -> None:
    def stop(prompt: Prompt, _number: int) -> None:
        if prompt.asker == "step 2" and prompt.purpose is Purpose.SELECT:
            raise KeyboardInterrupt

    assert a_trainer(tmp_path, Scripted(stop)).train().stopped
    text = (tmp_path / "steps" / "step_0002" / "replies.md").read_text(encoding="utf-8")
    assert text.startswith("# aggregate ")


def test_a_resumed_run_has_the_same_files(tmp_path: Path) -> None:
    a_trainer(tmp_path / "whole").train()

    def stop(_prompt: Prompt, number: int) -> None:
        if number == 40:
            raise BackendUnavailable("gone")

    try:
        a_trainer(tmp_path / "cut", Scripted(stop)).train()
    except BackendUnavailable:
        a_trainer(tmp_path / "cut", workers=1).train()
    assert bytes_of(tmp_path / "cut") == bytes_of(tmp_path / "whole")
