"""Let Codex act in a seal, and read what it did. Measured with 0.169.0."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from skillopt_sleep.agents.codex.deeds import Deeds
from skillopt_sleep.agents.codex.events import Output, problem
from skillopt_sleep.agents.codex.program import NO_EXTRAS, toml
from skillopt_sleep.agents.codex.way import KEY_INSIDE, find_way
from skillopt_sleep.agents.sealed import bounded
from skillopt_sleep.agents.sealed.arrival import arrival, events, said, strings
from skillopt_sleep.agents.sealed.forwarding import MARK, behind_forwarder, forwarder_reads
from skillopt_sleep.agents.sealed.placing import placed
from skillopt_sleep.agents.sealed.programs import native
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.acting import Acted, Arrival, Given, Inside, Installed, Limits, Turn, Way
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import TEMPORARY

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
_INSTRUCTIONS = frozenset({"agents_md.instructions", "host_skills.instructions"})
_HEADINGS = ("# AGENTS.md instructions", "<skills_instructions>")


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
        way: Way,
        *,
        setup: Setup,
        limits: Limits,  # noqa: ARG002 - the relay counts
        inside: Inside,
        session: str,
    ) -> Turn:
        """Return how to run the program for one message; the relay alone limits how often it asks."""
        command = [*installed.command, "exec"]
        if session:
            command += ["resume", bounded.session(session)]
        command += _FLAGS
        for setting in (*_SETTINGS, f"model_providers.{_PROVIDER}={toml(_PROVIDED)}"):
            command += ["-c", setting]
        if setup.model:
            command += ["-m", setup.model]
        path = ":".join((PATH, *map(str, installed.path)))
        environ = {
            **way.environ,
            "HOME": str(inside.home),
            "PATH": path,
            "LANG": "C.UTF-8",
            "TMPDIR": str(TEMPORARY),
            "CODEX_HOME": str(inside.home / _HOME),
        }
        argv = behind_forwarder((*command, "-"), inside.socket)
        return Turn(argv, message.encode(errors="replace"), environ)

    def read(self, runs: Sequence[Ran], transcript: bytes, /) -> Acted:
        """Return what its events tell of all runs; the session file adds the model and how often it answered."""
        deeds = Deeds()
        for ran in runs:
            deeds.read(ran.stdout)
        turns, model = _answers(transcript)
        return Acted(
            response=bounded.response(deeds.response),
            tool_calls=deeds.tool_calls,
            commands=deeds.commands,
            turns=turns,
            model=model,
            session=deeds.session,
            problem=_problem(runs[-1], deeds) if runs else None,
        )

    def place(
        self, document: Path, /, *, root: Path, home: Path, agent_home: Path, inside: Inside
    ) -> PurePosixPath | None:
        """Return where it has to stand: where it is, if it is the repository's, else in the sealed home."""
        folders = {
            agent_home: inside.home / _HOME,
            home / _HOME: inside.home / _HOME,
            home / _USER_SKILLS: inside.home / _USER_SKILLS,
        }
        return placed(document, root=root, folders=folders)

    def arrived(self, given: Given, /, *, first_request: bytes, transcript: bytes) -> Arrival:
        """Return which proofs hold: what was sent, and the messages with instructions that the program noted."""
        recorded = list(_recorded(transcript))
        return arrival(given, sent=first_request, recorded=recorded, transcript=said(transcript))

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Way:
        """Return how the relay can use the user's login."""
        return find_way(files, environ, setup)


def _problem(ran: Ran, deeds: Deeds) -> CallFailed | None:
    """Return why the last run didn't come to its own end, or None if it did."""
    found = problem(Output(ran.stdout), ran)
    if found is None and not deeds.response.strip() and not deeds.tool_calls:
        return CallFailed(FailureKind.EMPTY, "codex: the model did and said nothing")
    return found


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


def _recorded(transcript: bytes) -> Iterator[str]:
    """Yield the instructions that the program put before the first message."""
    for event in events(transcript):
        found = event.get("payload")
        if event.get("type") != "response_item" or not isinstance(found, dict):
            continue
        payload = cast("dict[str, Any]", found)
        if payload.get("role") not in ("user", "developer"):
            continue
        noted = to_json(payload.get("internal_chat_message_metadata_passthrough"))
        kinds = set(strings(noted))
        texts = list(strings(to_json(payload.get("content"))))
        if kinds & _INSTRUCTIONS or any(text.startswith(_HEADINGS) for text in texts):
            yield from texts
