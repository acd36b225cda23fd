import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import CallFailed, ConfigError, FailureKind
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.documents import DocumentQA, OfficeDocuments, page_text
from tests.fakes import Answer, FakeBackend, in_turn

ROW = {
    "questionId": 337,
    "question": "What is the date?",
    "question_types": ["handwritten", "form"],
    "image": "documents/xnbl0037_1.png",
    "docId": 279,
    "answers": ["1/8/93", "1/8/1993"],
    "data_split": "val",
}
READ = {
    "status": "Succeeded",
    "recognitionResults": [{"page": 1, "lines": [{"text": "DATE", "words": []}, {"text": "1/8/93"}]}],
}
NEXT = {"analyzeResult": {"readResults": [{"lines": [{"text": "DATE"}, {"text": "1/8/93"}]}]}}
TEXTRACT = {"PAGE": [{}], "LINE": [{"Text": "DATE"}, {"Text": "1/8/93"}], "WORD": [{"Text": "DATE"}]}


def _items(path: Path, row: object = ROW, **options: Any) -> list[Item]:
    for name in ("train_v1.0_withQT.json", "val_v1.0_withQT.json"):
        rows = [row] if name.startswith("train") else [{"question": "?", "text": "page", "answers": ["x"], "id": "v"}]
        (path / name).write_text(json.dumps({"dataset_name": "x", "data": rows}), encoding="utf-8")
    return list(DocumentQA(path=str(path), **options).items(Split.TRAIN))


def _answered(answer: str, item: Item) -> Result:
    target = FakeBackend({Purpose.ROLLOUT: f"<answer>{answer}</answer>"})
    return DocumentQA().rollout_one(item, "", target, sample=0)


@pytest.mark.parametrize("found", [READ, NEXT, TEXTRACT])
def test_docvqas_own_files_are_read_with_their_ocr_results(tmp_path: Path, found: object) -> None:
    (tmp_path / "ocr_results").mkdir()
    (tmp_path / "ocr_results" / "xnbl0037_1.json").write_text(json.dumps(found), encoding="utf-8")
    [item] = _items(tmp_path)
    assert (item.id, item.kind, item.data["context"]) == ("337", "handwritten", "DATE\n1/8/93")
    env = DocumentQA(path=str(tmp_path))
    assert env.items(Split.TRAIN)
    assert not any("not read" in remark for remark in env.remarks)


def test_the_ocr_texts_may_be_elsewhere_and_plain(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "xnbl0037_1.txt").write_text("DATE 1/8/93\n", encoding="utf-8")
    [item] = _items(tmp_path, ocr=str(tmp_path / "texts"), context_chars=6)
    assert item.data["context"] == "DATE 1"
    (tmp_path / "ocr").mkdir()
    (tmp_path / "ocr" / "other.txt").write_text("other\n", encoding="utf-8")
    (tmp_path / "texts" / "more.json").write_text("[]", encoding="utf-8")
    (tmp_path / "ocr" / "other.json").write_text("[]", encoding="utf-8")
    env = DocumentQA(path=str(tmp_path), ocr=str(tmp_path / "texts"))
    assert env.items(Split.TRAIN)
    assert not any("not read" in remark for remark in env.remarks)


def test_a_page_without_a_text_and_a_question_without_an_answer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="xnbl0037_1 is not in"):
        _items(tmp_path)
    with pytest.raises(ConfigError, match="'answers'"):
        _items(tmp_path, {**ROW, "answers": []})


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"recognitionResults": [{"lines": []}]}', '{"LINE": ["x"]}', '{"LINE": 5}', "[" * 100_000],
)
def test_an_ocr_result_without_text_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.json"):
        page_text(tmp_path / "x.json")


def test_an_answer_is_scored_by_anls(tmp_path: Path) -> None:
    [item] = _items(tmp_path, {**ROW, "text": "DATE 1/8/93"})
    assert _answered("1/8/93", item).hard == 1
    near = _answered("1/8/98", item)
    assert (near.hard, near.soft) == (0, pytest.approx(1 - 1 / 6))
    assert near.why == "the answer is 83% like the right one, but not it: the right answer was '1/8/93' or '1/8/1993'"
    far = _answered("Friday", item)
    assert (far.hard, far.soft, far.why) == (0, 0, "the answer is wrong: the right answer was '1/8/93' or '1/8/1993'")
    assert _answered("", item).why.startswith("it gives no answer, and the text has one: the right answer was")


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
    assert "the right answer was '301,250'" in result.why
    assert "harbour_report_2020.txt:6: Cargo, tonnes        301,250" in prompts[1]
    assert "24 turns are left" in prompts[0]
    assert "23 turns are left" in prompts[1]
    assert len(result.turns) == 1
    assert _played("<answer>301250</answer>")[0] == Result(hard=1, soft=1, response="<answer>301250</answer>")


def test_a_point_in_another_place_is_another_number() -> None:
    result, _ = _played("<answer>225</answer>", item=_item("o-04"))
    assert (result.hard, result.why) == (0, "the number has its point in another place: the right answer was '22.5'")
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


def test_documents_elsewhere_may_be_in_a_folder_that_is_called_like_that_of_the_questions(tmp_path: Path) -> None:
    for name, text in {"corpus/data/a.txt": "Ada", "set/data/all.csv": "question,answer\na?,1\nb?,2\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    env = OfficeDocuments(path=str(tmp_path / "set"), documents=str(tmp_path / "corpus" / "data"), ratio=(1, 1, 0))
    assert [len(env.items(split)) for split in Split] == [1, 1, 0]


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
