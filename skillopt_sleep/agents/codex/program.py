"""The `codex` program: one question by `codex exec`, and the events it answers with."""

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

# The first that takes every setting below: older ones stop at `agents.enabled`.
OLDEST = (0, 145, 0)
INSTRUCTIONS = "instructions.md"
SCHEMA = "schema.json"
PROVIDER = "replay"
PASSED = frozenset(
    {codex_login.OPENAI_KEY, codex_login.CODEX_KEY, "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "CODEX_CA_CERTIFICATE"}
)

_INSTALL = "run: npm install -g @openai/codex@latest, or name its path in backend.program"
_UPDATE = f"see what it says, and whether it is the newest: {_INSTALL}"
_SYSTEM = b"Answer in text, at once. There is nothing to look up and no tool to call.\n"
_OPTIONS = ("exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "--color", "never")
_SETTINGS = (
    f'model_instructions_file="{INSTRUCTIONS}"',
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    # With them a prompt that says `$skill-creator` would bring that skill along.
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
    # Not by --disable, which refuses a name that this version doesn't know.
    *(f"features.{name}=false" for name in ("shell_tool", "goals", "plugins", "apps", "api_key_model_discovery")),
    f'model_provider="{PROVIDER}"',
)
# The built-in provider takes no other number of retries than its own, so ours stands in for it.
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
    """What is read of a line of its output."""

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


class _Heard:
    """What a run said: its answer, its bill, its complaints; `odd` counts the lines that we don't know."""

    def __init__(self, stdout: bytes) -> None:
        self.answer = self.complaint = ""
        self.failed: str | None = None
        self.usage: Usage | None = None
        self.begun = self.completed = False
        self.odd = 0
        for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
            if line.strip():
                self._hear(line)

    @property
    def tokens(self) -> tuple[int, int, int] | None:
        """What was paid, where it says so."""
        spent = self.usage
        return (spent.input_tokens, spent.output_tokens, spent.cached_tokens) if spent else None

    def _hear(self, line: bytes) -> None:
        try:
            event = _event.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self.odd += 1
            return
        match event:
            case _Event(type="turn.started"):
                self.begun = True
            case _Event(type="turn.completed"):
                self.completed, self.usage = True, _usage(event.usage)
            case _Event(type="turn.failed"):
                self.failed = event.error.message if event.error else ""
            case _Event(type="error"):
                self.complaint = event.message
            case _Event(type="item.completed", item=_Item(type="agent_message", text=text)):
                self.answer = text
            case _:
                self.odd += not _is_known(event)


class Codex:
    """Speaks `codex exec`; a key of another name than those passed on is to be handed on as `key_name`."""

    name = "codex"
    program = "codex"
    home_env = "CODEX_HOME"
    home_name = ".codex"
    account_files = (codex_login.AUTH_FILE,)
    key_name = codex_login.OPENAI_KEY
    passed = PASSED

    def version(self, ran: Ran) -> str:
        """The version in what `--version` said; CallFailed (not_installed) where there is none, or too old a one."""
        found = _VERSION.search(ran.stdout[:MOST_READ].decode(errors="replace"))
        if found is None or ran.status or ran.stopped:
            said = (
                one_line((ran.stdout[:MOST_READ] + b" " + ran.stderr[:MOST_READ]).decode(errors="replace"), limit=120)
                or "nothing"
            )
            raise CallFailed(FailureKind.NOT_INSTALLED, f"codex --version said: {said}", remedy=_INSTALL)
        major, minor, patch, rest = found.groups()
        if (int(major), int(minor), int(patch)) < OLDEST:
            said = f"codex {major}.{minor}.{patch} is too old: it takes {'.'.join(map(str, OLDEST))} or newer"
            raise CallFailed(FailureKind.NOT_INSTALLED, said, remedy=_INSTALL)
        return f"{major}.{minor}.{patch}{rest}"

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Account:
        """The login that answers, cut down to what a call needs."""
        return codex_login.account(files, environ, setup)

    def call(self, prompt: Prompt, setup: Setup) -> Invocation:
        """One turn without tools, history, retries or the user's own settings."""
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
        """The last message of a completed turn; CallFailed, typed, of anything else."""
        heard = _Heard(ran.stdout)
        problem = _problem(heard, ran)
        if problem is not None:
            raise problem
        if not heard.answer.strip():
            said = f"codex answered the {prompt.purpose} prompt with nothing"
            raise CallFailed(FailureKind.EMPTY, said, tokens=heard.tokens)
        return Completion(text=heard.answer, usage=heard.usage, odd_events=heard.odd)


def _problem(heard: _Heard, ran: Ran) -> CallFailed | None:
    """Why this is no completed turn, or None where it is one."""
    tokens = heard.tokens
    if ran.stopped == "flooded":
        return CallFailed(FailureKind.FLOODED, "codex wrote more than an answer can be", tokens=tokens)
    if ran.stopped:
        # It waits for ever for a network that isn't there, and says so on the way.
        if kind_of(heard.complaint) is FailureKind.UNREACHABLE:
            return failure(heard.complaint, tokens)
        return CallFailed(FailureKind.TIMED_OUT, f"codex had not ended after {ran.seconds:.0f} s", tokens=tokens)
    if heard.failed is not None:
        return failure(heard.failed or heard.complaint, tokens)
    if ran.status < 0 or ran.status in _SIGNALLED:
        return CallFailed(FailureKind.KILLED, f"codex was killed (status {ran.status})", tokens=tokens)
    if ran.status:
        return _refusal(heard, ran)
    if heard.completed:
        return None
    # Told to stop in the middle of a turn, some versions leave as if all were well.
    if heard.begun:
        return CallFailed(FailureKind.KILLED, "codex ended in the middle of its turn")
    shown = one_line(ran.stdout[:MOST_READ].decode(errors="replace"), limit=80)
    kind = FailureKind.MALFORMED if shown else FailureKind.EMPTY
    return CallFailed(kind, f"codex ended without an answer; it said: {shown!r}")


def _refusal(heard: _Heard, ran: Ran) -> CallFailed:
    """It ended with a failing status: by an error event, or by a sentence on stderr before any event."""
    if heard.complaint:
        return failure(heard.complaint, heard.tokens)
    lines = ran.stderr[:MOST_READ].decode(errors="replace").splitlines()
    said = one_line(" ".join(line for line in lines if not line.startswith("WARNING")), limit=300) or "nothing"
    kind = FailureKind.NOT_INSTALLED if ran.status in _NOT_FOUND else FailureKind.BAD_REQUEST
    return CallFailed(
        kind, f"codex ended with status {ran.status} and said: {said}", remedy=_UPDATE, tokens=heard.tokens
    )


def _provider(setup: Setup) -> str:
    """Who is asked: the address in the setup, else the one that goes with the login."""
    named = {"name": PROVIDER, "base_url": setup.base_url} if setup.base_url else _BUILT_IN
    wanted = codex_login.key_env(setup)
    handed = wanted if wanted in PASSED else codex_login.OPENAI_KEY
    return _toml({**named, **_ALWAYS, **({"env_key": handed} if wanted else {"requires_openai_auth": True})})


def _toml(value: object) -> str:
    """The value as inline TOML; strings and numbers are those of JSON."""
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return "{" + ",".join(f"{name}={_toml(inner)}" for name, inner in fields.items()) + "}"
    return to_json(value).decode()


def _usage(said: msgspec.Raw) -> Usage | None:
    """The bill, where it tells one: a server that doesn't is passed on as all zeros."""
    try:
        spent = _spent.decode(said)
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
