import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.document_qa import DocumentQA, page_text
from tests.fakes import FakeBackend

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
    assert near.why == "the answer is 83% like the right one, but not it"
    far = _answered("Friday", item)
    assert (far.hard, far.soft, far.why) == (0, 0, "the answer is wrong")
    assert _answered("", item).why == "it gives no answer, and the text has one"
