"""Let Codex act in a seal, and read what it did. Measured with 0.169.0."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from skillopt_sleep.agents.codex.failures import problem
from skillopt_sleep.agents.codex.login import KEY_INSIDE, find_way
from skillopt_sleep.agents.codex.output import CodexOutput
from skillopt_sleep.agents.codex.program import NO_EXTRAS, toml
from skillopt_sleep.agents.sealed.actions import answer, checked_session
from skillopt_sleep.agents.sealed.arrival import events, placed
from skillopt_sleep.agents.sealed.programs import MARK, behind_forwarder, forwarder_reads, native
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.acting import AgentRun, Installed, ProgramCommand, RelayRoute
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import HOME, SOCKET, TEMPORARY

PATH = "/usr/local/bin:/usr/bin:/bin"
_HOME = PurePosixPath(".codex")
_USER_SKILLS = PurePosixPath(".agents")
_PACKAGED = ("@openai/codex-*/vendor/*/bin/codex", "@openai/codex/vendor/*/bin/codex")
_PROVIDER = "replay"
_PROVIDED = {
    "name": _PROVIDER,
    "base_url": f"http://127.0.0.1:{MARK}/v1",
    "env_key": KEY_INSIDE,
    "wire_api": "responses",
    "request_max_retries": 0,
    "stream_max_retries": 0,
}
# The seal holds it: a sandbox of its own can't be put up inside.
_FLAGS = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_SETTINGS = (*NO_EXTRAS, "features.hooks=false", f'model_provider="{_PROVIDER}"')


class CodexActing:
    """Codex with its tools, in a seal that is the only thing that holds it."""

    # Without its home it doesn't start.
    files: Mapping[PurePosixPath, bytes] = {_HOME / "config.toml": b""}
    sessions = ".codex/sessions/*/*/*/rollout-*.jsonl"

    def installed(self, program: Path, /) -> Installed:
        """Find the native program with the files that npm puts beside it; raise CallFailed (not_installed)."""
        found = native(program, name="codex", packaged=_PACKAGED)
        whole = found.parent.parent
        if found.parent.name != "bin" or not (whole / "codex-resources").is_dir():
            return Installed((str(found),), forwarder_reads() | {found})
        tools = whole / "codex-path"
        return Installed((str(found),), forwarder_reads() | {whole}, path=(tools,) if tools.is_dir() else ())

    def turn(
        self,
        message: str,
        installed: Installed,
        way: RelayRoute,
        *,
        setup: Setup,
        turns: int,  # noqa: ARG002 - the relay counts
        session: str,
    ) -> ProgramCommand:
        """Return how to run the program for one message; the relay alone limits how often it asks."""
        command = [*installed.command, "exec"]
        if session:
            command += ["resume", checked_session(session)]
        command += _FLAGS
        for setting in (*_SETTINGS, f"model_providers.{_PROVIDER}={toml(_PROVIDED)}"):
            command += ["-c", setting]
        if setup.model:
            command += ["-m", setup.model]
        path = ":".join((PATH, *map(str, installed.path)))
        environ = {
            **way.environ,
            "HOME": str(HOME),
            "PATH": path,
            "LANG": "C.UTF-8",
            "TMPDIR": str(TEMPORARY),
            "CODEX_HOME": str(HOME / _HOME),
        }
        argv = behind_forwarder((*command, "-"), SOCKET)
        return ProgramCommand(argv, message.encode(errors="replace"), environ)

    def read(self, runs: Sequence[ProcessResult], transcript: bytes, /) -> AgentRun:
        """Return what its events tell of all runs; the session file adds the model and how often it answered."""
        output = CodexOutput()
        for ran in runs:
            output.read(ran.stdout)
        turns, model = _answers(transcript)
        return AgentRun(
            response=answer(output.answer),
            tool_calls=output.actions.tool_calls,
            commands=output.actions.commands,
            turns=turns,
            model=model,
            session=output.session,
            problem=problem(output, runs[-1]) if runs else None,
        )

    def place(self, document: Path, /, *, root: Path, home: Path, agent_home: Path) -> PurePosixPath | None:
        """Return where it has to stand: where it is, if it is the repository's, else in the sealed home."""
        folders = {
            agent_home: HOME / _HOME,
            home / _HOME: HOME / _HOME,
            home / _USER_SKILLS: HOME / _USER_SKILLS,
        }
        return placed(document, root=root, folders=folders)

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> RelayRoute:
        """Return how the relay can use the user's login."""
        return find_way(files, environ, setup)


def _answers(transcript: bytes) -> tuple[int, str]:
    """Return how often the model answered, and its name."""
    answers = 0
    model = ""
    for event in events(transcript):
        answers += event.get("type") == "token_usage_record"
        payload = event.get("payload")
        if event.get("type") == "turn_context" and isinstance(payload, dict):
            named: object = cast("dict[str, Any]", payload).get("model")
            model = named if isinstance(named, str) else model
    return answers, model
