"""Let Claude Code act in a seal, and read what it did. Measured with 2.1.330."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from skillopt_sleep.agents.claude_code.deeds import Deeds
from skillopt_sleep.agents.claude_code.events import Output, read_output
from skillopt_sleep.agents.claude_code.failures import error, is_signalled, no_result, stopped
from skillopt_sleep.agents.claude_code.login import LOGINS, PROVIDERS
from skillopt_sleep.agents.claude_code.way import find_way
from skillopt_sleep.agents.sealed import bounded
from skillopt_sleep.agents.sealed.arrival import arrival, events, said
from skillopt_sleep.agents.sealed.placing import placed
from skillopt_sleep.agents.sealed.programs import native
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.acting import Acted, Arrival, Given, Inside, Installed, Limits, Turn, Way
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import TEMPORARY

TOOLS = "Bash,Edit,Read,Write,Glob,Grep,Skill"
PATH = "/usr/local/bin:/usr/bin:/bin"

_HOME = PurePosixPath(".claude")
_PACKAGED = ("@anthropic-ai/claude-code-*/claude",)
# Nobody listens there: the socket wins.
_ADDRESS = "http://127.0.0.1:8080"
_ENVIRON = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK": "1",
}
# What the repository's own settings say of these is overruled. A helper for keys would be run in the copy.
_SETTINGS = {
    "disableAllHooks": True,
    "disableBundledSkills": True,
    "apiKeyHelper": "",
    "attribution": {"commit": "", "pr": ""},
}
# In the throw-away home there are no documents of the user's but those of this attempt.
_FLAGS = (
    *("-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "user,project,local"),
    *("--strict-mcp-config", "--tools", TOOLS, "--permission-mode", "bypassPermissions"),
)


class ClaudeActing:
    """Claude Code with its tools, in a seal that is the only thing that holds it."""

    files: Mapping[PurePosixPath, bytes] = {_HOME / "settings.json": b"{}\n"}
    sessions = ".claude/projects/*/*.jsonl"

    def installed(self, program: Path, /) -> Installed:
        """Find the native program, which needs no other file; raise CallFailed (not_installed) without one."""
        found = native(program, name="claude", packaged=_PACKAGED)
        return Installed((str(found),), frozenset({found}))

    def turn(
        self,
        message: str,
        installed: Installed,
        way: Way,
        *,
        setup: Setup,
        limits: Limits,
        inside: Inside,
        session: str,
    ) -> Turn:
        """Return how to run the program for one message; its session is gone on with by its id."""
        ours = self._environ(way, setup, limits, inside)
        settings = to_json({**_SETTINGS, "env": ours}).decode()
        argv = [*installed.command, *_FLAGS, "--settings", settings, "--max-turns", str(limits.turns)]
        if limits.usd:
            argv += ["--max-budget-usd", f"{limits.usd:.6f}"]
        if setup.model:
            argv += ["--model", setup.model]
        if session:
            argv += ["--resume", bounded.session(session)]
        # The program answers what begins with a slash itself, as a command.
        text = f"\n{message}" if message.startswith("/") else message
        # In a container the person may be root, which the program lets act by itself only if it is told of the seal.
        environ = {**ours, "HOME": str(inside.home), "PATH": PATH, "LANG": "C.UTF-8", "IS_SANDBOX": "1"}
        return Turn(tuple(argv), text.encode(errors="replace"), environ)

    def read(self, runs: Sequence[Ran], _transcript: bytes, /) -> Acted:
        """Return what its events tell of all runs."""
        deeds = Deeds()
        for ran in runs:
            deeds.read(ran.stdout)
        output = read_output(runs[-1].stdout) if runs else Output(None, None, 0, 0)
        answer = ""
        if output.result and not output.result.is_error:
            answer = output.result.result or ""
        return Acted(
            response=bounded.response(answer),
            tool_calls=tuple(deeds.tool_calls),
            commands=deeds.commands,
            turns=deeds.turns,
            model=deeds.model,
            session=deeds.session,
            problem=_problem(runs[-1], output, answer, deeds) if runs else None,
        )

    def place(
        self, document: Path, /, *, root: Path, home: Path, agent_home: Path, inside: Inside
    ) -> PurePosixPath | None:
        """Return where it has to stand: where it is, if it is the repository's, else in the sealed home."""
        folders = {agent_home: inside.home / _HOME, home / _HOME: inside.home / _HOME}
        return placed(document, root=root, folders=folders)

    def arrived(self, given: Given, /, *, first_request: bytes, transcript: bytes) -> Arrival:
        """Return which proofs hold: what was sent, and the records of the instructions and skills that are loaded."""
        recorded = list(_recorded(transcript, given.place))
        return arrival(given, sent=first_request, recorded=recorded, transcript=said(transcript))

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Way:
        """Return how the relay can use the user's login."""
        return find_way(files, environ, setup)

    def _environ(self, way: Way, setup: Setup, limits: Limits, inside: Inside) -> dict[str, str]:
        """Return the variables that no setting of the repository may change."""
        # Empty is as good as unset.
        environ = dict.fromkeys((*LOGINS, *PROVIDERS), "")
        environ |= {**_ENVIRON, "ANTHROPIC_MODEL": setup.model, **way.environ}
        environ["ANTHROPIC_UNIX_SOCKET"] = str(inside.socket)
        environ["ANTHROPIC_BASE_URL"] = _ADDRESS
        environ["TMPDIR"] = environ["CLAUDE_CODE_TMPDIR"] = str(TEMPORARY)
        environ["CLAUDE_CONFIG_DIR"] = str(inside.home / _HOME)
        milliseconds = str(limits.command_seconds * 1000)
        environ |= {"BASH_DEFAULT_TIMEOUT_MS": milliseconds, "BASH_MAX_TIMEOUT_MS": milliseconds}
        if setup.max_output_tokens:
            environ["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(setup.max_output_tokens)
        return environ


def _problem(ran: Ran, output: Output, answer: str, deeds: Deeds) -> CallFailed | None:
    """Return why the last run didn't come to its own end, or None if it did."""
    result = output.result
    if ran.stopped:
        return stopped(ran)
    if result is None:
        return no_result(ran, events=output.known)
    words = one_line(result.result or " ".join(map(str, result.errors)), limit=200)
    if output.limit is not None and output.limit.reached:
        return CallFailed(FailureKind.QUOTA, f"claude: {output.limit}")
    if result.stop_reason == "refusal":
        return CallFailed(FailureKind.REFUSED, f"claude: the model refused: {words}")
    if result.is_error or result.subtype != "success":
        return CallFailed(*error(result, words))
    if ran.status:
        kind = FailureKind.KILLED if is_signalled(ran) else FailureKind.MALFORMED
        return CallFailed(kind, f"claude ended with status {ran.status} after its answer")
    if not answer.strip() and not deeds.tool_calls:
        return CallFailed(FailureKind.EMPTY, "claude: the model did and said nothing")
    return None


def _recorded(transcript: bytes, place: PurePosixPath) -> Iterator[str]:
    """Yield what the program noted of the instructions at this place, and of the skills that it knows."""
    for event in events(transcript):
        found = event.get("attachment")
        if not isinstance(found, dict):
            continue
        noted = cast("dict[str, Any]", found)
        kind = noted.get("type")
        if kind == "skill_listing":
            yield str(noted.get("content", ""))
        loaded = noted.get("files") if kind == "instructions" else [noted.get("content")]
        if kind in ("instructions", "nested_memory") and isinstance(loaded, list):
            for file in cast("list[Any]", loaded):
                if isinstance(file, dict) and cast("dict[str, Any]", file).get("path") == str(place):
                    yield str(cast("dict[str, Any]", file).get("content", ""))
