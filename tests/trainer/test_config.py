from pathlib import Path
from typing import Any

import msgspec
import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings.load import sections
from skillopt_sleep.trainer import TrainerConfig, load_config
from skillopt_sleep.trainer.names import OURS, WITHOUT
from tests.trainer.toy import a_config


def _written(folder: Path, text: str) -> Path:
    path = folder / "toy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_defaults_are_those_of_the_field() -> None:
    own = TrainerConfig()
    assert (own.train.epochs, own.train.batch_size, own.gradient.minibatch, own.gradient.merge_batch) == (4, 40, 8, 8)
    assert (own.optimizer.edit_budget, own.optimizer.min_edit_budget, own.optimizer.schedule) == (4, 2, "cosine")
    assert (own.evaluation.gate, own.evaluation.metric, own.train.seed) == ("strict", "hard", 42)


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        ("[optimizer]\nedit_budgt = 9\n", "optimizer.edit_budgt", "optimizer.edit_budget"),
        ("[optimiser]\n", "optimiser", "optimizer"),
        ('[optimizer]\nschedule = "cosin"\n', "optimizer.schedule", "cosine"),
        ("[evaluation]\nmixed_weight = 1.5\n", "mixed_weight", ""),
        ("[gradient]\nmerge_batch = 1\n", "merge_batch", ""),
        ("[optimizer]\nedit_budget = 1\nmin_edit_budget = 2\n", "min_edit_budget is above", ""),
        ('[gradient]\nskill_aware = true\n[optimizer]\nmode = "rewrite"\n', "skill_aware works with", ""),
        ("[evaluation]\nrounds = 3\n", "evaluation.rounds works with evaluation.gate sequential", ""),
        ("[evaluation]\nmin_effect = 0.9\n", "evaluation.min_effect works with", ""),
        (
            '[train]\npatience = 2\n[evaluation]\ngate = "sequential"\n',
            "train.patience works with evaluation.judge step or epoch only",
            "",
        ),
        ('[train]\ntarget = 0.5\n[evaluation]\njudge = "end"\n', "train.target works with evaluation.judge", ""),
        ("[train]\nnum_epochs = 2\n", "train.num_epochs", "it is called 'train.epochs' here"),
        ("learning_rate = 4\n", "learning_rate", "it is called 'optimizer.edit_budget' here"),
        ('lr_scheduler = "autonomous"\n', "lr_scheduler", "its autonomous (no limit of edits) 'none'"),
        ("[evaluation]\nuse_semantic_density = true\n", "use_semantic_density", "leave it out: it rewards"),
        ("[train]\nepochs = 2\n", "names no environment", "[env]"),
        ("[optimizer]\nmin_edit_budget = 9\n", "toy.toml: optimizer.min_edit_budget is above", "train --init"),
        ('[train]\nskill = "start.md"\n', "unknown key 'train.skill'", "write it above the first section"),
        ('[judge]\nmodel = "m"\n', "unknown key 'judge'", "known here: skill, train"),
        ("[backend]\ntimeout = 5\n", "backend.timeout must be", 'such as: timeout = "300s"'),
        ("[optimizer]\nalpha = 0.1\n", "unknown key 'optimizer.alpha'", "write it in [evaluation]"),
        ("[train]\nepochs = 0\n", "train.epochs", "such as: epochs = 4"),
        ("[train\n", "line 1", "fix the file"),
    ],
)
def test_an_impossible_value_is_refused_with_the_nearest_one(
    tmp_path: Path, text: str, said: str, remedy: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load_config(_written(tmp_path, text))
    assert said in refused.value.message
    assert remedy in refused.value.remedy


def test_the_names_of_other_projects_lead_to_keys_that_are_there() -> None:
    known = {"skill"} | {
        f"{section}.{field.name}"
        for section, kind in sections(TrainerConfig).items()
        if kind is not None
        for field in msgspec.structs.fields(kind)
    }
    assert set(OURS.values()) <= known
    assert not OURS.keys() & WITHOUT.keys()


def test_the_environments_own_options_are_free(tmp_path: Path) -> None:
    config = load_config(_written(tmp_path, '[env]\nname = "toy"\ndata = "here.json"\n'))
    assert load_config(str(tmp_path / "toy.toml")) == config
    assert config.env == {"name": "toy", "data": "here.json"}


@pytest.mark.parametrize(
    ("optimizer", "evaluation", "trials"),
    [
        ({"slow_update": False}, {"judge": "step"}, 6),
        ({"slow_update": True}, {"judge": "step"}, 7),
        ({"slow_update": True, "slow_gated": True}, {"judge": "step"}, 7),
        ({"screen": 2}, {"judge": "epoch"}, 2),
        ({"screen": 2}, {"judge": "auto"}, 1),
        ({"screen": 0}, {"judge": "auto"}, 7),
    ],
)
def test_the_error_rate_is_shared_by_the_trials_that_are_left(
    optimizer: dict[str, Any], evaluation: dict[str, Any], trials: int
) -> None:
    config = a_config(optimizer=optimizer, evaluation={"gate": "sequential", **evaluation})
    assert config.trials_left(epochs=2, steps=6) == trials


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"optimizer": {"screen": 0}, "evaluation": {"judge": "end"}}, "needs optimizer.screen"),
        ({"optimizer": {"screen": 2, "slow_gated": True}, "evaluation": {"judge": "epoch"}}, "slow_gated"),
        ({"optimizer": {"screen": 2, "search": "pareto"}, "evaluation": {"judge": "epoch"}}, "search pareto"),
        ({"evaluation": {"gate": "sequential", "samples": 2}}, "evaluation.samples"),
        ({"evaluation": {"rounds": 2}}, "evaluation.rounds"),
    ],
)
def test_keys_that_contradict_each_other_are_named(sections: dict[str, Any], said: str) -> None:
    assert said in a_config(**sections).impossible()


def test_a_file_that_is_not_there_and_a_folder_are_said_to_be_so(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none.toml", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(ConfigError, match=said) as refused:
            load_config(path)
        assert refused.value.message.startswith(f"{path}: ")
        assert refused.value.remedy == "name a file that can be read"
