"""Ask one question by `codex exec`, and read the events it answers with."""

import re
from collections.abc import Mapping
from typing import cast

from skillopt_sleep.agents.codex import login as codex_login
from skillopt_sleep.agents.codex.failures import INSTALL, NO_RENEWAL, problem
from skillopt_sleep.agents.codex.output import CodexOutput
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import strict_schema, to_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import MOST_READ, Invocation, Login, Setup
from skillopt_sleep.records import Completion, Prompt

# The first version that knows every setting below: older ones stop at `agents.enabled`.
OLDEST = (0, 145, 0)
INSTRUCTIONS = "instructions.md"
SCHEMA = "schema.json"
PROVIDER = "replay"
PASSED = frozenset(
    {codex_login.OPENAI_KEY, codex_login.CODEX_KEY, "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "CODEX_CA_CERTIFICATE"}
)

_SYSTEM = b"Answer in text, at once. There is nothing to look up and no tool to call.\n"
_OPTIONS = ("exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "--color", "never")
# What a replay never needs, and what would reach for an address of its own.
NO_EXTRAS = (
    # With them a prompt that says `$skill-creator` would load that skill.
    "skills.bundled.enabled=false",
    "agents.enabled=false",
    'web_search="disabled"',
    'cli_auth_credentials_store="file"',
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    # Not by --disable, which refuses names that this version doesn't know.
    *(f"features.{name}=false" for name in ("goals", "plugins", "apps", "api_key_model_discovery")),
)
_SETTINGS = (
    f'model_instructions_file="{INSTRUCTIONS}"',
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "include_permissions_instructions=false",
    "include_environment_context=false",
    "include_collaboration_mode_instructions=false",
    "include_apps_instructions=false",
    "features.shell_tool=false",
    *NO_EXTRAS,
    f'model_provider="{PROVIDER}"',
)
# The built-in provider's number of retries can't be set, so it is replaced by one of our own.
_ALWAYS = {"wire_api": "responses", "request_max_retries": 0, "stream_max_retries": 0}
_BUILT_IN = {
    "name": "OpenAI",
    "env_http_headers": {"OpenAI-Organization": "OPENAI_ORGANIZATION", "OpenAI-Project": "OPENAI_PROJECT"},
}

_VERSION = re.compile(r"^codex-cli (\d{1,6})\.(\d{1,6})\.(\d{1,6})(\S{0,40})\s*$", re.MULTILINE)


class CodexProgram:
    """The dialect of `codex exec`; a key of another name than those passed on is passed on as `key_name`."""

    name = "codex"
    program = "codex"
    home_env = "CODEX_HOME"
    home_name = ".codex"
    account_files: tuple[str, ...] = (codex_login.AUTH_FILE, codex_login.CONFIG_FILE)
    key_name = codex_login.OPENAI_KEY
    limits_answers = False
    tells_price = False
    passed = PASSED

    def version(self, ran: ProcessResult) -> str:
        """Return the version `--version` printed; raises CallFailed (not_installed) if it is missing or too old."""
        found = _VERSION.search(ran.stdout[:MOST_READ].decode(errors="replace"))
        if found is None or ran.status or ran.stopped:
            printed = (ran.stdout[:MOST_READ] + b" " + ran.stderr[:MOST_READ]).decode(errors="replace")
            shown = one_line(printed, limit=120) or "nothing"
            raise CallFailed(FailureKind.NOT_INSTALLED, f"codex --version printed: {shown}", remedy=INSTALL)
        major, minor, patch, rest = found.groups()
        if (int(major), int(minor), int(patch)) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            message = f"codex {major}.{minor}.{patch} is too old: it must be {oldest} or newer"
            raise CallFailed(FailureKind.NOT_INSTALLED, message, remedy=INSTALL)
        return f"{major}.{minor}.{patch}{rest}"

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Login:
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

    def read(self, prompt: Prompt, ran: ProcessResult) -> Completion:
        """Return the last message of a completed turn; raises CallFailed, with its kind, for anything else."""
        output = CodexOutput().read(ran.stdout)
        why = problem(output, ran)
        if why is not None:
            raise why
        if not output.answer.strip():
            message = f"codex answered the {prompt.purpose} prompt with nothing"
            raise CallFailed(FailureKind.EMPTY, message, tokens=output.tokens)
        return Completion(text=output.answer, usage=output.usage, odd_events=output.odd)


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
    return toml(provider)


def toml(value: object) -> str:
    """Return the value as inline TOML; strings and numbers are written as in JSON."""
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return "{" + ",".join(f"{name}={toml(inner)}" for name, inner in fields.items()) + "}"
    return to_json(value).decode()
