"""Let Claude Code act in a seal, and read what it did. Measured with 2.1.330."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from skillopt_sleep.agents.claude_code.failures import problem
from skillopt_sleep.agents.claude_code.login import LOGINS, PROVIDERS, QUIET, find_way
from skillopt_sleep.agents.claude_code.output import ClaudeOutput
from skillopt_sleep.agents.sealed.actions import answer, checked_session
from skillopt_sleep.agents.sealed.arrival import placed
from skillopt_sleep.agents.sealed.programs import native
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.acting import AgentRun, Installed, ProgramCommand, RelayRoute
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import HOME, SOCKET, TEMPORARY

TOOLS = "Bash,Edit,Read,Write,Glob,Grep,Skill"
PATH = "/usr/local/bin:/usr/bin:/bin"
_COMMAND_TIME = "300000"  # milliseconds that one command may take

_HOME = PurePosixPath(".claude")
_PACKAGED = ("@anthropic-ai/claude-code-*/claude",)
# Nobody listens there: the socket wins.
_ADDRESS = "http://127.0.0.1:8080"
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
        way: RelayRoute,
        *,
        setup: Setup,
        turns: int,
        session: str,
    ) -> ProgramCommand:
        """Return how to run the program for one message; a session continues by its id."""
        ours = self._environ(way, setup)
        settings = to_json({**_SETTINGS, "env": ours}).decode()
        argv = [*installed.command, *_FLAGS, "--settings", settings, "--max-turns", str(turns)]
        if setup.model:
            argv += ["--model", setup.model]
        if session:
            argv += ["--resume", checked_session(session)]
        # The program answers what begins with a slash itself, as a command.
        text = f"\n{message}" if message.startswith("/") else message
        # In a container the person may be root, which the program lets act by itself only if it is told of the seal.
        environ = {**ours, "HOME": str(HOME), "PATH": PATH, "LANG": "C.UTF-8", "IS_SANDBOX": "1"}
        return ProgramCommand(tuple(argv), text.encode(errors="replace"), environ)

    def read(self, runs: Sequence[ProcessResult], _transcript: bytes, /) -> AgentRun:
        """Return what its events tell of all runs."""
        output = ClaudeOutput()
        for ran in runs:
            output.read(ran.stdout)
        response = ""
        if output.result and not output.result.is_error:
            response = output.result.result or ""
        return AgentRun(
            response=answer(response),
            tool_calls=output.actions.tool_calls,
            commands=output.actions.commands,
            turns=output.turns,
            model=output.model,
            session=output.session,
            problem=problem(output, runs[-1]) if runs else None,
        )

    def place(self, document: Path, /, *, root: Path, home: Path, agent_home: Path) -> PurePosixPath | None:
        """Return where it has to stand: where it is, if it is the repository's, else in the sealed home."""
        folders = {agent_home: HOME / _HOME, home / _HOME: HOME / _HOME}
        return placed(document, root=root, folders=folders)

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> RelayRoute:
        """Return how the relay can use the user's login."""
        return find_way(files, environ, setup)

    def _environ(self, way: RelayRoute, setup: Setup) -> dict[str, str]:
        """Return the variables that no setting of the repository may change."""
        # Empty is as good as unset.
        environ = dict.fromkeys((*LOGINS, *PROVIDERS), "")
        environ |= {**QUIET, "ANTHROPIC_MODEL": setup.model, **way.environ}
        environ["ANTHROPIC_UNIX_SOCKET"] = str(SOCKET)
        environ["ANTHROPIC_BASE_URL"] = _ADDRESS
        environ["TMPDIR"] = environ["CLAUDE_CODE_TMPDIR"] = str(TEMPORARY)
        environ["CLAUDE_CONFIG_DIR"] = str(HOME / _HOME)
        environ |= {"BASH_DEFAULT_TIMEOUT_MS": _COMMAND_TIME, "BASH_MAX_TIMEOUT_MS": _COMMAND_TIME}
        if setup.max_output_tokens:
            environ["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] = str(setup.max_output_tokens)
        return environ
