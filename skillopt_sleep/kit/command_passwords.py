"""Passwords on command lines: `mysql -pX`, `sshpass -p X`, `docker login -p X`, `openssl -passin pass:X`.

A flag means a password to some programs only: `-p` is a port to ssh and a path's parents to mkdir. So each is looked
up with the program in whose command it stands.
"""

import re
from collections.abc import Iterator

from skillopt_sleep.kit import secret_values as values
from skillopt_sleep.kit.secret_rules import Span

_REACH = 400  # so far behind its program
_LOGINS = r"(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|regctl|helm|oc|az|cf|ibmcloud|tsh|npm|argocd|ng)"
_SHELLS = (
    r"sshpass|mongo\w*|cqlsh|cypher-shell|twine|rabbitmqadmin|security|nxc|crackmapexec|netexec|evil-winrm|rdesktop"
    r"|arangosh|influx|snowsql|kubeadm|isql|altool|lpass|mosquitto_passwd|cockroach|hydra"
)
# Flag, whether its value may be in the next word, whether it may be in the same, and whose it is.
_FLAGS: tuple[tuple[str, bool, bool, str], ...] = (
    ("-p", False, True, r"mysql\w*|mariadb[\w-]*|7z[azr]?|7zz|rar|unrar|innobackupex|xtrabackup|mycli"),
    ("-hp", False, True, r"rar|unrar|7z[azr]?"),
    ("-p", True, True, rf"{_SHELLS}|{_LOGINS}\s[^\n;|&]*?login"),
    ("-P", True, True, r"sqlcmd|bcp|osql|isql|zip|unzip|zipcloak|mosquitto_\w+|ipmitool|ssh-keygen|tsql|keyctl"),
    ("-a", True, True, r"redis-cli|valkey-cli|keydb-cli|https?"),
    ("-A", True, False, r"ab|snmp\w+"),
    ("-X", True, False, r"snmp\w+"),
    ("-w", True, True, r"ldap\w+|kadmin|security"),
    ("-s", True, False, r"ldappasswd"),
    ("-k", True, False, r"openssl"),
    ("-K", True, False, r"gpg\w*"),
    ("-N", True, False, r"ssh-keygen"),
    ("-n", True, False, r"kinit"),
    ("-pw", True, False, r"plink|pscp|psftp|pageant|kitty|vncpasswd|pdftk"),
    ("-U", True, True, r"smbclient|rpcclient|net|smbmap|wmic|winexe|smbget"),
)
_BY_FLAG: dict[str, list[tuple[bool, bool, re.Pattern[str]]]] = {}
for _flag, _apart, _glued, _programs in _FLAGS:
    _pattern = re.compile(rf"(?:^|[\s/(`'\"$])(?:{_programs})(?:\.exe)?(?=\s)[^;|&\n]*$")
    _BY_FLAG.setdefault(_flag, []).append((_apart, _glued, _pattern))
_FLAG = re.compile(
    r"-(?<=\s-)(?:-?(?:[a-z-]{1,24}-)?(?:storepass|keypass|passphrase|password|passwd|pass|pwd)[ \t=](?P<long>)"
    r"|-(?:src-|dest-)?(?:creds|credentials|user)[ =](?P<pair>)"
    r"|(?P<flag>(?:hp|pw(?=\s)|[pPaAXwskKNnU]))(?P<gap>[ \t=]{0,4})(?=[^\s=]))"
)
_USER_FLAG = re.compile(r"curl\s[^\n;|&]{0,200}?(?<=\s)-[a-zA-Z]{0,6}?u ?(?=[^\s:]{1,64}:)")
_VALUE = re.compile(
    r"""(?P<quote>["'])(?P<quoted>[^"'\n]{1,128})(?P=quote)|(?P<bare>(?:\\.|[^\s"'`|;<>()\\]){1,128})"""
)
_PASSED = re.compile(r"(?<![\w-])pass:(?=\S)")
_SLASHED = re.compile(r"/(?<=\s/)(?i:p|pass|password|pwd):(?=\S)")
_OTHERS = re.compile(
    r"""(?:htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+(?:[^\s-]\S*\s+)??[\w.@-]+\s+(?=\S+\s*(?:$|[;|&`)\n]))
    |(?:rabbitmqctl\s+(?:add_user|change_password|authenticate_user)\s+\S+\s+)
    |(?:htpasswd\s+-[a-zA-Z]*n[a-zA-Z]*b?[a-zA-Z]*\s+\S+\s+)
    |(?:sqlplus\s+(?:-\w\s+)*[\w.]+/)
    |(?:net\s+use\s[^\n;|&]*?/user:\S+\s+)
    |(?:(?:nmcli|iwconfig|neo4j-admin|wpa_passphrase)\s[^\n;|&]*?(?:\bpassword\s+|initial-password\s+|wpa_passphrase\s+\S+\s+))
    |(?:<<<\s*(?=["']?\S)))""",
    re.VERBOSE,
)
_PIPED = re.compile(
    r"(?:echo|printf)\s+(?:-\w+\s+)*(?:['\"]%s(?:\\n)?['\"]\s+)?(?P<quote>[\"']?)(?P<value>[^\"'\n|]{4,200}?)(?P=quote)\s*\|"
    r"\s*(?:\S+=\S+\s+)?(?:sudo\s+-[a-zA-Z]*S|sudo\s+chpasswd|chpasswd|(?:sudo\s+)?passwd|(?:sudo\s+)?cryptsetup|kinit|su\b"
    r"|[^\n|;]{0,200}(?:--(?:password|passphrase|pass|token|key)-?(?:stdin|fd|file[ =]-)|--with-token|-stdin))"
)
_IDENTIFIED = re.compile(r"(?i)identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?(?=[\"'])")
_PLACED = ("htpasswd", "rabbitmqctl", "nmcli", "neo4j-", "wpa_")

