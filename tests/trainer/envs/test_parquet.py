import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import find_env
from skillopt_sleep.trainer.envs.parquet import parquet_rows

SQUAD = "SELECT 'a' AS id, 'Who?' AS question, 'Ada.' AS context, {'text': ['Ada'], 'answer_start': [0]} AS answers"
HOTPOT = (
    "SELECT 'b' AS id, 'Who?' AS question, 'Ada' AS answer, {'title': ['Mill', 'River'], "
    "'sentences': [['It is old.', ' Ada built it.'], ['It is long.']]} AS context, "
    "{'title': ['Mill'], 'sent_id': [1]} AS supporting_facts"
)


def write(path: Path, query: str) -> Path:
    with duckdb.connect(":memory:") as opened:
        opened.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def test_lists_and_structs_are_pythons_own(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", f"{SQUAD} UNION ALL SELECT NULL, 'Why?', '', NULL")
    assert parquet_rows(path) == (
        {"id": "a", "question": "Who?", "context": "Ada.", "answers": {"text": ["Ada"], "answer_start": [0]}},
        {"id": None, "question": "Why?", "context": "", "answers": None},
    )


def test_a_name_with_the_letters_of_a_pattern_is_that_file_alone(tmp_path: Path) -> None:
    write(tmp_path / "x1.parquet", "SELECT 1 AS n")
    assert parquet_rows(write(tmp_path / "x[1]*.parquet", "SELECT 2 AS n")) == ({"n": 2},)


def test_a_folder_as_it_is_downloaded_is_read_by_its_splits(tmp_path: Path) -> None:
    write(tmp_path / "train-00000-of-00001.parquet", SQUAD)
    write(tmp_path / "validation-00000-of-00001.parquet", HOTPOT)
    env = find_env("question_answering", {"path": str(tmp_path)})
    [train], [val] = env.items(Split.TRAIN), env.items(Split.VAL)
    assert train.data == {"question": "Who?", "context": "Ada.", "answers": ["Ada"]}
    assert val.data["context"] == "[DOC] Mill\nIt is old. Ada built it.\n\n[DOC] River\nIt is long."


@pytest.mark.parametrize("data", [b"", b"PAR1" + b"x" * 99 + b"PAR1"])
def test_a_file_that_is_not_parquet_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(data)
    with pytest.raises(ConfigError, match=r"x\.parquet"):
        parquet_rows(tmp_path / "x.parquet")


def test_without_the_library_the_command_that_installs_it_is_named(tmp_path: Path) -> None:
    script = (
        "import sys\nsys.modules['duckdb'] = None\n"
        "from pathlib import Path\nfrom skillopt_sleep.errors import ConfigError\n"
        "from skillopt_sleep.trainer.envs.parquet import parquet_rows\n"
        "try:\n    parquet_rows(Path('x.parquet'))\n"
        "except ConfigError as error:\n    print(error.message, error.remedy)\n"
    )
    done: Any = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert "x.parquet: reading Parquet needs DuckDB" in done.stdout
    assert "pip install" in done.stdout
    assert "duckdb" in done.stdout
