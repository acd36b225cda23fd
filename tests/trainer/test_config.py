from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import sections_of
from skillopt_sleep.trainer import TrainerConfig, load_config
from skillopt_sleep.trainer.config import PRESETS, SKILLOPT_KEYS, SKILLOPT_KEYS_LEFT_OUT


def _written(folder: Path, text: str) -> Path:
    path = folder / "toy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_defaults_are_those_of_the_field() -> None:
    own = TrainerConfig()
    assert (own.epochs, own.train.batch_size, own.gradient.minibatch, own.gradient.merge_batch) == (5, 40, 8, 8)
    assert (own.optimizer.edit_budget, own.optimizer.min_edit_budget, own.optimizer.schedule) == (4, 2, "cosine")
    assert (own.of_preset.gate, own.evaluation.metric, own.train.seed) == ("strict", "hard", 42)


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        ("[optimizer]\nedit_budgt = 9\n", "optimizer.edit_budgt", "optimizer.edit_budget"),
        ("[optimiser]\n", "optimiser", "optimizer"),
        ('[optimizer]\nschedule = "cosin"\n', "optimizer.schedule", "cosine"),
        ("[evaluation]\nmixed_weight = 1.5\n", "mixed_weight", ""),
        ("[gradient]\nmerge_batch = 1\n", "merge_batch", ""),
        (
            "[optimizer]\nedit_budget = 1\nmin_edit_budget = 2\n",
            "min_edit_budget is 2, above optimizer.edit_budget: set it to 1 or less",
            "",
        ),
        (
            'preset = "evidence"\n[train]\npatience = 2\n',
            "train.patience does nothing with the preset evidence",
            "",
        ),
        ("use_slow_update = true\n", "use_slow_update", 'preset = "skillopt"'),
        ("[train]\nnum_epochs = 2\n", "train.num_epochs", "it is called 'train.epochs' here"),
        ("learning_rate = 4\n", "learning_rate", "it is called 'optimizer.edit_budget' here"),
        ('lr_scheduler = "autonomous"\n', "lr_scheduler", "its autonomous (no limit of edits) 'none'"),
        ("[evaluation]\nuse_semantic_density = true\n", "use_semantic_density", "leave it out: it rewards"),
        ("[train]\nepochs = 2\n", "names no environment", "[env]"),
        ("[optimizer]\nmin_edit_budget = 9\n", "toy.toml: optimizer.min_edit_budget is 9, above", "train --init"),
        ('[train]\nskill = "start.md"\n', "unknown key 'train.skill'", "did you mean 'skill'?"),
        ('[judge]\nmodel = "m"\n', "unknown key 'judge'", "known here: preset, skill, train"),
        ("[backend]\ntimeout = 5\n", "backend.timeout must be", 'such as: timeout = "300s"'),
        ("[optimizer]\nalpha = 0.1\n", "unknown key 'optimizer.alpha'", "did you mean 'evaluation.alpha'?"),
        ("[train]\nbatch_size = 0\n", "train.batch_size", "such as: batch_size = 40"),
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
    known = {"preset", "skill"} | {
        f"{section}.{field.name}"
        for section, kind in sections_of(TrainerConfig).items()
        if kind is not None
        for field in msgspec.structs.fields(kind)
    }
    assert set(SKILLOPT_KEYS.values()) <= known
    assert not SKILLOPT_KEYS.keys() & SKILLOPT_KEYS_LEFT_OUT.keys()


def test_the_environments_own_options_are_free(tmp_path: Path) -> None:
    config = load_config(_written(tmp_path, '[env]\nname = "toy"\ndata = "here.json"\n'))
    assert load_config(str(tmp_path / "toy.toml")) == config
    assert config.env == {"name": "toy", "data": "here.json"}


@pytest.mark.parametrize(
    ("name", "epochs", "gate", "at_end"),
    [("default", 5, "strict", False), ("skillopt", 4, "strict", False), ("evidence", 5, "sequential", True)],
)
def test_a_preset_decides_how_skills_are_chosen(name: str, epochs: int, gate: str, *, at_end: bool) -> None:
    config = msgspec.convert({"preset": name}, TrainerConfig)
    assert (config.epochs, config.rule().name, config.of_preset.at_end) == (epochs, gate, at_end)
    assert msgspec.convert({"preset": name, "train": {"epochs": 2}}, TrainerConfig).epochs == 2


def test_only_the_preset_of_skillopt_looks_back_and_tries_no_edit_on_train() -> None:
    for name, preset in PRESETS.items():
        is_skillopt = name == "skillopt"
        assert (preset.look_back, preset.screen == 0) == (is_skillopt,) * 2


def test_there_are_no_more_than_32_keys() -> None:
    own = {name: kind for name, kind in sections_of(TrainerConfig).items() if name not in {"backend", "target"}}
    keys = [field.name for kind in own.values() if kind is not None for field in msgspec.structs.fields(kind)]
    assert len(keys) + len({"preset", "skill", "env.name"}) <= 32


def test_a_file_that_is_not_there_and_a_folder_are_said_to_be_so(tmp_path: Path) -> None:
    for path, said in ((tmp_path / "none.toml", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(ConfigError, match=said) as refused:
            load_config(path)
        assert refused.value.message.startswith(f"{path}: ")
        assert refused.value.remedy == "name a file that can be read"