_BEHIND = {"-U": "%"}
_OF_USER = re.compile(r"^\W*(?:https?|ab)\s")  # these take `user:password`
_PLACE = re.compile(r"[$%<{-]|env:|file:|fd:|stdin|https?:|/dev/|\.{1,2}/|~/|/(?:\w+/)+")


def placed(text: str) -> Iterator[Span]:
    """Passwords that programs take without a flag of one letter."""
    if "pass:" in text:
        for match in _PASSED.finditer(text):
            yield from _taken(text, match.end())
    if any(program in text for program in _PLACED):
        yield from behind_programs(text)


def behind_programs(text: str) -> Iterator[Span]:
    """What stands where a program takes its password, or is fed to one that logs in."""
    for match in _OTHERS.finditer(text):
        if not match[0].startswith("<<<") or "sudo" in text or "passwd" in text or "login" in text:
            yield from _taken(text, match.end(), until="@" if match[0].startswith("sqlplus") else "")


def identified(text: str) -> Iterator[Span]:
    """Passwords of a database's users: `CREATE USER me IDENTIFIED BY '…'`."""
    for match in _IDENTIFIED.finditer(text):
        yield from _taken(text, match.end())


def piped(text: str) -> Iterator[Span]:
    """Passwords that are piped to a program."""
    for match in _PIPED.finditer(text):
        yield from _parts(match.start("value"), match["value"])


def flagged(text: str) -> Iterator[Span]:
    """Passwords behind a flag of a program that takes one there."""
    if "curl" in text:
        for match in _USER_FLAG.finditer(text):
            yield from _taken(text, match.end(), behind=":")
    for match in _FLAG.finditer(text):
        if match["long"] is not None:
            yield from _taken(text, match.end())
        elif match["pair"] is not None:
            if _is_command(text, match.start(), "skopeo", "etcdctl", "curl", "oras", "regctl"):
                yield from _taken(text, match.end(), behind=":")
        else:
            yield from _of_program(text, match)


def _of_program(text: str, match: re.Match[str]) -> Iterator[Span]:
    """What follows a flag that means a password to the program in whose command it stands."""
    before = _command(text, match.start())
    for apart, glued, programs in _BY_FLAG["-" + match["flag"]]:
        if (apart if match["gap"] else glued) and (program := programs.search(before)):
            behind = _BEHIND.get("-" + match["flag"], "") or (":" if _OF_USER.search(program[0]) else "")
            yield from _taken(text, match.end(), behind=behind, glued=not match["gap"])
            return


def slashed(text: str) -> Iterator[Span]:
    """Passwords beside a slash, as in `xfreerdp /u:me /p:X` and `sqlplus me/X`."""
    for match in _SLASHED.finditer(text):
        yield from _taken(text, match.end())
    if "sqlplus " in text or "net use " in text:
        yield from behind_programs(text)


def _command(text: str, at: int) -> str:
    """What of its line stands before this place, if it isn't far."""
    first = max(0, at - _REACH)
    return text[max(first, text.rfind("\n", first, at) + 1) : at]


def _is_command(text: str, at: int, *programs: str) -> bool:
    before = _command(text, at)
    return any(program in before for program in programs)


def _taken(text: str, at: int, *, behind: str = "", until: str = "", glued: bool = False) -> Iterator[Span]:
    """The word at this place, or what of it is behind or before a sign, if it may be a password."""
    found = _VALUE.match(text, at)
    if not found:
        return
    start, end = found.span("quoted") if found["quoted"] is not None else found.span("bare")
    if behind:
        sign = text.find(behind, start, end)
        if sign < 0:
            return
        start = sign + 1
    if until and (sign := text.rfind(until, start, end)) >= 0:
        end = sign
    value = text[start:end]
    if found["bare"] is not None:
        value = value.rstrip("`,.:)]}").split("\\n")[0]
    if _may_be(value, glued=glued):
        yield start, start + len(value), "password"


def _parts(at: int, piped: str) -> Iterator[Span]:
    r"""What is piped to a program that reads passwords: `user:password`, or one twice as in `x\nx`."""
    for piece in re.finditer(r"(?:(?!\\n)\S)+", piped):
        start = piece[0].find(":") + 1
        if _may_be(piece[0][start:], glued=False):
            yield at + piece.start() + start, at + piece.end(), "password"


def _may_be(value: str, *, glued: bool) -> bool:
    """Whether this is no variable, file or number of a port; of words only it may be anything."""
    if len(value) < 4 or _PLACE.match(value) or "[redacted" in value:  # noqa: PLR2004
        return False
    if value.isdigit():
        return (glued and len(value) > 4) or len(value) > 5  # noqa: PLR2004
    return any(not char.isalpha() and char not in "-_./" for char in value) and not values.spelled(value).isalpha()
