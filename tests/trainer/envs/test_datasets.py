import gzip
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item, find_env
from skillopt_sleep.trainer.envs.dataset import Dataset
from tests.sealing import seal_or_skip

SHIPPED = ["dataset", "document_qa", "office_documents", "spreadsheets"]

SEALED = {"code_tasks", "spreadsheets"}


def _rows(*names: str, question: str = "Why {name}?") -> str:
    return json.dumps([{"id": name, "question": question.format(name=name), "answers": ["so"]} for name in names])


def _ids(items: Sequence[Item]) -> list[str]:
    return [item.id for item in items]


def _env(path: Path, **options: Any) -> Dataset:
    return Dataset(path=str(path), **options)


def test_a_folder_whose_files_are_named_for_splits_keeps_them(tmp_path: Path) -> None:
    for name, ids in {"train-v1.1": "ab", "dev-v1.1": "c", "my_test": "d", "notes": "e"}.items():
        (tmp_path / f"{name}.json").write_text(_rows(*ids), encoding="utf-8")
    env = _env(tmp_path)
    assert [_ids(env.items(split)) for split in Split] == [["a", "b"], ["c"], ["d"]]


def test_a_file_that_is_named_for_no_split_beside_others_that_are_is_said_to_be_left_out(tmp_path: Path) -> None:
    for name in ("train", "val", "test", "more"):
        (tmp_path / f"{name}.json").write_text(_rows(name), encoding="utf-8")
    env = _env(tmp_path)
    assert _ids(env.items(Split.TRAIN)) == ["train"]
    assert "not read, as no split is in the name or the form isn't known: more.json" in env.remarks


def test_a_file_that_is_named_for_a_split_but_can_not_be_read_is_said_beside_others(tmp_path: Path) -> None:
    for name in ("train", "val", "test"):
        (tmp_path / f"{name}.json").write_text(_rows(name), encoding="utf-8")
    for name in ("train_part2.xlsx", "test.json.bak", "train_more.txt", ".train.json"):
        (tmp_path / name).write_text(_rows("more"), encoding="utf-8")
    env = _env(tmp_path)
    assert _ids(env.items(Split.TRAIN)) == ["train"]
    assert [sorted(line.partition(": ")[2].split(", ")) for line in env.remarks] == [
        ["test.json.bak", "train_more.txt", "train_part2.xlsx"]
    ]


def test_splits_are_looked_for_where_the_data_is(tmp_path: Path) -> None:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "train.json").write_text(_rows("hidden"), encoding="utf-8")
    (tmp_path / "README.md").touch()
    data = tmp_path / "v1" / "data"
    for name in ("train/a", "val/b", "test/c"):
        (data / name).parent.mkdir(parents=True)
        (data / f"{name}.json").write_text(_rows(name[-1]), encoding="utf-8")
    env = _env(tmp_path)
    assert [_ids(env.items(split)) for split in Split] == [["a"], ["b"], ["c"]]
    assert env.remarks == ()


@pytest.mark.parametrize("name", ["train_test", "validation-train", "train_val"])
def test_a_file_that_is_named_for_two_splits_is_said_to_be_left_out(tmp_path: Path, name: str) -> None:
    for split in Split:
        (tmp_path / f"{split}.json").write_text(_rows(split), encoding="utf-8")
    (tmp_path / f"{name}.json").write_text(_rows("more"), encoding="utf-8")
    env = _env(tmp_path)
    assert [_ids(env.items(split)) for split in Split] == [["train"], ["val"], ["test"]]
    assert env.remarks == (f"not read, as no split is in the name or the form isn't known: {name}.json",)


