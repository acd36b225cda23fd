"""Claude Code, `claude -p`: one question, no tools, nothing kept. Measured with 2.1.200 and 2.1.329."""

import re
from collections.abc import Mapping

from skillopt_sleep.agents.claude_code.events import Limit, Result, listen
from skillopt_sleep.agents.claude_code.login import KEY_NAME, LOGINS, PASSED, find_login
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import root_schema, to_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.program import MOST_READ, Account, Invocation, Setup
from skillopt_sleep.records import Completion, Prompt

SYSTEM = "Do what the message says, and answer with nothing else. You have no tools."
# 2.1.100 asks without end where a model answers in words although there is a schema.
OLDEST = (2, 1, 200)

_ENVIRON = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    # Without it the program reads every file that the prompt names as @path and sends it along, from anywhere.
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    # Retries are ours. What it still asks twice at most: a 401 of a subscription, a 404, a reply it finds empty or
    # refused; and a few times, a 400 and an answer that is longer than the model may write.
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
    # With 0 it takes no JSON in words, by default it asks five times.
    "MAX_STRUCTURED_OUTPUT_RETRIES": "1",
}
# --bare sends least, but reads no login of a subscription; the other flags leave 900 bytes about the machine in.
_BARE = ("--bare",)
_CLEAN = (
    # The agent home is the replay's own: its settings are what find_login put there.
    *("--setting-sources", "user", "--strict-mcp-config", "--disable-slash-commands"),
    *("--settings", '{"disableBundledSkills":true}'),
)

_VERSION = re.compile(r"\A\s*(\d+)\.(\d+)\.(\d+)\S* \(Claude Code\)")
_STATUS = re.compile(r"\bAPI Error: (\d{3})\b")
_SPENT = re.compile(
    r"credit balance is too low|you've (?:hit|reached) your|out of (?:extra )?usage|requires usage credits",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"prompt is too long|input is too long|request too large|context (?:window|limit)", re.IGNORECASE
)
# What the program or the server says of a 4xx in words is more than its status.
_BEFORE_STATUS = (
    (_SPENT, FailureKind.QUOTA),
    (_TOO_LONG, FailureKind.TOO_LONG),
    (re.compile(r"issue with the selected model|invalid model name", re.IGNORECASE), FailureKind.MODEL),
)
_WITHOUT_STATUS = (
    (
        re.compile(
            r"not logged in|run /login|invalid api key|invalid auth token|authenticat|credential", re.IGNORECASE
        ),
        FailureKind.LOGIN,
    ),
    (re.compile(r"overloaded|internal server error", re.IGNORECASE), FailureKind.OVERLOADED),
    (re.compile(r"connect|can't reach|no internet|socket|network", re.IGNORECASE), FailureKind.UNREACHABLE),
)
_STATUSES = {
    401: FailureKind.LOGIN,
    402: FailureKind.QUOTA,
    403: FailureKind.LOGIN,
    404: FailureKind.MODEL,
    413: FailureKind.TOO_LONG,
    429: FailureKind.RATE_LIMITED,
}
# Newer versions say it in a field too.
_API_ERRORS = {"connection_failed": FailureKind.UNREACHABLE, "usage_limit_reached": FailureKind.QUOTA}
_REMEDIES = {FailureKind.LOGIN: "check the key, or run: claude, then /login"}
SERVER_ERROR = 500
_UPGRADE = "run: claude update"
# Of SIGINT, SIGKILL and SIGTERM; after SIGINT most versions end with 0 and say nothing.
_SIGNALLED = frozenset({130, 137, 143})


