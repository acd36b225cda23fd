import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.envs.text_worlds import TextWorlds
from tests.fakes import FakeBackend, in_turn

KIND = "pick_and_place_simple"
PLAN = ["go to cabinet 1", "open cabinet 1", "take mug 1 from cabinet 1", "go to desk 1", "move mug 1 to desk 1"]
PROBLEM = """(define (problem one) (:domain alfred)
(:objects agent1 - agent MugType - otype DeskType CabinetType - rtype loc_1 loc_2 loc_3 - location
 Mug_bar__plus_01 - object Cabinet_bar__plus_01 Desk_bar__plus_02 - receptacle)
(:init (= (total-cost) 0)
 (receptacleType Cabinet_bar__plus_01 CabinetType) (receptacleType Desk_bar__plus_02 DeskType)
 (objectType Mug_bar__plus_01 MugType) (canContain CabinetType MugType) (canContain DeskType MugType)
 (pickupable Mug_bar__plus_01) (openable Cabinet_bar__plus_01) (atLocation agent1 loc_3)
 (receptacleAtLocation Cabinet_bar__plus_01 loc_1) (receptacleAtLocation Desk_bar__plus_02 loc_2)
 (objectAtLocation Mug_bar__plus_01 loc_1) (inReceptacle Mug_bar__plus_01 Cabinet_bar__plus_01))
(:goal (and (exists (?r - receptacle) (exists (?o - object)
 (and (inReceptacle ?o ?r) (objectType ?o MugType) (receptacleType ?r DeskType))))))
(:metric minimize (total-cost)))"""


def _lay(root: Path, split: str, trial: str, *, task: str = f"{KIND}-Mug-None-Desk-1", **game: object) -> None:
    folder = root / split / task / trial
    folder.mkdir(parents=True)
    (folder / "game.tw-pddl").write_text(json.dumps({"solvable": True, **game}), encoding="utf-8")
    (folder / "traj_data.json").write_text(json.dumps({"task_type": KIND, "task_id": trial}), encoding="utf-8")


@pytest.mark.parametrize("inside", ["", "json_2.1.1"])
def test_the_games_are_found_as_they_are_downloaded(tmp_path: Path, inside: str) -> None:
    for split, trial in (("train", "t2"), ("train", "t1"), ("valid_seen", "t3"), ("valid_unseen", "t4")):
        _lay(tmp_path / inside, split, trial)
    env = TextWorlds(path=str(tmp_path))
    assert [[item.id.rpartition("/")[2] for item in env.items(split)] for split in Split] == [
        ["t1", "t2"],
        ["t3"],
        ["t4"],
    ]
    assert env.remarks == ()
    item = env.items(Split.TRAIN)[0]
    assert (item.id.removeprefix("json_2.1.1/"), item.kind) == (f"train/{KIND}-Mug-None-Desk-1/t1", KIND)
    assert item.data["gamefile"] == f"{item.id}/game.tw-pddl"


def test_games_without_split_folders_are_divided_by_ratio(tmp_path: Path) -> None:
    for number in range(4):
        _lay(tmp_path, "games", f"t{number}")
    env = TextWorlds(path=str(tmp_path), ratio=(2, 1, 1))
    assert [len(env.items(split)) for split in Split] == [2, 1, 1]


def test_unplayable_games_are_left_out(tmp_path: Path) -> None:
    _lay(tmp_path, "train", "good")
    _lay(tmp_path, "valid_seen", "other")
    _lay(tmp_path, "train", "unsolvable", solvable=False)
    _lay(tmp_path, "train", "sliced", task="pick_heat-AppleSliced-None-Desk-1")
    _lay(tmp_path, "train", "movable", task="pick_and_place_with_movable_recep-Mug-Bowl-Desk-1")
    assert [item.id.rpartition("/")[2] for item in TextWorlds(path=str(tmp_path)).items(Split.TRAIN)] == ["good"]


def test_another_content_is_another_dataset(tmp_path: Path) -> None:
    for name in "ab":
        _lay(tmp_path / name, "train", "t1", grammar=name)
        _lay(tmp_path / name, "valid_seen", "t2")
    one, other = (TextWorlds(path=str(tmp_path / name)).items(Split.TRAIN)[0] for name in "ab")
    assert one.data["digest"] != other.data["digest"]


def test_a_broken_game_is_named(tmp_path: Path) -> None:
    _lay(tmp_path, "train", "t1")
    (tmp_path / "train" / f"{KIND}-Mug-None-Desk-1" / "t1" / "traj_data.json").write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError, match="t1"):
        TextWorlds(path=str(tmp_path)).items(Split.TRAIN)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_genuine_engine_plays_games_side_by_side(tmp_path: Path) -> None:
    alfworld = pytest.importorskip("alfworld", reason="needs skillopt-sleep[alfworld]")
    logic = Path(alfworld.__file__).parent / "data"
    grammar = (logic / "alfred.twl2").read_text(encoding="utf-8").replace("UNKNOWN GOAL", "put some mug on desk.")
    domain = (logic / "alfred.pddl").read_text(encoding="utf-8")
    for split in ("train", "valid_seen"):
        _lay(tmp_path, split, "t1", pddl_domain=domain, grammar=grammar, pddl_problem=PROBLEM)
    env = TextWorlds(path=str(tmp_path), steps=len(PLAN))
    item = env.items(Split.TRAIN)[0]

    def play(number: int) -> float:
        commands = PLAN if number % 2 else ["look"]
        target = FakeBackend({Purpose.ROLLOUT: in_turn(*(f"<action>{command}</action>" for command in commands))})
        return env.rollout_one(item, "", target, sample=0).hard

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(play, range(8))) == [0, 1] * 4
