import json
from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from skillopt_sleep.agents.codex.failures import NO_RENEWAL
from skillopt_sleep.agents.codex.program import OLDEST, CodexProgram
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import Dialect, Setup
from skillopt_sleep.records import Prompt, Purpose

CODEX = CodexProgram()
PROMPT = Prompt(purpose=Purpose.ROLLOUT, text="Say hello.")
RECORDED = Path(__file__).parents[1] / "recorded"
ARGUMENTS = """
exec --json --ephemeral --skip-git-repo-check -s read-only --color never
-c model_instructions_file="instructions.md" -c project_doc_max_bytes=0 -c skills.include_instructions=false
-c include_permissions_instructions=false -c include_environment_context=false
-c include_collaboration_mode_instructions=false -c include_apps_instructions=false -c features.shell_tool=false
-c skills.bundled.enabled=false -c agents.enabled=false -c web_search="disabled"
-c cli_auth_credentials_store="file" -c analytics.enabled=false -c check_for_update_on_startup=false
-c features.goals=false -c features.plugins=false -c features.apps=false -c features.api_key_model_discovery=false
-c model_provider="replay" -c"""
QUIET = ARGUMENTS.split()


class Grade(msgspec.Struct):
    score: Annotated[float, msgspec.Meta(ge=0, le=1)]
    why: str = ""


def test_it_is_a_dialect() -> None:
    dialect: Dialect = CODEX
    assert (dialect.name, dialect.program, dialect.home_env, dialect.home_name) == (
        "codex",
        "codex",
        "CODEX_HOME",
        ".codex",
    )
    assert dialect.account_files == ("auth.json", "config.toml")


def test_the_oldest_version_that_is_taken_is_recorded() -> None:
    assert (RECORDED / f"codex-{'.'.join(map(str, OLDEST))}").is_dir()


def test_a_question_goes_to_the_login_of_the_program_itself() -> None:
    asked = CODEX.call(PROMPT, Setup())
    headers = "{OpenAI-Organization=" + '"OPENAI_ORGANIZATION",OpenAI-Project="OPENAI_PROJECT"}'
    provider = (
        f'model_providers.replay={{name="OpenAI",env_http_headers={headers},wire_api="responses",'
        "request_max_retries=0,stream_max_retries=0,requires_openai_auth=true}"
    )
    assert asked.arguments == (*QUIET, provider, "-")
    assert asked.stdin == b"Say hello."
    assert list(asked.files) == ["instructions.md"]
    assert asked.environ == {"CODEX_REFRESH_TOKEN_URL_OVERRIDE": NO_RENEWAL}


def test_a_question_to_an_address_takes_its_key_from_the_environment() -> None:
    own = Setup(model="llama", base_url="http://127.0.0.1:8000/v1", key_env="MY_KEY")
    # The key is handed on under the name that the dialect gives.
    provider = (
        'model_providers.replay={name="replay",base_url="http://127.0.0.1:8000/v1",wire_api="responses",'
        'request_max_retries=0,stream_max_retries=0,env_key="OPENAI_API_KEY"}'
    )
    assert CODEX.call(PROMPT, own).arguments == (*QUIET, provider, "-m", "llama", "-")
    assert CODEX.call(PROMPT, own._replace(key_env="")).arguments == CODEX.call(PROMPT, own).arguments
    passed = CODEX.call(PROMPT, own._replace(key_env="CODEX_API_KEY")).arguments[len(QUIET)]
    assert 'env_key="CODEX_API_KEY"' in passed


def test_a_key_alone_goes_to_the_address_of_the_program_itself() -> None:
    provider = CODEX.call(PROMPT, Setup(key_env="MY_KEY")).arguments[len(QUIET)]
    assert 'env_key="OPENAI_API_KEY"' in provider
    assert "base_url" not in provider
    assert "requires_openai_auth" not in provider


def test_an_address_can_not_leave_its_string() -> None:
    provider = CODEX.call(PROMPT, Setup(base_url='http://x/"\n,name="y"')).arguments[len(QUIET)]
    assert r'base_url="http://x/\"\n,name=\"y\"",' in provider


def test_a_structured_reply_is_asked_for_by_a_strict_schema() -> None:
    prompt = Prompt(purpose=Purpose.JUDGE, text="Grade it.", schema=Grade)
    asked = CODEX.call(prompt, Setup(model="gpt-5.5"))
    assert asked.arguments[-5:] == ("-m", "gpt-5.5", "--output-schema", "schema.json", "-")
    wanted = json.loads(asked.files["schema.json"])
    assert wanted["required"] == ["score", "why"]
    assert wanted["additionalProperties"] is False


def test_a_prompt_never_stands_in_the_arguments() -> None:
    asked = CODEX.call(Prompt(purpose=Purpose.MINE, text="--help é \ud800" + "x" * 200_000), Setup())
    assert asked.stdin.startswith("--help é ?xx".encode())
    assert max(map(len, asked.arguments)) < 1000


@pytest.mark.parametrize(
    "said", ["codex-cli 0.169.0\n", "codex-cli 0.145.0", "WARNING: x\ncodex-cli 1.0.0-alpha.1\r\n"]
)
def test_a_version_is_read(said: str) -> None:
    assert CODEX.version(ProcessResult(0, said.encode())) == said.strip().rpartition(" ")[2]


@pytest.mark.parametrize(
    "ran",
    [
        ProcessResult(0),
        ProcessResult(0, b"\xff\xfe"),
        ProcessResult(0, b"Welcome to the portal"),
        ProcessResult(127, b"", b"codex: command not found"),
        ProcessResult(1, b"codex-cli 0.169.0"),
        ProcessResult(0, b"codex-cli 0.169.0", stopped="timed_out"),
        ProcessResult(0, b"codex-cli " + b"9" * 5000 + b".0.0"),
        ProcessResult(0, b"2.1.330 (Claude Code)"),
    ],
)
def test_another_program_is_not_taken_for_it(ran: ProcessResult) -> None:
    with pytest.raises(CallFailed) as caught:
        CODEX.version(ran)
    assert caught.value.kind is FailureKind.NOT_INSTALLED
    assert "codex --version" in caught.value.message
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("said", ["0.47.0", "0.104.0", "0.144.9"])
def test_a_version_that_is_too_old_says_how_to_upgrade(said: str) -> None:
    with pytest.raises(CallFailed, match=f"{said} is too old: .*0.145.0") as caught:
        CODEX.version(ProcessResult(0, f"codex-cli {said}".encode()))
    assert caught.value.kind is FailureKind.NOT_INSTALLED
    assert "npm install" in caught.value.remedy


def test_a_key_is_handed_on_under_a_name_that_is_passed_on() -> None:
    assert {CODEX.key_name, "OPENAI_API_KEY", "CODEX_API_KEY"} <= CODEX.passed
    assert not CODEX.passed & {"HOME", "PATH", "CODEX_HOME", "CODEX_ACCESS_TOKEN", "RUST_LOG"}
