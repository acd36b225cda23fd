"""What a backend has to know of an agent's command line program."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from skillopt_sleep.kit.process import Ran
from skillopt_sleep.records import Completion, Prompt

MOST_READ = 4096  # bytes of what a program says beside its events: a flood must not be decoded to be shown


class Account(NamedTuple):
    """What the user's agent home holds of a login.

    `files` are what a replay's own agent home needs of it, by name, without what would renew the login; `expires` is
    when it ends unless it is renewed; `how` says in a few words what it is. Without a login `problem` says so.
    """

    files: Mapping[str, bytes]
    how: str = ""
    problem: str = ""
    remedy: str = ""
    expires: datetime | None = None
    subscription: bool = False

    def ends(self, now: datetime) -> str:
        """When the login ends, or ended; "" where it doesn't by itself."""
        if self.expires is None:
            return ""
        return f"{'ended' if self.expires <= now else 'ends'} at {self.expires:%Y-%m-%d %H:%M} UTC"


class Setup(NamedTuple):
    """Which model at which address: "" is the program's own choice; `key_env` names the variable with the key.

    `max_output_tokens` is how long an answer may be, 0 as the program has it.
    """

    model: str = ""
    base_url: str = ""
    key_env: str = ""
    max_output_tokens: int = 0


class Invocation(NamedTuple):
    """One start of the program in an empty folder of its own, with a HOME and an agent home of its own.

    `files` are laid into the folder first, by relative path; `environ` is set beyond what is passed on; the
    prompt goes in by stdin.
    """

    arguments: tuple[str, ...]
    stdin: bytes = b""
    files: Mapping[str, bytes] = {}
    environ: Mapping[str, str] = {}


class Dialect(Protocol):
    """One program's language, by pure functions."""

    @property
    def name(self) -> str:
        """As in `backend.name`."""
        ...

    @property
    def program(self) -> str:
        """The command, looked for in PATH."""
        ...

    @property
    def home_env(self) -> str:
        """The variable that names the agent's home."""
        ...

    @property
    def home_name(self) -> str:
        """The agent home's name in HOME, where the variable isn't set."""
        ...

    @property
    def key_name(self) -> str:
        """The variable in which the program looks for a key: what the user keeps elsewhere is handed on as this."""
        ...

    @property
    def limits_answers(self) -> bool:
        """Whether the program can be told how long an answer may be."""
        ...

    @property
    def passed(self) -> frozenset[str]:
        """The user's environment variables that the program may see: logins and endpoints."""
        ...

    def version(self, ran: Ran) -> str:
        """The version in what `--version` said; raises CallFailed (not_installed) where there is none or too old."""
        ...

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Account:
        """The login in the agent home's files (by name; those of `account_files` that exist) and the environment."""
        ...

    @property
    def account_files(self) -> tuple[str, ...]:
        """The files of the agent home in which a login may be."""
        ...

    def call(self, prompt: Prompt, setup: Setup) -> Invocation:
        """How to ask this."""
        ...

    def read(self, prompt: Prompt, ran: Ran) -> Completion:
        """What came of it, with the text not yet decoded; raises CallFailed, typed, where there is no answer."""
        ...
