from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.cli.train_shown import best_line, partial, scored
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Note, Prompt
from skillopt_sleep.trainer.summary import Scores
from tests.trainer.toy import Scripted, a_trainer


def test_what_of_a_training_is_in_part_is_told(tmp_path: Path) -> None:
    def refuse(prompt: Prompt, number: int) -> None:
        if "test request 3" in prompt.text:
            raise CallFailed(FailureKind.REFUSED, "no")

    whole = a_trainer(tmp_path / "whole").train()
    assert partial(whole) == []
    assert "The best skill is in" in best_line(whole, Path("run"))
    summary = a_trainer(tmp_path / "part", Scripted(refuse)).train()
    assert partial(summary) == [
        "1 of 8 test items of the initial skill have no score (refused: no)",
        "1 of 8 test items of the best skill have no score",
        "1 of 8 test items of the final skill have no score",
    ]
    assert partial(replace(whole, notes=(Note(stage="reflect", summary="no"),))) == ["failed on the way: reflect: no"]
    told = Note(stage="gate", summary="12 val items can only prove a gain of 0.50 or more", expected=True)
    assert partial(replace(whole, notes=(told,))) == []


def test_a_mixed_score_stands_beside_the_two_that_it_is_made_of() -> None:
    assert scored(Scores(hard=0.5, soft=0.75, metric=0.625, n=8)) == "hard 0.500, soft 0.750, mixed 0.625 (n=8)"
    assert scored(Scores(hard=0.5, soft=0.75, metric=0.75, n=8)) == "hard 0.500, soft 0.750 (n=8)"
