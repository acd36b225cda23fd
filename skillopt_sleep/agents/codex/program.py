"""Ask one question by `codex exec`, and read the events it answers with."""

import re
from collections.abc import Mapping
from io import BytesIO
from typing import cast

import msgspec

from skillopt_sleep.agents.codex import login as codex_login
from skillopt_sleep.agents.codex.failures import NO_RENEWAL, failure, kind_of
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import strict_schema, to_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.program import MOST_READ, Account, Invocation, Setup
from skillopt_sleep.records import Completion, Prompt, Tokens, Usage

# The first version that knows every setting below: older ones stop at `agents.enabled`.
OLDEST = (0, 145, 0)
INSTRUCTIONS = "instructions.md"
SCHEMA = "schema.json"
PROVIDER = "replay"
PASSED = frozenset(
    {codex_login.OPENAI_KEY, codex_login.CODEX_KEY, "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "CODEX_CA_CERTIFICATE"}
)

_INSTALL = "run: npm install -g @openai/codex@latest, or name its path in backend.program"
_UPDATE = f"read what it says; if it isn't the newest version: {_INSTALL}"
_SYSTEM = b"Answer in text, at once. There is nothing to look up and no tool to call.\n"
_OPTIONS = ("exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "--color", "never")
_SETTINGS = (
    f'model_instructions_file="{INSTRUCTIONS}"',
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    # With them a prompt that says `$skill-creator` would load that skill.
    "skills.bundled.enabled=false",
    "include_permissions_instructions=false",
    "include_environment_context=false",
    "include_collaboration_mode_instructions=false",
    "include_apps_instructions=false",
    "agents.enabled=false",
    'web_search="disabled"',
    'cli_auth_credentials_store="file"',
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    # Not by --disable, which refuses names that this version doesn't know.
    *(f"features.{name}=false" for name in ("shell_tool", "goals", "plugins", "apps", "api_key_model_discovery")),
    f'model_provider="{PROVIDER}"',
)
# The built-in provider's number of retries can't be set, so it is replaced by one of our own.
_ALWAYS = {"wire_api": "responses", "request_max_retries": 0, "stream_max_retries": 0}
_BUILT_IN = {
    "name": "OpenAI",
    "env_http_headers": {"OpenAI-Organization": "OPENAI_ORGANIZATION", "OpenAI-Project": "OPENAI_PROJECT"},
}

_VERSION = re.compile(r"^codex-cli (\d{1,6})\.(\d{1,6})\.(\d{1,6})(\S{0,40})\s*$", re.MULTILINE)
_NOT_FOUND = frozenset({126, 127})
_SIGNALLED = frozenset({128 + 9, 128 + 15})


class _Spent(msgspec.Struct):
    input_tokens: Tokens = 0
    cached_input_tokens: Tokens = 0
    output_tokens: Tokens = 0


class _Item(msgspec.Struct):
    type: str
    text: str = ""


class _Error(msgspec.Struct):
    message: str = ""


class _Event(msgspec.Struct):
    """The parts of an output line that we read."""

    type: str
    item: _Item | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")
    error: _Error | None = None
    message: str = ""


_spent = msgspec.json.Decoder(_Spent)
_event = msgspec.json.Decoder(_Event)

_EVENTS = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed", "error"})
_ITEM_EVENTS = frozenset({"item.started", "item.updated", "item.completed"})
_ITEMS = frozenset(
    {"agent_message", "reasoning", "error", "todo_list", "web_search", "command_execution"}
    | {"file_change", "mcp_tool_call", "collab_tool_call"}
)


class _Output:
    """The output of a run: its answer, its usage, its error messages; `odd` counts the lines that we don't know."""

    def __init__(self, stdout: bytes) -> None:
        self.answer = ""
        self.complaint = ""
        self.failure: str | None = None
        self.usage: Usage | None = None
        self.is_begun = False
        self.is_completed = False
        self.odd = 0
        for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
            if line.strip():
                self._read(line)

    @property
    def tokens(self) -> tuple[int, int, int] | None:
        """Return the tokens for input, output and from the cache, or None if they are unknown."""
        if self.usage is None:
            return None
        return self.usage.input_tokens, self.usage.output_tokens, self.usage.cached_tokens

    def _read(self, line: bytes) -> None:
        try:
            event = _event.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self.odd += 1
            return
        match event:
            case _Event(type="turn.started"):
                self.is_begun = True
            case _Event(type="turn.completed"):
                self.is_completed = True
                self.usage = _usage(event.usage)
            case _Event(type="turn.failed"):
                self.failure = event.error.message if event.error else ""
            case _Event(type="error"):
                self.complaint = event.message
            case _Event(type="item.completed", item=_Item(type="agent_message", text=text)):
                self.answer = text
            case _:
                if not _is_known(event):
                    self.odd += 1


class Codex:
    """The dialect of `codex exec`; a key of another name than those passed on is passed on as `key_name`."""

    name = "codex"
    program = "codex"
    home_env = "CODEX_HOME"
    home_name = ".codex"
    account_files = (codex_login.AUTH_FILE,)
    key_name = codex_login.OPENAI_KEY
    limits_answers = False
    passed = PASSED

    def version(self, ran: Ran) -> str:
        """Return the version `--version` printed; raises CallFailed (not_installed) if it is missing or too old."""
        found = _VERSION.search(ran.stdout[:MOST_READ].decode(errors="replace"))
        if found is None or ran.status or ran.stopped:
            printed = (ran.stdout[:MOST_READ] + b" " + ran.stderr[:MOST_READ]).decode(errors="replace")
            shown = one_line(printed, limit=120) or "nothing"
            raise CallFailed(FailureKind.NOT_INSTALLED, f"codex --version printed: {shown}", remedy=_INSTALL)
        major, minor, patch, rest = found.groups()
        if (int(major), int(minor), int(patch)) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            problem = f"codex {major}.{minor}.{patch} is too old: it must be {oldest} or newer"
            raise CallFailed(FailureKind.NOT_INSTALLED, problem, remedy=_INSTALL)
        return f"{major}.{minor}.{patch}{rest}"

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Account:
        """Return the login that answers, cut down to what a call needs."""
        return codex_login.account(files, environ, setup)

    def call(self, prompt: Prompt, setup: Setup) -> Invocation:
        """Return how to ask in one turn, without tools, history, retries or the user's own settings."""
        files = {INSTRUCTIONS: _SYSTEM}
        arguments = [*_OPTIONS]
        for setting in (*_SETTINGS, f"model_providers.{PROVIDER}={_provider(setup)}"):
            arguments += ["-c", setting]
        if setup.model:
            arguments += ["-m", setup.model]
        if prompt.schema is not None:
            files[SCHEMA] = to_json(strict_schema(prompt.schema))
            arguments += ["--output-schema", SCHEMA]
        return Invocation(
            arguments=(*arguments, "-"),
            stdin=prompt.text.encode(errors="replace"),
            files=files,
            environ={"CODEX_REFRESH_TOKEN_URL_OVERRIDE": NO_RENEWAL},
        )

    def read(self, prompt: Prompt, ran: Ran) -> Completion:
        """Return the last message of a completed turn; raises CallFailed, with its kind, for anything else."""
        output = _Output(ran.stdout)
        problem = _problem(output, ran)
        if problem is not None:
            raise problem
        if not output.answer.strip():
            message = f"codex answered the {prompt.purpose} prompt with nothing"
            raise CallFailed(FailureKind.EMPTY, message, tokens=output.tokens)
        return Completion(text=output.answer, usage=output.usage, odd_events=output.odd)


def _problem(output: _Output, ran: Ran) -> CallFailed | None:
    """Return why this isn't a completed turn, or None if it is one."""
    tokens = output.tokens
    if ran.stopped:
        return _stopped(output, ran)
    if output.failure is not None:
        return failure(output.failure or output.complaint, tokens)
    if ran.status < 0 or ran.status in _SIGNALLED:
        return CallFailed(FailureKind.KILLED, f"codex was killed (status {ran.status})", tokens=tokens)
    if ran.status:
        return _refusal(output, ran)
    if output.is_completed:
        return None
    # If stopped in the middle of a turn, some versions exit with status 0.
    if output.is_begun:
        return CallFailed(FailureKind.KILLED, "codex ended in the middle of its turn")
    shown = one_line(ran.stdout[:MOST_READ].decode(errors="replace"), limit=80)
    kind = FailureKind.MALFORMED if shown else FailureKind.EMPTY
    return CallFailed(kind, f"codex ended without an answer; it printed: {shown!r}")


def _stopped(output: _Output, ran: Ran) -> CallFailed:
    """Return why we had to end the program."""
    if ran.stopped == "flooded":
        return CallFailed(FailureKind.FLOODED, "codex printed far more than an answer", tokens=output.tokens)
    # Without a network it waits forever, and says so meanwhile.
    if kind_of(output.complaint) is FailureKind.UNREACHABLE:
        return failure(output.complaint, output.tokens)
    message = f"codex had not ended after {ran.seconds:.0f} s"
    return CallFailed(FailureKind.TIMED_OUT, message, tokens=output.tokens)


def _refusal(output: _Output, ran: Ran) -> CallFailed:
    """Return why it ended with a failing status, by an error event or by a sentence on stderr before any event."""
    if output.complaint:
        return failure(output.complaint, output.tokens)
    lines = ran.stderr[:MOST_READ].decode(errors="replace").splitlines()
    shown = one_line(" ".join(line for line in lines if not line.startswith("WARNING")), limit=300) or "nothing"
    kind = FailureKind.NOT_INSTALLED if ran.status in _NOT_FOUND else FailureKind.BAD_REQUEST
    message = f"codex ended with status {ran.status} and printed: {shown}"
    return CallFailed(kind, message, remedy=_UPDATE, tokens=output.tokens)


def _provider(setup: Setup) -> str:
    """Return the provider to ask, as inline TOML: the address in the setup, else the one that goes with the login."""
    provider: dict[str, object] = {**_BUILT_IN}
    if setup.base_url:
        provider = {"name": PROVIDER, "base_url": setup.base_url}
    provider |= _ALWAYS
    key_env = codex_login.key_env(setup)
    if not key_env:
        provider["requires_openai_auth"] = True
    elif key_env in PASSED:
        provider["env_key"] = key_env
    else:
        provider["env_key"] = codex_login.OPENAI_KEY
    return _toml(provider)


def _toml(value: object) -> str:
    """Return the value as inline TOML; strings and numbers are written as in JSON."""
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return "{" + ",".join(f"{name}={_toml(inner)}" for name, inner in fields.items()) + "}"
    return to_json(value).decode()


def _usage(reported: msgspec.Raw) -> Usage | None:
    """Return the usage, or None if it is unknown: all zeros if the server doesn't report it."""
    try:
        spent = _spent.decode(reported)
    except msgspec.DecodeError:
        return None
    if not spent.input_tokens and not spent.output_tokens:
        return None
    cached = min(spent.cached_input_tokens, spent.input_tokens)
    return Usage(input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, cached_tokens=cached)


def _is_known(event: _Event) -> bool:
    if event.type in _ITEM_EVENTS:
        return event.item is not None and event.item.type in _ITEMS
    return event.type in _EVENTS
