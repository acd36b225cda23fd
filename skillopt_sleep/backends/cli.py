"""The user's own agent program as a model: one sealed process a call, which keeps nothing and renews no login."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.backends.leftovers import clear, prefix
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.process import Ran, run
from skillopt_sleep.protocols.program import Account, Dialect, Invocation, Setup
from skillopt_sleep.records import Completion, Prompt, Usage

VERSION_SECONDS = 20.0
PASSED = frozenset(
    {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "COMSPEC", "PATHEXT"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
)
# Where programs are, beside PATH: a scheduler's is often empty.
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
    """Asks one program; `folder` is where its calls' own folders are made, `home` the user's HOME.

    `program` is a path or a command's name, "" the dialect's own.
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
    ) -> None:
        self._dialect, self._setup, self._environ, self._home = dialect, setup, environ, home
        self._folder, self._timeout = folder, timeout
        self._named = program or dialect.program

    @property
    def name(self) -> str:
        """Under which its answers are kept and shown."""
        asked = f"{self._dialect.name}:{self._setup.model or 'default'}"
        return f"{asked}@{self._setup.base_url}" if self._setup.base_url else asked

    @cached_property
    def program(self) -> str:
        """The program's path; raises CallFailed (not_installed)."""
        named = str(self._home / self._named[2:]) if self._named.startswith("~/") else self._named
        found = shutil.which(named, path=self._path)
        if found is None:
            raise CallFailed(FailureKind.NOT_INSTALLED, f"{self._named} was not found, or can't be run")
        # It is started in another folder.
        return str(Path(found).absolute())

    @property
    def _path(self) -> str:
        places = [str(self._home / place) for place in _PLACES]
        # An empty entry would mean the current folder.
        return os.pathsep.join(filter(None, (*self._environ.get("PATH", "").split(os.pathsep), *places)))

    @property
    def version(self) -> str:
        """What the program says it is, asked once; raises CallFailed (not_installed)."""
        if isinstance(self._told, CallFailed):
            raise self._told
        return self._told

    @cached_property
    def _told(self) -> str | CallFailed:
        try:
            return self._ask_version()
        except CallFailed as error:
            return error

    def _ask_version(self) -> str:
        with self._place() as place:
            asked, most = Invocation(arguments=("--version",)), min(self._timeout, VERSION_SECONDS)
            ran = self._start(asked, Path(place), timeout=most)
        if ran.stopped:
            raise CallFailed(FailureKind.NOT_INSTALLED, f"{self.program} --version did not end ({ran.stopped})")
        return self._dialect.version(ran)

    @property
    def account(self) -> Account:
        """The login there is now."""
        home = Path(self._environ.get(self._dialect.home_env) or self._home / self._dialect.home_name)
        files = {name: data for name in self._dialect.account_files if (data := _read(home / name)) is not None}
        found = self._dialect.account(files, self._environ, self._setup)
        if found.subscription and self._setup.base_url:
            problem = f"the login of a subscription isn't sent to another address ({self._setup.base_url})"
            return found._replace(problem=problem, remedy="name the variable with its key in backend.api_key_env")
        return found

    def ready(self, until: datetime) -> bool:
        """Check program, version and login without a call; that the model answers only a call can tell.

        Raises BackendUnavailable where one of them is missing, or the login ends before `until`.
        """
        clear(self._folder)
        try:
            told = f"{self._dialect.name} {self.version}"
        except CallFailed as error:
            raise BackendUnavailable(error.message, remedy=error.remedy) from error
        account = self.account
        if account.problem:
            raise BackendUnavailable(f"{told}: {account.problem}", remedy=account.remedy, login=True)
        self.refuse_short_login(account, until)
        return False

    def refuse_short_login(self, account: Account, until: datetime) -> None:
        """Raise BackendUnavailable where the login is over, or will be before `until`."""
        if account.expires is None or account.expires >= until:
            return
        now = utc_now()
        is_over = account.expires <= now
        before = "" if is_over else ", before a night that begins now may end"
        renew = f"use {self._dialect.program} once, which renews it"
        raise BackendUnavailable(
            f"{self._dialect.name}: the login {account.ends(now)}{before}",
            remedy=renew if is_over else f"{renew}, or lower budget.minutes",
            login=True,
        )

    def complete(self, prompt: Prompt) -> Completion:
        """One process; raises CallFailed with what went wrong, never an empty answer."""
        account = self.account
        if account.problem:
            raise CallFailed(FailureKind.LOGIN, account.problem, remedy=account.remedy)
        with self._place() as place:
            for name, data in account.files.items():
                _write(Path(place) / "agent" / name, data, mode=0o400)
            ran = self._start(self._dialect.call(prompt, self._setup), Path(place), timeout=self._timeout)
        try:
            answered = self._dialect.read(prompt, ran)
        except CallFailed as error:
            error.usd = 0.0 if account.subscription else error.usd
            raise
        # Its subscription covers the call: what it would have cost by the token is nobody's bill.
        paid = replace(answered, usd=0.0) if account.subscription else answered
        return decoded(prompt, paid if paid.model else replace(paid, model=self._setup.model))

    def price(self, _model: str, _usage: Usage) -> float | None:
        """Only the program itself can tell what it is billed for."""
        return None

    def _start(self, invocation: Invocation, place: Path, *, timeout: float) -> Ran:
        work = place / "work"
        for name, data in invocation.files.items():
            _write(work / name, data, mode=0o600)
        passed = PASSED | self._dialect.passed
        environ = {name: value for name, value in self._environ.items() if name in passed and value}
        key = self._setup.key_env
        if key and key not in passed and (value := self._environ.get(key)):
            environ[self._dialect.key_name] = value
        environ |= {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp"), **invocation.environ}
        environ[self._dialect.home_env] = str(place / "agent")
        # What runs the program is mostly beside it, or where it was found itself.
        environ["PATH"] = os.pathsep.join((self._path, str(Path(self.program).parent)))
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

    def _place(self) -> "tempfile.TemporaryDirectory[str]":
        """An empty folder for one start of the program, with a HOME, an agent home and a temporary folder."""
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
