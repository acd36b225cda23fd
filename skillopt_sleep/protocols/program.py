"""Define what a backend has to know about an agent's command line program."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.records import Completion, Prompt

MOST_READ = 4096  # bytes of output other than events that are decoded and shown, however much there is


class Login(NamedTuple):
    """The login found in the user's agent home.

    `files` are what a replay's own agent home needs, by name, without what would renew the login. `expires` is when
    the login ends unless it is renewed; `how` describes it in a few words. Without a login, `problem` says why.
    `remedy` says how to get a login, or one that lasts. `address` is set if calls go elsewhere than to its maker.
    """

    files: Mapping[str, bytes]
    how: str = ""
    problem: str = ""
    remedy: str = ""
    expires: datetime | None = None
    subscription: bool = False
    address: str = ""

    def ends(self, now: datetime) -> str:
        """Say when the login ends, or ended; "" if it never does by itself."""
        if self.expires is None:
            return ""
        verb = "ended" if self.expires <= now else "ends"
        return f"{verb} at {self.expires:%Y-%m-%d %H:%M} UTC"


class Setup(NamedTuple):
    """The model and its address: "" leaves the choice to the program; `key_env` names the variable with the key.

    `max_output_tokens` limits an answer; 0 leaves the program's own limit.
    """

    model: str = ""
    base_url: str = ""
    key_env: str = ""
    max_output_tokens: int = 0


class Invocation(NamedTuple):
    """One run of the program in a new, empty folder, with its own HOME and its own agent home.

    `files` are written into the folder first, by relative path; `environ` is set on top of the variables passed on;
    the prompt goes to stdin.
    """

    arguments: tuple[str, ...]
    stdin: bytes = b""
    files: Mapping[str, bytes] = {}
    environ: Mapping[str, str] = {}


class Dialect(Protocol):
    """The way to talk to one agent program, in pure functions."""

    name: str  # the name, as in `backend.name`
    program: str  # the command, looked up in PATH
    home_env: str  # the environment variable that holds the agent home
    home_name: str  # the folder below HOME that is the agent home if the variable isn't set
    key_name: str  # the variable in which the program expects a key, wherever the user keeps it
    limits_answers: bool  # whether the program can be told how long an answer may be
    tells_price: bool  # whether the program says what a call cost
    passed: frozenset[str]  # the user's environment variables that the program may see: logins and endpoints
    account_files: tuple[str, ...]  # the files of the agent home that may hold a login

    def version(self, ran: ProcessResult) -> str:
        """Return the version from the output of `--version`; raise CallFailed (not_installed) if it won't do."""
        ...

    def account(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Login:
        """Find the login in the environment and in those `account_files` that exist, given by name."""
        ...

    def call(self, prompt: Prompt, setup: Setup) -> Invocation:
        """Return how to run the program to ask this."""
        ...

    def read(self, prompt: Prompt, ran: ProcessResult) -> Completion:
        """Return the answer, its text not yet decoded; raise CallFailed with a kind if there is none."""
        ...
