"""The examples of the docs, run as the files that a reader would make of them: simulated, or against loopback."""

import json
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from skillopt_sleep.records import Split
from skillopt_sleep.trainer import TrainerConfig, find_env, load_config
from skillopt_sleep.trainer.data import read_items

ROOT = Path(__file__).parent.parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "trainer").glob("*.md")))
RULE = "- Write dates as YYYY-MM-DD."
_ASKED = re.compile(r"Write (\d\d \w+ \d{4}) for the form")


def _blocks(language: str, *holding: str) -> list[Any]:
    """The pages' blocks of this language that hold all these words."""
    found: list[Any] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        found += [pytest.param(one, id=page.name) for one in blocks if all(words in one for words in holding)]
    return found


ENVIRONMENTS = _blocks("python", "Trainer(", 'model="openai/')
CONFIGURATIONS = _blocks("toml", "[train]", "[env]")


def test_there_are_examples() -> None:
    assert ENVIRONMENTS
    assert CONFIGURATIONS


def test_the_quick_start_is_short_and_prints_with_the_simulated_model_what_the_page_shows(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "trainer" / "quick-start.md").read_text(encoding="utf-8")
    (shown,) = re.findall(
        r"^```python\n([^`]*class Shop.*?)^```\n.*?^```python\n(.*?)^```\n\n```text\n(.*?)^```\n",
        page,
        re.DOTALL | re.MULTILINE,
    )
    environment, start, printed = shown
    assert (environment.count("\n") <= 15, start.count("\n") <= 10) == (True, True)
    assert "SimulatedBackend" in start
    (tmp_path / "shop.py").write_text(environment, encoding="utf-8")
    (tmp_path / "start.py").write_text(start, encoding="utf-8")
    assert _ran("start.py", tmp_path).rstrip() == printed.rstrip()


def _ran(file: str, folder: Path, **variables: str) -> str:
    """What a file of Python prints that is run in its folder, without the caller's own settings."""
    done = subprocess.run(
        [sys.executable, file],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _answer(request: Request) -> Response:
    asked = json.loads(request.get_data())
    text = "\n".join(message["content"] for message in asked["messages"])
    schema = asked.get("response_format", {}).get("json_schema", {}).get("name")
    if schema is None:
        day = _ASKED.findall(text)[-1]
        said = f"{datetime.strptime(day, '%d %B %Y'):%Y-%m-%d}" if RULE in text else day  # noqa: DTZ007 - a day
    elif schema == "slow_update":
        said = json.dumps({"reasoning": "", "guidance": ""})
    elif schema == "meta_skill":
        said = json.dumps({"reasoning": "", "notes": ""})
    else:
        edits = [{"op": "append", "content": RULE, "target": "", "reason": "the year goes first", "attempts": []}]
        said = json.dumps({"reasoning": "", "edits": edits, "patch": None})
    choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    body = {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}, "model": "scripted"}
    return Response(json.dumps(body), content_type="application/json")


@pytest.mark.parametrize("example", ENVIRONMENTS)
def test_the_example_environment_learns_its_rule(tmp_path: Path, httpserver: HTTPServer, example: str) -> None:
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(_answer)
    (tmp_path / "dates.py").write_text(example, encoding="utf-8")
    printed = _ran("dates.py", tmp_path, OPENAI_BASE_URL=httpserver.url_for("/v1"), OPENAI_API_KEY="k")
    assert printed.rstrip() == f"0.0 -> 1.0\n{RULE}"
    assert (tmp_path / "dates-run" / "best_skill.md").read_text(encoding="utf-8") == f"{RULE}\n"


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_the_example_configuration_can_be_used_as_it_stands(tmp_path: Path, text: str) -> None:
    (tmp_path / "training.toml").write_text(text, encoding="utf-8")
    config = load_config(tmp_path / "training.toml")
    items = read_items(find_env(config.env["name"], {}), config)
    assert all(items[split] for split in Split)


def test_the_examples_of_the_pages_can_be_tried_in_one_folder() -> None:
    folders: list[str] = [TrainerConfig().train.folder]
    for page in (ROOT / "docs" / "trainer").glob("*.md"):
        for block in re.findall(
            r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            folders += re.findall(r'Trainer\(.*folder="([^"]+)"', block)
    assert len(folders) > 2
    assert len(folders) == len(set(folders))
