"""Ask one question by `claude -p`, without tools and without keeping anything. Measured with 2.1.200 and 2.1.332."""

import re
from collections.abc import Mapping

from skillopt_sleep.agents.claude_code.events import Limit, Result, read_output
from skillopt_sleep.agents.claude_code.failures import (
    REMEDIES,
    UPGRADE,
    error,
    is_signalled,
    no_result,
    shown,
    stopped,
)
from skillopt_sleep.agents.claude_code.login import KEY_NAME, LOGINS, PASSED, TOKEN_NAME, find_login
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import root_schema, to_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.program import MOST_READ, Account, Invocation, Setup
from skillopt_sleep.records import Completion, Prompt

SYSTEM = "Do what the message says, and answer with nothing else. You have no tools."
# 2.1.100 asks without end if a model answers in words although there is a schema.
OLDEST = (2, 1, 200)

_ENVIRON = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    # Without it the program sends along every file that the prompt names as @path, from anywhere.
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    # We retry ourselves. It still asks twice at a subscription's 401, a 404, and a reply that is empty or refused,
    # and a few times at a 400 and an answer that is longer than the model may write.
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
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
    account_files = (".credentials.json", "settings.json", ".claude.json", "../.claude.json")

    def version(self, ran: Ran) -> str:
        """Return the version `--version` printed; raises CallFailed (not_installed) if it is missing or too old."""
        found = _VERSION.match(ran.stdout[:MOST_READ].decode(errors="replace"))
        if ran.status or ran.stopped or not found:
            output = shown(ran) or f"nothing, and ended with status {ran.status}"
            raise CallFailed(FailureKind.NOT_INSTALLED, f"claude --version printed: {output}")
        numbers = tuple(int(number) for number in found.groups())
        version = ".".join(found.groups())
        if numbers < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            problem = f"claude {version} is too old: it must be {oldest} or newer"
            raise CallFailed(FailureKind.NOT_INSTALLED, problem, remedy=UPGRADE)
        return version

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Account:
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

    def read(self, prompt: Prompt, ran: Ran) -> Completion:
        """Return the answer in the result event; raises CallFailed without one, or with an error in it."""
        if ran.stopped:
            raise stopped(ran)
        output = read_output(ran.stdout)
        result = output.result
        if result is None:
            raise no_result(ran, events=output.known)
        usage = result.usage
        failure = _failure(prompt, ran, result, output.limit)
        if failure is not None:
            kind, message = failure
            tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens) if usage else None
            raise CallFailed(kind, message, remedy=REMEDIES.get(kind, ""), tokens=tokens, usd=result.usd)
        text = _text(prompt, result)
        return Completion(text=text, usage=usage, usd=result.usd, model=result.model, odd_events=output.odd)


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


def _failure(prompt: Prompt, ran: Ran, result: Result, limit: Limit | None) -> tuple[FailureKind, str] | None:
    """Return why this result isn't an answer, or None if it is one."""
    words = one_line(result.result or " ".join(map(str, result.errors)), limit=200)
    if limit is not None and limit.reached:
        return FailureKind.QUOTA, f"claude: {limit}"
    if result.stop_reason == "refusal":
        return FailureKind.REFUSED, f"claude: the model refused: {words}"
    if result.is_error or result.subtype != "success":
        return error(result, words)
    if ran.status:
        kind = FailureKind.KILLED if is_signalled(ran) else FailureKind.MALFORMED
        return kind, f"claude ended with status {ran.status} after its answer"
    if not result.models:
        return FailureKind.MALFORMED, f"claude answered without asking a model: {words}"
    if not _text(prompt, result).strip():
        return FailureKind.EMPTY, f"claude: the model answered the {prompt.purpose} prompt with nothing"
    return None


def _text(prompt: Prompt, result: Result) -> str:
    if prompt.schema is not None and result.structured_output is not None:
        return to_json(result.structured_output).decode()
    return result.result or ""