def test_files_of_several_folders_keep_the_splits_that_they_are_named_for(tmp_path: Path) -> None:
    for name in ("main/train", "main/test", "socratic/train", "socratic/dev", "auxiliary_train/mc_test"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.json").write_text(_rows(name), encoding="utf-8")
    env = _env(tmp_path)
    assert [_ids(env.items(split)) for split in Split] == [
        ["auxiliary_train/mc_test", "main/train", "socratic/train"],
        ["socratic/dev"],
        ["main/test"],
    ]


def test_a_hidden_folder_that_is_named_is_read(tmp_path: Path) -> None:
    (tmp_path / ".data" / ".old").mkdir(parents=True)
    for name, some in (("all", "abcdef"), (".old/all", "x"), (".more", "y")):
        (tmp_path / ".data" / f"{name}.json").write_text(_rows(*some), encoding="utf-8")
    env = _env(tmp_path / ".data", ratio=[1, 1, 1])
    assert sorted(name for split in Split for name in _ids(env.items(split))) == list("abcdef")


def test_a_ratio_that_divides_nothing_is_said(tmp_path: Path) -> None:
    for name in ("train", "val", "test"):
        (tmp_path / f"{name}.json").write_text(_rows(name), encoding="utf-8")
    env = _env(tmp_path, ratio=[1, 1, 1])
    env.items(Split.TRAIN)
    assert env.remarks == ("env.ratio changes nothing, as files are named for their splits",)


@pytest.mark.parametrize("names", [{"train": "", "val": "v"}, {"train_test": "t", "val": "v"}])
def test_a_split_without_items_is_said_with_what_to_do(tmp_path: Path, names: dict[str, str]) -> None:
    for name, ids in names.items():
        (tmp_path / f"{name}.json").write_text(_rows(*ids), encoding="utf-8")
    with pytest.raises(ConfigError, match="there are no train items") as refused:
        _env(tmp_path).items(Split.TRAIN)
    assert "name one file as env.path" in refused.value.remedy


def test_what_pandas_writes_for_what_is_missing_is_no_text(tmp_path: Path) -> None:
    for row in ('{"question": NaN, "answers": ["a"]}', '{"question": "?", "answers": NaN}'):
        (tmp_path / "all.jsonl").write_text(row, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"all\.jsonl: row 1: "):
            _env(tmp_path).items(Split.TRAIN)


def test_a_folder_of_folders_named_for_splits_keeps_them(tmp_path: Path) -> None:
    for name, ids in {"train/1": "a", "train/2": "b", "valid_seen/x": "c", "valid_unseen/x": "d"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.json").write_text(_rows(*ids), encoding="utf-8")
    env = _env(tmp_path)
    assert [_ids(env.items(split)) for split in Split] == [["a", "b"], ["c"], ["d"]]


def test_without_a_file_for_val_train_is_divided_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "train.json").write_text(_rows(*"abcdef"), encoding="utf-8")
    (tmp_path / "test.json").write_text(_rows("t"), encoding="utf-8")
    env = _env(tmp_path, ratio=[2, 1, 7])
    train, val = _ids(env.items(Split.TRAIN)), _ids(env.items(Split.VAL))
    assert (len(train), len(val)) == (4, 2)
    assert sorted(train + val) == list("abcdef")
    assert _ids(env.items(Split.TEST)) == ["t"]
    assert [line for line in env.remarks if "2 of the 6 train items are val" in line]
    assert [_ids(_env(tmp_path).items(Split.VAL))] == [val]
    with pytest.raises(ConfigError, match="no val items"):
        _env(tmp_path, ratio=[1, 0, 1]).items(Split.TRAIN)


def test_a_split_without_a_file_may_only_be_test_or_val(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(_rows("b"), encoding="utf-8")
    with pytest.raises(ConfigError, match="no train items"):
        _env(tmp_path).items(Split.VAL)
    (tmp_path / "train.json").write_text(_rows("a"), encoding="utf-8")
    assert _env(tmp_path).items(Split.TEST) == ()


@pytest.mark.parametrize(
    "names", [("train.json", "dev.arrow"), ("train.txt", "dev.json"), ("train.json", "val/x.txt")]
)
def test_a_split_whose_file_can_not_be_read_is_never_made_of_something_else(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(_rows(*"abcdef"), encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"(dev\.arrow|train\.txt|val/x\.txt) is named for .* can't be read"
    ) as refused:
        _env(tmp_path).items(Split.TRAIN)
    assert ".parquet" in refused.value.remedy


def test_a_folder_without_a_file_that_can_be_read_says_which_could(tmp_path: Path) -> None:
    (tmp_path / "train.arrow").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="holds no file that can be read") as refused:
        _env(tmp_path).items(Split.TRAIN)
    assert ".parquet" in refused.value.remedy
    assert ".gz" in refused.value.remedy


def test_test_is_not_read_before_it_is_asked_for(tmp_path: Path) -> None:
    for name, text in {"train": _rows("a"), "dev": _rows("b"), "test": '[{"question": "Why?"}]'}.items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    env = _env(tmp_path)
    assert _ids([*env.items(Split.TRAIN), *env.items(Split.VAL)]) == ["a", "b"]
    with pytest.raises(ConfigError, match=r"test\.json: row 1") as refused:
        env.items(Split.TEST)
    assert "evaluation.test = false" in refused.value.remedy


def test_an_id_of_train_is_refused_in_test(tmp_path: Path) -> None:
    for name in ("train", "dev", "test"):
        (tmp_path / f"{name}.json").write_text(
            _rows("a" if name == "test" else name, "b" * (name == "dev") or "a"), "utf-8"
        )
    with pytest.raises(ConfigError, match=r"'a' occurs twice"):
        _env(tmp_path).items(Split.TEST)


def test_rows_of_compressed_files_are_called_after_the_name_within(tmp_path: Path) -> None:
    (tmp_path / "all.jsonl.gz").write_bytes(gzip.compress(b'{"question": "Why?", "answer": "so"}\n' * 2))
    env = _env(tmp_path, ratio=[1, 1, 0])
    with pytest.raises(ConfigError, match="no val items"):  # equal texts stay together
        env.items(Split.TRAIN)
    (tmp_path / "more.jsonl.gz").write_bytes(gzip.compress(b'{"question": "Who?", "answer": "Ada"}\n'))
    env = _env(tmp_path, ratio=[1, 1, 0])
    ids = _ids([*env.items(Split.TRAIN), *env.items(Split.VAL)])
    assert sorted(ids) == [f"{tmp_path.name}-all-1", f"{tmp_path.name}-all-2", f"{tmp_path.name}-more-1"]


def test_one_file_is_cut_by_ratio_and_again_the_same(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(_rows(*map(str, range(10))), encoding="utf-8")
    env = _env(path, ratio=[5, 3, 2])
    sides = [_ids(env.items(split)) for split in Split]
    assert env.remarks == (
        "no file is named for a split, so the 10 items were divided: 5 train, 3 val, 2 test (env.ratio = [5, 3, 2])",
    )
    assert [len(side) for side in sides] == [5, 3, 2]
    assert sorted(name for side in sides for name in side) == sorted(map(str, range(10)))
    assert all(side == sorted(side, key=int) for side in sides)
    assert sides == [_ids(_env(path, ratio=(5, 3, 2)).items(split)) for split in Split]
    assert sides != [_ids(_env(path, ratio=(5, 3, 2), split_seed=1).items(split)) for split in Split]


@pytest.mark.parametrize("other", ["train2", "dev"])
def test_a_duplicate_id_is_refused(tmp_path: Path, other: str) -> None:
    (tmp_path / "train.json").write_text(_rows("a", "b"), encoding="utf-8")
    (tmp_path / f"{other.replace('2', ' 2')}.json").write_text(_rows("b"), encoding="utf-8")
    with pytest.raises(ConfigError, match="'b' occurs twice"):
        _env(tmp_path).items(Split.TRAIN)


def test_an_unusable_row_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "train.json").write_text('[{"question": "Why?"}]', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"train\.json: row 1: it has no 'answers'"):
        _env(tmp_path).items(Split.TRAIN)


def test_rows_without_an_id_are_called_after_their_place(tmp_path: Path) -> None:
    for name in ("train", "val"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "items.jsonl").write_text('{"question": "Why?", "answer": "so"}\n' * 2, encoding="utf-8")
    assert _ids(_env(tmp_path).items(Split.TRAIN)) == ["train-items-1", "train-items-2"]
    assert _ids(_env(tmp_path).items(Split.VAL)) == ["val-items-1", "val-items-2"]


def test_a_limit_keeps_the_first_of_each_split() -> None:
    env = Dataset(limit=2)
    assert [len(env.items(split)) for split in Split] == [2, 2, 2]
    assert env.items(Split.TRAIN) == Dataset().items(Split.TRAIN)[:2]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": -1}, "env.limit must be a whole number, 0 or more, not -1"),
        ({"path": 3}, "env.path"),
        ({"ratio": [1, 2]}, r"env.ratio must be a list of 3, each a whole number, 0 or more, not \[1, 2\]"),
        ({"context_chars": "many"}, "env.context_chars"),
    ],
)
def test_an_option_that_can_not_be_used_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        find_env("dataset", options)


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as caught:
        find_env("dataset", {"pat": "x"})
    assert "'path'" in caught.value.remedy


def test_a_place_that_is_not_there_and_a_ratio_of_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone doesn.t exist"):
        _env(tmp_path / "gone").items(Split.TRAIN)
    (tmp_path / "x.json").write_text(_rows("a"), encoding="utf-8")
    with pytest.raises(ConfigError, match="zeros"):
        _env(tmp_path, ratio=[0, 0, 0]).items(Split.TRAIN)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_environment_comes_with_a_sample_for_every_split(name: str) -> None:
    if name in SEALED:
        seal_or_skip()
    env = find_env(name, {})
    items = [item for split in Split for item in env.items(split)]
    assert env.name == name
    assert all(env.items(split) for split in Split)
    assert len({item.id for item in items}) == len(items)
    json.dumps([item.data for item in items])


@pytest.mark.parametrize("name", SHIPPED)
def test_a_copy_for_a_worker_carries_the_options_only(name: str) -> None:
    if name in SEALED:
        seal_or_skip()
    env = find_env(name, {"limit": 2})
    before = pickle.dumps(env)
    items = env.items(Split.TRAIN)
    assert pickle.dumps(env) == before
    assert pickle.loads(before).items(Split.TRAIN) == items  # noqa: S301 - our own
