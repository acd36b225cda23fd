"""Ask one question by `claude -p`, without tools and without keeping anything. Measured with 2.1.200 and 2.1.332."""

import re
from collections.abc import Mapping

from skillopt_sleep.agents.claude_code.failures import UPGRADE, failed, output_excerpt, problem
from skillopt_sleep.agents.claude_code.login import KEY_NAME, LOGINS, PASSED, QUIET, TOKEN_NAME, find_login
from skillopt_sleep.agents.claude_code.output import ClaudeOutput, FinalResult
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import root_schema, to_json
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import MOST_READ, Invocation, Login, Setup
from skillopt_sleep.records import Completion, Prompt

SYSTEM = "Do what the message says, and answer with nothing else. You have no tools."
# 2.1.100 asks without end if a model answers in words although there is a schema.
OLDEST = (2, 1, 200)
PROMPT_LIST = "history.jsonl"  # in its home: what was typed in every session

_ENVIRON = {
    **QUIET,
    # Without it the program sends along every file that the prompt names as @path, from anywhere.
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    # With 0 it accepts no JSON in words; by default it asks five times.
    "MAX_STRUCTURED_OUTPUT_RETRIES": "1",
}
# --bare sends least, but reads no subscription's login; the other flags leave in 900 bytes about the machine.
_BARE = ("--bare",)
_CLEAN = (
    # The agent home is the replay's own: its settings are what find_login put there.
    *("--setting-sources", "user", "--strict-mcp-config", "--disable-slash-commands"),
    *("--settings", '{"disableBundledSkills":true}'),
)

_VERSION = re.compile(r"\A\s*(\d+)\.(\d+)\.(\d+)\S* \(Claude Code\)")


class Claude:
    """The dialect of `claude`; a key of another name is passed on as `key_name`."""

    name = "claude"
    program = "claude"
    home_env = "CLAUDE_CONFIG_DIR"
    home_name = ".claude"
    key_name = KEY_NAME
    limits_answers = True
    tells_price = True
    passed = PASSED
    # If CLAUDE_CONFIG_DIR isn't set, .claude.json is beside the agent's home.
    account_files: tuple[str, ...] = (".credentials.json", "settings.json", ".claude.json", "../.claude.json")

    def version(self, ran: ProcessResult) -> str:
        """Return the version `--version` printed; raises CallFailed (not_installed) if it is missing or too old."""
        found = _VERSION.match(ran.stdout[:MOST_READ].decode(errors="replace"))
        if ran.status or ran.stopped or not found:
            output = output_excerpt(ran) or f"nothing, and ended with status {ran.status}"
            raise CallFailed(FailureKind.NOT_INSTALLED, f"claude --version printed: {output}")
        numbers = tuple(int(number) for number in found.groups())
        version = ".".join(found.groups())
        if numbers < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            message = f"claude {version} is too old: it must be {oldest} or newer"
            raise CallFailed(FailureKind.NOT_INSTALLED, message, remedy=UPGRADE)
        return version

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Login:
        """Return the login that the program would use, without what would renew it."""
        return find_login(files, environ, setup)

    def call(self, prompt: Prompt, setup: Setup) -> Invocation:
        """Return how to ask one question, without tools and without the user's own settings."""
        key_name = ""
        if setup.key_env:
            key_name = setup.key_env if setup.key_env in LOGINS else KEY_NAME
        # A subscription's token doesn't work with --bare.
        flags = _BARE if key_name not in {"", TOKEN_NAME} else _CLEAN
        arguments = ["-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence", *flags]
        arguments += ["--system-prompt", SYSTEM, "--tools", ""]
        if setup.model:
            arguments += ["--model", setup.model]
        if prompt.schema is not None:
            arguments += ["--json-schema", to_json(root_schema(prompt.schema)).decode()]
        # The program answers what begins with a slash itself, as a command.
        text = f"\n{prompt.text}" if prompt.text.startswith("/") else prompt.text
        environ = _environ(setup, key_name)
        return Invocation(tuple(arguments), stdin=text.encode(errors="replace"), environ=environ)

    def read(self, prompt: Prompt, ran: ProcessResult) -> Completion:
        """Return the answer in the result event; raises CallFailed without one, or with an error in it."""
        output = ClaudeOutput().read(ran.stdout)
        why = problem(output, ran)
        if why is not None:
            raise why
        result = output.result or FinalResult(is_error=False, subtype="")
        if not result.models:
            message = f"claude answered without asking a model: {result.words}"
            raise failed(result, FailureKind.MALFORMED, message)
        text = result.result or ""
        if prompt.schema is not None and result.structured_output is not None:
            text = to_json(result.structured_output).decode()
        if not text.strip():
            message = f"claude: the model answered the {prompt.purpose} prompt with nothing"
            raise failed(result, FailureKind.EMPTY, message)
        return Completion(text=text, usage=result.usage, usd=result.usd, model=result.model, odd_events=output.odd)


def _environ(setup: Setup, key_name: str) -> dict[str, str]:
    """Return the variables to set; `key_name` is the one that passes the program a key, if there is one."""
    environ = dict(_ENVIRON)
    if key_name:
        # Empty is as good as unset: of two logins the program would send both.
        environ |= {name: "" for name in LOGINS if name != key_name}
    if setup.base_url:
        environ["ANTHROPIC_BASE_URL"] = setup.base_url
    if setup.max_output_tokens:
        environ["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(setup.max_output_tokens)
    return environ
