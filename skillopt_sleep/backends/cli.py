"""Use the user's own agent program as a model: one sealed process per call; nothing is kept, no login renewed."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.backends.replies import Tariff, decoded
from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError, FailureKind
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.process import ProcessResult, run
from skillopt_sleep.kit.scratch import clear, prefix
from skillopt_sleep.protocols.program import Dialect, Invocation, Login, Setup
from skillopt_sleep.records import Completion, Prompt, Usage

VERSION_SECONDS = 20.0
PASSED = frozenset(
    {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "COMSPEC", "PATHEXT"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
)
# Where to look for programs besides PATH, which is often empty under a scheduler.
_PLACES = (
    ".local/bin",
    ".claude/local",
    ".npm-global/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/usr/bin",
    "/bin",
)


class CliBackend:
    """Asks one program.

    `program` is a path or a command's name, or "" for the dialect's own. The folders of single calls are made in
    `folder`; `home` is the user's HOME.
    """

    def __init__(
        self,
        dialect: Dialect,
        *,
        setup: Setup,
        program: str,
        environ: Mapping[str, str],
        home: Path,
        folder: Path,
        timeout: float,
        tariff: Tariff | None = None,
    ) -> None:
        self._tariff = tariff
        self._dialect = dialect
        self._setup = setup
        self._environ = environ
        self._home = home
        self._folder = folder
        self._timeout = timeout
        self._command = program or dialect.program

    @property
    def name(self) -> str:
        """The name under which its answers are kept and shown."""
        name = f"{self._dialect.name}:{self._setup.model or 'default'}"
        return f"{name}@{self._setup.base_url}" if self._setup.base_url else name

    @cached_property
    def program(self) -> str:
        """The program's path; raises CallFailed (not_installed) if there is no such program."""
        command = self._command
        if command.startswith("~/"):
            command = str(self._home / command.removeprefix("~/"))
        path = shutil.which(command, path=self._path)
        if path is None:
            raise CallFailed(FailureKind.NOT_INSTALLED, f"{self._command} is not installed, or can't be run")
        # Absolute, because it is started in another folder.
        return str(Path(path).absolute())

    @property
    def _path(self) -> str:
        places = self._environ.get("PATH", "").split(os.pathsep)
        places += [str(self._home / place) for place in _PLACES]
        # An empty entry would mean the current folder.
        return os.pathsep.join(filter(None, places))

    @property
    def version(self) -> str:
        """The version that the program prints, asked once; raises CallFailed (not_installed)."""
        if isinstance(self._version, CallFailed):
            raise self._version
        return self._version

    @cached_property
    def _version(self) -> str | CallFailed:
        try:
            return self._ask_version()
        except CallFailed as error:
            return error

    def _ask_version(self) -> str:
        with self._place() as place:
            invocation = Invocation(arguments=("--version",))
            ran = self._start(invocation, Path(place), timeout=min(self._timeout, VERSION_SECONDS))
        if ran.stopped:
            raise CallFailed(FailureKind.NOT_INSTALLED, f"{self.program} --version did not end ({ran.stopped})")
        return self._dialect.version(ran)

    @property
    def agent_home(self) -> Path:
        """The folder in which the user's agent keeps its settings and its login."""
        return Path(self._environ.get(self._dialect.home_env) or self._home / self._dialect.home_name)

    @property
    def login_files(self) -> dict[str, bytes]:
        """The files of the agent's home that may hold a login, as they are now."""
        files: dict[str, bytes] = {}
        for name in self._dialect.account_files:
            data = _read(self.agent_home / name)
            if data is not None:
                files[name] = data
        return files

    @property
    def setup(self) -> Setup:
        """The model and its address."""
        return self._setup

    @property
    def account(self) -> Login:
        """The current login."""
        account = self._dialect.account(self.login_files, self._environ, self._setup)
        if account.subscription and self._setup.base_url:
            problem = f"the login of a subscription isn't sent to another address ({self._setup.base_url})"
            return account._replace(problem=problem, remedy="name the variable with its key in backend.api_key_env")
        return account

    def ready(self, until: datetime) -> bool:
        """Check program, version and login without a call; return False, as only a call tells if the model answers.

        Raises BackendUnavailable if one of them is missing, or the login ends before `until`.
        """
        clear(self._folder)
        try:
            program = f"{self._dialect.name} {self.version}"
        except CallFailed as error:
            raise BackendUnavailable(error.message, remedy=error.remedy) from error
        account = self.account
        if account.problem:
            raise BackendUnavailable(f"{program}: {account.problem}", remedy=account.remedy, login=True)
        self.refuse_short_login(account, until)
        return False

    def refuse_short_login(self, account: Login, until: datetime) -> None:
        """Raise BackendUnavailable if the login ended, or ends before `until`."""
        if account.expires is None or account.expires >= until:
            return
        now = utc_now()
        problem = f"{self._dialect.name}: the login {account.ends(now)}"
        remedy = f"use {self._dialect.program} once, which renews it"
        if account.expires > now:
            problem += ", before a night that begins now may end"
            remedy += ", or lower budget.minutes"
        raise BackendUnavailable(problem, remedy=remedy, login=True)

    def complete(self, prompt: Prompt) -> Completion:
        """Run one process; raise CallFailed with the reason rather than return an empty answer."""
        if prompt.temperature is not None:
            raise ConfigError(
                f"{self._dialect.name} can't be given a temperature",
                remedy="leave it out, or use an API as the backend",
            )
        account = self.account
        if account.problem:
            raise CallFailed(FailureKind.LOGIN, account.problem, remedy=account.remedy)
        with self._place() as place:
            for name, data in account.files.items():
                _write(Path(place) / "agent" / name, data, mode=0o400)
            ran = self._start(self._dialect.call(prompt, self._setup), Path(place), timeout=self._timeout)
        try:
            completion = self._dialect.read(prompt, ran)
        except CallFailed as error:
            if account.subscription:
                error.usd = 0.0
            raise
        if account.subscription:
            # The subscription covers the call: nobody is billed by the token.
            completion = replace(completion, usd=0.0)
        if not completion.model:
            completion = replace(completion, model=self._setup.model)
        return decoded(prompt, completion)

    def price(self, _model: str, usage: Usage) -> float | None:
        """Return the price by the user's tariff; without one only the program itself knows what it is billed for."""
        return self._tariff.price(usage) if self._tariff else None

    @property
    def tells_price(self) -> bool:
        """Return whether an answer comes with what it cost: the program tells, or a subscription covers it."""
        return self._dialect.tells_price or self.account.subscription

    def _start(self, invocation: Invocation, place: Path, *, timeout: float) -> ProcessResult:
        work = place / "work"
        for name, data in invocation.files.items():
            _write(work / name, data, mode=0o600)
        environ = self._environ_for(invocation, place)
        try:
            return run(
                [self.program, *invocation.arguments],
                stdin=invocation.stdin,
                cwd=work,
                environ=environ,
                timeout=timeout,
            )
        except OSError as error:
            raise CallFailed(
                FailureKind.NOT_INSTALLED, f"{self.program} can't be started: {error.strerror}"
            ) from error

    def _environ_for(self, invocation: Invocation, place: Path) -> dict[str, str]:
        passed = PASSED | self._dialect.passed
        environ = {name: value for name, value in self._environ.items() if name in passed and value}
        key_env = self._setup.key_env
        key = self._environ.get(key_env) if key_env and key_env not in passed else None
        if key:
            environ[self._dialect.key_name] = key
        environ["HOME"] = str(place / "home")
        environ["TMPDIR"] = str(place / "tmp")
        environ |= invocation.environ
        environ[self._dialect.home_env] = str(place / "agent")
        # The interpreter that runs the program is mostly in the program's folder, or where the program was found.
        environ["PATH"] = os.pathsep.join((self._path, str(Path(self.program).parent)))
        return environ

    def _place(self) -> "tempfile.TemporaryDirectory[str]":
        """Make a folder for one run of the program, with a HOME, an agent home and a temporary folder, all empty."""
        place = tempfile.TemporaryDirectory(
            prefix=prefix(), dir=private_dir(self._folder), ignore_cleanup_errors=True
        )
        for name in ("work", "home", "agent", "tmp"):
            private_dir(Path(place.name) / name)
        return place


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path, data: bytes, *, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(data)
    path.chmod(mode)