class Claude:
    """The dialect of `claude`; a key of another name is to be handed on as `key_name`."""

    name = "claude"
    program = "claude"
    home_env = "CLAUDE_CONFIG_DIR"
    home_name = ".claude"
    key_name = KEY_NAME
    passed = PASSED
    # The last is where .claude.json is as long as CLAUDE_CONFIG_DIR isn't set: beside the agent home.
    account_files = (".credentials.json", "settings.json", ".claude.json", "../.claude.json")

    def version(self, ran: Ran) -> str:
        """The version that `--version` named; raises CallFailed (not_installed) where there is none or too old."""
        found = _VERSION.match(ran.stdout[:MOST_READ].decode(errors="replace"))
        if ran.status or ran.stopped or not found:
            said = _said(ran) or f"nothing, and ended with status {ran.status}"
            raise CallFailed(FailureKind.NOT_INSTALLED, f"claude --version said: {said}")
        numbers = tuple(int(number) for number in found.groups())
        version = ".".join(found.groups())
        if numbers < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            said = f"claude {version} is too old: {oldest} is the oldest we can use"
            raise CallFailed(FailureKind.NOT_INSTALLED, said, remedy=_UPGRADE)
        return version

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Account:
        """The login that the program would use, without what would renew it."""
        return find_login(files, environ, setup)

    def call(self, prompt: Prompt, setup: Setup) -> Invocation:
        """One question with no tools and nothing of the user's around it."""
        environ, flags = dict(_ENVIRON), _CLEAN
        if setup.key_env:
            handed = setup.key_env if setup.key_env in LOGINS else KEY_NAME
            flags = _CLEAN if handed == "CLAUDE_CODE_OAUTH_TOKEN" else _BARE
            # Empty is as good as unset: of two logins the program would send both.
            environ |= {name: "" for name in LOGINS if name != handed}
        if setup.base_url:
            environ["ANTHROPIC_BASE_URL"] = setup.base_url
        if setup.max_output_tokens:
            environ["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(setup.max_output_tokens)
        model = ("--model", setup.model) if setup.model else ()
        schema = ()
        if prompt.schema is not None:
            schema = ("--json-schema", to_json(root_schema(prompt.schema)).decode())
        said = ("--output-format", "stream-json", "--verbose", "--no-session-persistence")
        arguments = ("-p", *said, *flags, "--system-prompt", SYSTEM, "--tools", "", *model, *schema)
        # What begins with a slash is a command of the program, which it answers itself.
        text = f"\n{prompt.text}" if prompt.text.startswith("/") else prompt.text
        return Invocation(arguments, stdin=text.encode(errors="replace"), environ=environ)

    def read(self, prompt: Prompt, ran: Ran) -> Completion:
        """The answer in the result event; without one, or with an error in it, CallFailed."""
        if ran.stopped:
            kind = FailureKind.FLOODED if ran.stopped == "flooded" else FailureKind.TIMED_OUT
            did = "wrote more than is read" if ran.stopped == "flooded" else "did not answer"
            raise CallFailed(kind, f"claude {did} and was ended after {ran.seconds:.0f} s")
        heard = listen(ran.stdout)
        result = heard.result
        if result is None:
            raise _no_result(ran, events=heard.known)
        usage = result.usage
        failed = _failure(prompt, ran, result, heard.limit)
        if failed is not None:
            kind, said = failed
            tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens) if usage else None
            raise CallFailed(kind, said, remedy=_REMEDIES.get(kind, ""), tokens=tokens, usd=result.usd)
        text = _text(prompt, result)
        return Completion(text=text, usage=usage, usd=result.usd, model=result.model, odd_events=heard.odd)


def _said(ran: Ran) -> str:
    """What it said in words, on stderr first."""
    said = ran.stderr.strip() or ran.stdout.strip()
    return one_line(said[:MOST_READ].decode(errors="replace"), limit=200)


def _no_result(ran: Ran, *, events: int) -> CallFailed:
    said = _said(ran)
    fell_silent = ran.status == 0 and (events or not ran.stdout.strip())
    if ran.status < 0 or ran.status in _SIGNALLED or fell_silent:
        how = f"by signal {-ran.status}" if ran.status < 0 else f"with status {ran.status}"
        return CallFailed(FailureKind.KILLED, f"claude was ended {how} before it answered")
    if "unknown option" in said:
        return CallFailed(FailureKind.NOT_INSTALLED, f"claude is another version: {said}", remedy=_UPGRADE)
    kind = _kind(None, said)
    message = f"claude ended with status {ran.status} and without a result: {said or 'it said nothing'}"
    return CallFailed(kind, message, remedy=_REMEDIES.get(kind, ""))


def _failure(prompt: Prompt, ran: Ran, result: Result, limit: Limit | None) -> tuple[FailureKind, str] | None:
    """Why this result is no answer, or None where it is one."""
    said = one_line(result.result or " ".join(map(str, result.errors)), limit=200)
    if limit is not None and limit.reached:
        return FailureKind.QUOTA, f"claude: {limit}"
    if result.stop_reason == "refusal":
        return FailureKind.REFUSED, f"claude: the model refused: {said}"
    if result.is_error and (result.terminal_reason or "").startswith("aborted"):
        return FailureKind.KILLED, "claude was interrupted before it answered"
    if result.is_error or result.subtype != "success":
        kind = _API_ERRORS.get(result.api_error or "") or _kind(result.api_error_status, said)
        return kind, f"claude: {said or result.subtype}"
    if ran.status:
        kind = FailureKind.KILLED if ran.status < 0 or ran.status in _SIGNALLED else FailureKind.MALFORMED
        return kind, f"claude ended with status {ran.status} after its answer"
    if not result.models:
        return FailureKind.MALFORMED, f"claude answered without asking a model: {said}"
    if not _text(prompt, result).strip():
        return FailureKind.EMPTY, f"claude: the model answered the {prompt.purpose} prompt with nothing"
    return None


def _kind(status: int | None, said: str) -> FailureKind:
    """The type of an error, by the server's status and by what the program made of it in words."""
    named = _STATUS.search(said)
    status = int(named[1]) if status is None and named else status
    if status is not None and status >= SERVER_ERROR:
        return FailureKind.OVERLOADED
    for words, kind in _BEFORE_STATUS:
        if words.search(said):
            return kind
    if status is not None:
        return _STATUSES.get(status, FailureKind.BAD_REQUEST)
    return next((kind for words, kind in _WITHOUT_STATUS if words.search(said)), FailureKind.MALFORMED)


def _text(prompt: Prompt, result: Result) -> str:
    if prompt.schema is not None and result.structured_output is not None:
        return to_json(result.structured_output).decode()
    return result.result or ""
