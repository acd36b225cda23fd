"""The environment `dataset`: any rows by columns and a score, and the layouts in which data is commonly kept."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError, ItemError, blamed
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer import Dataset
from skillopt_sleep.trainer.env import Item, find_env
from tests.fakes import FakeBackend

BOTH = {"label": ["A", "B"], "text": ["x", "y"]}
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}]
# A row, and what it asks, the answer that is right, and the score.
OWN_LAYOUTS: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("question and answer", {"question": "2+2?", "answer": "four"}, "2+2?", "four", "exact"),
    ("answers", {"question": "Q?", "answers": ["a", "b"]}, "Q?", "b", "exact"),
    ("prompt and completion", {"prompt": "2+2?", "completion": "four"}, "2+2?", "four", "exact"),
    ("input and output", {"input": "2+2?", "output": "four"}, "2+2?", "four", "exact"),
    ("instruction and output", {"instruction": "Add.", "input": "2, 2", "output": "4"}, "Add.\n\n2, 2", "4", "exact"),
    ("instruction and response", {"instruction": "Add.", "response": "4"}, "Add.", "4", "exact"),
    (
        "messages",
        {"messages": [*CHAT, {"role": "assistant", "content": "4"}]},
        "Be brief.\n\n2+2?",
        "4",
        "exact",
    ),
    (
        "conversations",
        {"conversations": [{"from": "human", "value": "2+2?"}, {"from": "gpt", "value": "4"}]},
        "2+2?",
        "4",
        "exact",
    ),
    ("OpenAI's evals", {"input": CHAT, "ideal": "4"}, "Be brief.\n\n2+2?", "4", "exact"),
    ("OpenAI's evals with several", {"input": CHAT, "ideal": ["4", "four"]}, "Be brief.\n\n2+2?", "four", "exact"),
    ("GSM8K", {"question": "How many?", "answer": "2 + 3 = 5\n#### 5"}, "How many?", "5 apples", "number"),
    ("MATH", {"problem": "Half?", "solution": "So \\boxed{\\frac{1}{2}} it is."}, "Half?", "\\frac{1}{2}", "exact"),
    ("MATH with a number", {"problem": "6*7?", "solution": "It is \\boxed{42}."}, "6*7?", "42", "number"),
    ("TriviaQA", {"Question": "Who?", "Answer": {"Value": "Ada", "Aliases": ["A. L."]}}, "Who?", "A. L.", "exact"),
    ("TriviaQA's rows", {"question": "Who?", "answer": {"value": "Ada", "aliases": ["A"]}}, "Who?", "Ada", "exact"),
    ("BBH", {"input": "not True is?", "target": "False"}, "not True is?", "False", "exact"),
    ("SQuAD's rows", {"question": "Q?", "context": "C.", "answers": {"text": ["C"]}}, "Q?", "C", "exact"),
    ("BoolQ", {"question": "is it", "passage": "It is.", "answer": True}, "is it", "yes", "exact"),
    ("MMLU's rows", {"question": "Q?", "choices": ["x", "y"], "answer": 1}, "Q?", "y", "choice"),
    ("MMLU-Pro", {"question": "Q?", "options": ["x", "y", "z"], "answer": "C"}, "Q?", "z", "choice"),
    ("columns of choices", {"question": "Q?", "A": "x", "B": "y", "answer": "B"}, "Q?", "y", "choice"),
    (
        "ARC's lines",
        {
            "question": {"stem": "Q?", "choices": [{"text": "x", "label": "A"}, {"text": "y", "label": "B"}]},
            "answerKey": "A",
        },
        "Q?",
        "x",
        "choice",
    ),
]
PUBLIC_LAYOUTS: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("NQ-open", {"question": "Q?", "answer": ["Ada", "A. L."]}, "Q?", "Ada", "exact"),
    ("WebQuestions", {"url": "u", "question": "Q?", "answers": ["a1", "b1"]}, "Q?", "b1", "exact"),
    ("StrategyQA", {"question": "Q?", "answer": True, "facts": ["f"]}, "Q?", "yes", "exact"),
    ("SVAMP", {"Body": "He has 3.", "Question": "How many?", "Answer": 3.0}, "How many?", "3", "number"),
    ("GSM-hard", {"input": "Q?", "code": "c", "target": 5.0}, "Q?", "5", "number"),
    ("AIME", {"problem": "P?", "solution": "s", "answer": "42"}, "P?", "42", "exact"),
    ("SimpleQA", {"metadata": "{}", "problem": "P?", "answer": "Ada"}, "P?", "Ada", "exact"),
    ("Dolly", {"instruction": "Do.", "context": "C.", "response": "R"}, "Do.", "R", "exact"),
    ("Alpaca", {"instruction": "Do.", "input": "", "output": "done", "text": "Do. done"}, "Do.", "done", "exact"),
    ("BBH's choices", {"input": "Which? (A) x (B) y", "target": "(A)"}, "Which?", "(A)", "exact"),
    ("BigBench's choices", {"input": "Which?", "target": "the end"}, "Which?", "end", "exact"),
    ("OpenBookQA", {"question_stem": "Q?", "choices": BOTH, "answerKey": "B"}, "Q?", "y", "choice"),
    ("CommonsenseQA", {"question": "Q?", "choices": BOTH, "answerKey": "A"}, "Q?", "x", "choice"),
    ("AQuA-RAT", {"question": "Q?", "options": ["A)21", "B)22"], "correct": "B"}, "Q?", "B)22", "choice"),
    ("WinoGrande", {"sentence": "A _.", "option1": "x", "option2": "y", "answer": "2"}, "A _.", "y", "choice"),
    ("PIQA", {"goal": "G.", "sol1": "x", "sol2": "y", "label": 1}, "G.", "y", "choice"),
    (
        "SIQA",
        {"context": "C.", "question": "Q?", "answerA": "x", "answerB": "y", "answerC": "z", "label": "2"},
        "Q?",
        "y",
        "choice",
    ),
    ("LogiQA", {"context": "C.", "query": "Q?", "options": ["x", "y"], "correct_option": 1}, "Q?", "y", "choice"),
    ("ReClor", {"context": "C.", "question": "Q?", "answers": ["x", "y", "z"], "label": 2}, "Q?", "z", "choice"),
    ("RACE", {"article": "C.", "question": "Q?", "options": ["x", "y"], "answer": "B"}, "Q?", "y", "choice"),
    (
        "FinQA",
        {"pre_text": ["In $."], "table": [["", "2019"], ["net", "94"]], "qa": {"question": "Q?", "answer": "5.2%"}},
        "Q?",
        "5.2",
        "number",
    ),
    (
        "WikiTableQuestions",
        {"question": "Q?", "answers": ["Ada"], "table": {"header": ["who"], "rows": [["Ada"]], "name": "t"}},
        "Q?",
        "Ada",
        "exact",
    ),
    (
        "MedQA",
        {"question": "Q?", "options": {"A": "x", "B": "y"}, "answer_idx": "B", "answer": "y"},
        "Q?",
        "y",
        "choice",
    ),
]
LAYOUTS = [*OWN_LAYOUTS, *PUBLIC_LAYOUTS]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("no answer", {"question": "Q?"}, "env.columns"),
    ("nothing known", {"foo": "a", "bar": "b"}, "env.columns"),
    ("HumanEval", {"prompt": "def f():", "entry_point": "f", "test": "t"}, "code_tasks"),
    ("SWE-bench", {"base_commit": "a", "problem_statement": "p"}, "whole repository"),
    ("a conversation without an answer", {"messages": CHAT}, "don't end with an answer"),
    ("MultiRC", {"paragraph": "P.", "question": "Q?", "answer": "A", "label": 0}, "env.columns"),
    ("SciQ", {"question": "Q?", "distractor1": "x", "correct_answer": "y"}, "env.columns"),
    ("MGSM", {"question": "Q?", "answer": None, "answer_number": 11}, "env.columns"),
    ("pairs of answers", {"prompt": "P.", "chosen": "a", "rejected": "b"}, "env.columns"),
    ("HybridQA", {"question": "Q?", "answer": "a", "table": {"title": "t", "data": []}}, "env.columns"),
    ("a table of objects", {"question": "Q?", "answer": "a", "table": [{"who": "Ada"}]}, "env.columns"),
    ("MATH without a box", {"problem": "p", "solution": "s"}, "boxed"),
]


def written(folder: Path, rows: Sequence[Mapping[str, Any]], name: str = "all.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def items(path: Path, **options: Any) -> list[Item]:
    env = find_env("dataset", {"path": str(path), "ratio": [1, 1, 1], **options}, folder=path.parent)
    return [item for split in Split for item in env.items(split)]


@pytest.mark.parametrize(
    ("row", "question", "right", "score"), [row[1:] for row in LAYOUTS], ids=[r[0] for r in LAYOUTS]
)
def test_a_common_layout_is_read_as_it_is_meant(
    tmp_path: Path, row: dict[str, Any], question: str, right: str, score: str
) -> None:
    for split in Split:
        written(tmp_path, [row | {"id": split}], f"{split}.jsonl")
    (item,) = find_env("dataset", {"path": str(tmp_path)}).items(Split.TRAIN)
    env = find_env("dataset", {"path": str(tmp_path)})
    assert item.data["question"].startswith(question)
    assert item.data["score"] == score
    said = right
    if score == "choice":
        said = next(label for label, text in item.data["choices"].items() if text == right)
    for answer, hard in ((said, 1.0), ("something else", 0.0)):
        target = FakeBackend({Purpose.ROLLOUT: f"<answer>{answer}</answer>"})
        found = env.rollout_one(item, "", target, sample=0)
        assert found.hard == hard
        assert ("the right answer was '" in found.why) == (hard < 1)


@pytest.mark.parametrize(
    ("row", "context"),
    [
        ({"context": "C.", "question": "Q?", "answers": ["x", "y"], "label": 1}, "C."),
        ({"article": "C.", "question": "Q?", "options": ["x", "y"], "answer": "B"}, "C."),
        ({"Body": "C.", "Question": "How many?", "Answer": 3.0}, "C."),
        ({"instruction": "Do.", "context": "C.", "response": "R"}, "C."),
        ({"instruction": "Do.", "output": "done", "text": "Do. done"}, ""),
        (
            {
                "pre_text": ["In $."],
                "post_text": ["End."],
                "table": [["", 19]],
                "qa": {"question": "Q?", "exe_ans": 4},
            },
            "In $.\n | 19\nEnd.",
        ),
        ({"question": "Q?", "answers": ["a"], "table": {"header": ["x"], "rows": [["a"], ["b"]]}}, "x\na\nb"),
    ],
)
def test_the_text_that_a_question_is_about_is_shown_and_never_the_answer(
    tmp_path: Path, row: dict[str, Any], context: str
) -> None:
    for split in Split:
        written(tmp_path, [row], f"{split}.jsonl")
    (item,) = find_env("dataset", {"path": str(tmp_path)}).items(Split.TRAIN)
    assert item.data["context"] == context


@pytest.mark.parametrize(("row", "said"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_can_not_be_told_is_refused_with_what_to_do(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        items(written(tmp_path, [row]))
    assert said in f"{refused.value.message} -> {refused.value.remedy}"


def test_columns_and_a_prompt_of_ones_own_are_used(tmp_path: Path) -> None:
    rows = [{"src": f"w{n}", "lang": "de", "out": f"W{n}", "no": n, "level": "easy"} for n in range(3)]
    columns = {"answers": "out", "id": "no", "kind": "level"}
    found = items(written(tmp_path, rows), columns=columns, prompt="Translate {src} into {lang}.")
    assert {item.data["question"] for item in found} == {f"Translate w{n} into de." for n in range(3)}
    assert {(item.id, item.kind) for item in found} == {(str(n), "easy") for n in range(3)}
    with pytest.raises(ConfigError, match="it has no column 'reply'"):
        items(written(tmp_path, rows), columns={"answers": "reply"})
    with pytest.raises(ConfigError, match=r"env\.prompt names 'text'"):
        items(written(tmp_path, rows), columns=columns, prompt="Translate {text}.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": {"reply": "x"}}, "there is no role 'reply'"),
        ({"score": "exakt"}, "there is no score 'exakt'"),
        ({"score": 3}, "there is no score 3"),
        ({"score": "tests"}, "run by another environment"),
    ],
)
def test_an_option_that_can_not_be_used_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        find_env("dataset", options)


def test_a_score_of_ones_own_is_called_with_the_answer_and_the_row(tmp_path: Path) -> None:
    rows = [{"question": f"q{n}", "most": 3} for n in range(3)]
    (tmp_path / "my.py").write_text(
        "def score(answer, row):\n    return (float(len(answer) <= row['most']), 'too long')\n", encoding="utf-8"
    )
    path = written(tmp_path, rows)
    env = find_env(
        "dataset",
        {"path": path.name, "score": "my.py:score", "ratio": [1, 1, 1], "columns": {"question": "question"}},
        folder=tmp_path,
    )
    (item,) = env.items(Split.TRAIN)
    said = [
        env.rollout_one(item, "", FakeBackend({Purpose.ROLLOUT: f"<answer>{answer}</answer>"}), sample=0)
        for answer in ("abc", "abcd")
    ]
    assert [(one.hard, one.why) for one in said] == [(1.0, "too long"), (0.0, "too long")]
    (tmp_path / "my2.py").write_text("def score(answer, row):\n    return 'good'\n", encoding="utf-8")
    odd = find_env(
        "dataset",
        {"path": path.name, "score": "my2.py:score", "ratio": [1, 1, 1], "columns": {"question": "question"}},
        folder=tmp_path,
    )
    with pytest.raises(ItemError, match="not a number from 0 to 1"):
        odd.rollout_one(odd.items(Split.TRAIN)[0], "", FakeBackend({Purpose.ROLLOUT: "x"}), sample=0)


def test_an_error_in_a_score_of_ones_own_is_blamed_on_it_with_its_line_and_the_item(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def score(answer, row):\n    return row['nocol']\n", encoding="utf-8")
    rows = [{"id": f"i{n}", "question": f"q{n}", "answer": "a"} for n in range(3)]
    options = {"path": written(tmp_path, rows).name, "score": "bad.py:score", "ratio": [1, 1, 1]}
    env = find_env("dataset", options, folder=tmp_path)
    item = env.items(Split.TRAIN)[0]
    with pytest.raises(KeyError) as raised:
        env.rollout_one(item, "", FakeBackend({Purpose.ROLLOUT: "x"}), sample=0)
    assert blamed(raised.value) == f"bad.py:score, item {item.id!r} (bad.py, line 2)"


@pytest.mark.parametrize(
    ("text", "remedy"), [("def score(a, r): ...", "did you mean 'score'?"), ("", "define a func")]
)
def test_a_score_that_a_file_has_not_is_named_before_anything_is_asked(
    tmp_path: Path, text: str, remedy: str
) -> None:
    (tmp_path / "my.py").write_text(text, encoding="utf-8")
    path = written(tmp_path, [{"question": f"q{n}", "answer": "a"} for n in range(3)])
    env = find_env("dataset", {"path": path.name, "score": "my.py:scor"}, folder=tmp_path)
    with pytest.raises(ConfigError, match="has no scor") as refused:
        env.items(Split.TRAIN)
    assert remedy in refused.value.remedy


def test_a_python_function_may_be_the_score(tmp_path: Path) -> None:
    path = written(tmp_path, [{"question": f"q{n}", "most": 3} for n in range(9)])
    env = Dataset(path=str(path), columns={"question": "question"}, score=_short)
    reply = FakeBackend({Purpose.ROLLOUT: "<answer>abcd</answer>"})
    found = env.rollout_one(env.items(Split.TRAIN)[0], "", reply, sample=0)
    assert (found.hard, found.why) == (0.0, "at most 3")
    assert env.score is _short


def _short(answer: str, row: Mapping[str, Any]) -> tuple[float, str]:
    return float(len(answer) <= row["most"]), f"at most {row['most']}"


def refusal(tmp_path: Path, text: str, **options: Any) -> str:
    (tmp_path / "support.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        items(tmp_path / "support.csv", **options)
    return f"{refused.value.message} -> {refused.value.remedy}"


def test_an_empty_cell_and_columns_of_other_names_are_told_apart(tmp_path: Path) -> None:
    empty = refusal(tmp_path, "question,answer\nWhat?,yes\nAnd?,\n")
    assert "row 2: its answer is empty -> fix the row" in empty
    assert "its columns" not in empty
    other = refusal(tmp_path, "message,label\nWhat?,yes\n")
    assert "its columns are 'message', 'label' -> " in other
    assert other.endswith('say which is which, as in env.columns = {question = "message", answers = "label"}')
    half = refusal(tmp_path, "question,label\nWhat?,yes\n")
    assert half.endswith('as in env.columns = {question = "question", answers = "label"}')


def test_too_few_rows_to_divide_are_said_to_be(tmp_path: Path) -> None:
    few = refusal(tmp_path, "question,answer\nWhat?,yes\nAnd?,no\n")
    assert "there are no val items, as 2 rows are too few for env.ratio 1:1:1 -> add rows" in few


def test_a_row_without_an_id_gets_one_from_its_file_and_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("support.csv").write_text("question,answer\n" + "\n".join(f"q{n},a" for n in range(9)), encoding="utf-8")
    names = {item.id for item in items(Path("support.csv"))}
    assert names == {f"support-{n}" for n in range(1, 10)}


def test_f1_may_be_the_score(tmp_path: Path) -> None:
    rows = [{"question": f"q{n}", "answer": "the red house"} for n in range(3)]
    env = find_env("dataset", {"path": str(written(tmp_path, rows)), "score": "f1", "ratio": [1, 1, 1]})
    found = env.rollout_one(env.items(Split.TRAIN)[0], "", FakeBackend({Purpose.ROLLOUT: "red house"}), sample=0)
    assert found.hard == found.soft == pytest.approx(1.0)


def test_a_table_with_semicolons_is_read(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text("question;answer\nWhat, now?;yes\nAnd then?;no\nThen?;no\n", encoding="utf-8")
    assert sorted(item.data["question"] for item in items(path)) == ["And then?", "Then?", "What, now?"]


@pytest.mark.parametrize("name", ["data", "examples", "Data", "rows"])
def test_an_object_with_one_list_is_that_list(tmp_path: Path, name: str) -> None:
    rows = [{"input": f"q{n}", "target": "a"} for n in range(3)]
    path = tmp_path / "task.json"
    path.write_text(json.dumps({"canary": "x", name: rows}), encoding="utf-8")
    assert len(items(path)) == 3


def test_rows_may_name_their_split(tmp_path: Path) -> None:
    rows = [{"question": f"q{n}", "answer": "a", "split": split} for n, split in enumerate(("train", "dev", "test"))]
    env = find_env("dataset", {"path": str(written(tmp_path, rows))})
    assert [len(env.items(split)) for split in Split] == [1, 1, 1]
    rows[0]["split"] = ""
    with pytest.raises(ConfigError, match="has no split, but other rows do"):
        items(written(tmp_path, rows))


def test_tasks_that_nights_exported_are_graded_by_their_reference(tmp_path: Path) -> None:
    check = {"kind": "checks", "items": [{"op": "contains", "arg": "pnpm"}]}
    rows = [
        {"id": f"t{n}", "prompt": f"Add zod {n}.", "reference": check, "split": split}
        for n, split in enumerate(("train", "val", "test"))
    ]
    env = find_env("dataset", {"path": str(written(tmp_path, rows))})
    (item,) = env.items(Split.TRAIN)
    assert env.rollout_one(item, "", FakeBackend({Purpose.ROLLOUT: "pnpm add zod"}), sample=0).hard == 1
    rows[0]["reference"] = {"kind": "rubric", "text": "Is it good?"}
    with pytest.raises(ConfigError):
        items(written(tmp_path, rows))


def test_the_name_of_an_environment_that_is_gone_leads_to_this_one() -> None:
    for name in ("question_answering", "multiple_choice", "word_problems", "tasks"):
        with pytest.raises(ConfigError) as refused:
            find_env(name, {})
        assert '"dataset"' in refused.value.remedy


def test_parquet_and_folders_that_the_library_saved_are_read(tmp_path: Path) -> None:
    library = pytest.importorskip("datasets", reason="needs skillopt-sleep[envs]")
    rows = library.Dataset.from_list([{"question": f"q{n}", "answers": {"text": [f"a{n}"]}} for n in range(6)])
    rows.to_parquet(str(tmp_path / "all.parquet"))
    assert len(items(tmp_path / "all.parquet")) == 6
    library.DatasetDict({"train": rows, "validation": rows.select(range(2))}).save_to_disk(str(tmp_path / "saved"))
    env = find_env("dataset", {"path": str(tmp_path / "saved")})
    assert [len(env.items(split)) for split in (Split.TRAIN, Split.VAL)] == [6, 2]
    more = library.DatasetDict({"train": rows, "unsupervised": rows, "test": rows.remove_columns("answers")})
    more.save_to_disk(str(tmp_path / "more"))
    env = find_env("dataset", {"path": str(tmp_path / "more"), "ratio": [2, 1, 0]})
    assert [len(env.items(split)) for split in (Split.TRAIN, Split.VAL)] == [4, 2]
    with pytest.raises(ConfigError, match="it has no 'answers'"):
        env.items(Split.TEST)


def test_how_many_contexts_were_cut_and_lost_what_their_answer_rests_on_is_said(tmp_path: Path) -> None:
    documents = [["a", ["short."]], ["b", ["x" * 90]]]
    rows = [
        {"question": f"q{n}", "answer": "x", "context": documents, "supporting_facts": [[title, 0]]}
        for n, title in enumerate("aab")
    ]
    env: Any = find_env("dataset", {"path": str(written(tmp_path, rows)), "ratio": [1, 1, 1], "context_chars": 60})
    assert {item.data["context"] for split in Split for item in env.items(split)} == {"[DOC] a\nshort."}
    said = (
        "3 contexts cut at env.context_chars = 60 (0 cuts none), 1 of them before a document that the answer rests on"
    )
    assert said in env.remarks
