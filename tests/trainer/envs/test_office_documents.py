from pathlib import Path

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.office_documents import OfficeDocuments
from tests.fakes import Answer, FakeBackend, in_turn

GREP = '<tool>{"tool": "grep", "pattern": "cargo", "files": "*2020*"}</tool>'


def _item(name: str = "o-01") -> Item:
    env = OfficeDocuments()
    return next(item for split in Split for item in env.items(split) if item.id == name)


def _played(*replies: Answer, item: Item | None = None, **options: int | bool) -> tuple[Result, list[str]]:
    target = FakeBackend({Purpose.ROLLOUT: in_turn(*replies)})
    result = OfficeDocuments(**options).rollout_one(item or _item(), "", target, sample=0)  # pyright: ignore[reportArgumentType]
    return result, [prompt.text for prompt in target.prompts]


def test_an_answer_is_found_with_a_tool() -> None:
    result, prompts = _played(f"I look.\n{GREP}", "So it is\n<answer>301,250 tonnes</answer>")
    assert (result.hard, result.soft) == (0, pytest.approx(2 / 3))
    assert "too much" in result.why
    assert "harbour_report_2020.txt:6: Cargo, tonnes        301,250" in prompts[1]
    assert "24 turns are left" in prompts[0]
    assert "23 turns are left" in prompts[1]
    assert len(result.turns) == 1
    assert _played("<answer>301250</answer>")[0] == Result(hard=1, soft=1, response="<answer>301250</answer>")


def test_a_point_in_another_place_is_another_number() -> None:
    result, _ = _played("<answer>225</answer>", item=_item("o-04"))
    assert (result.hard, result.why) == (0, "the number has its point in another place")
    assert _played("<answer>22.50</answer>", item=_item("o-04"))[0].hard == 0  # as the benchmark has it: text counts
    assert _played("<answer>22.5</answer>", item=_item("o-04"))[0].hard == 1


def test_an_unclosed_answer_counts_and_a_missing_tag_is_reported() -> None:
    result, prompts = _played("Hm.", "<answer>301,250")
    assert result.hard == 1
    assert "neither a <tool> nor an <answer>" in prompts[1]


def test_the_last_move_of_a_reply_counts() -> None:
    result, prompts = _played(f"<answer>I look first</answer> {GREP}", "<answer>301,250</answer>")
    assert (result.hard, len(prompts)) == (1, 2)


def test_turns_end() -> None:
    result, prompts = _played(GREP, turns=3)
    assert (result.hard, result.why, len(result.turns)) == (0, "it gave no answer within 3 turns", 3)
    assert "last turn" not in prompts[1]
    assert "This is your last turn: answer now." in prompts[2]


def test_the_documents_are_named_if_wanted() -> None:
    assert "harbour_report_2020.txt" not in _played("<answer>1</answer>")[1][0]
    assert "The answer is in: harbour_report_2020.txt" in _played("<answer>1</answer>", name_sources=True)[1][0]
    assert _item("o-03").data["sources"] == ["harbour_report_2019.txt", "harbour_report_2020.txt"]


def test_an_outage_on_the_way_is_raised() -> None:
    with pytest.raises(CallFailed):
        _played(GREP, CallFailed(FailureKind.OVERLOADED, "too busy"))


def test_officeqas_own_table_is_read_and_its_documents_are_no_questions(tmp_path: Path) -> None:
    table = "uid,question,answer,source_docs,source_files,difficulty\n"
    rows = [
        f'UID{n},"How many, in {n}?","1,{n}00",https://example.org,treasury_bulletin_1941_0{n}.txt,hard\n'
        for n in range(1, 5)
    ]
    (tmp_path / "officeqa_full.csv").write_text(table + "".join(rows), encoding="utf-8")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "rates.csv").write_text("a,b\n1\n", encoding="utf-8")
    env = OfficeDocuments(path=str(tmp_path), ratio=(2, 1, 1))
    items = [item for split in Split for item in env.items(split)]
    assert sorted(item.id for item in items) == ["UID1", "UID2", "UID3", "UID4"]
    assert {item.kind for item in items} == {"hard"}
    assert {item.data["library"] for item in items} == {env.library.digest()}
