"""Passwords on command lines: `mysql -pX`, `sshpass -p X`, `docker login -p X`, `openssl -passin pass:X`.

A flag means a password to some programs only: `-p` is a port to ssh and a path's parents to mkdir. So each is looked
up with the program in whose command it stands.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillopt_sleep.kit.secrets import Span, values

_COMMAND = 400  # so far behind its program may a flag stand
_LOGINS = r"(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|regctl|helm|oc|az|cf|ibmcloud|tsh|npm|argocd|ng)"
_SHELLS = (
    r"sshpass|mongo\w*|cqlsh|cypher-shell|twine|rabbitmqadmin|security|nxc|crackmapexec|netexec|evil-winrm|rdesktop"
    r"|arangosh|influx|snowsql|kubeadm|isql|altool|lpass|mosquitto_passwd|cockroach|hydra"
)


class _Flag(NamedTuple):
    """A flag that means a password to these programs: in the next word (`-p X`), in the same (`-pX`), or in both."""

    flag: str
    next_word: bool
    same_word: bool
    programs: str


_FLAGS = (
    _Flag(
        "-p",
        next_word=False,
        same_word=True,
        programs=r"mysql\w*|mariadb[\w-]*|7z[azr]?|7zz|rar|unrar|innobackupex|xtrabackup|mycli",
    ),
    _Flag("-hp", next_word=False, same_word=True, programs=r"rar|unrar|7z[azr]?"),
    _Flag("-p", next_word=True, same_word=True, programs=rf"{_SHELLS}|{_LOGINS}\s[^\n;|&]*?login"),
    _Flag(
        "-P",
        next_word=True,
        same_word=True,
        programs=r"sqlcmd|bcp|osql|isql|zip|unzip|zipcloak|mosquitto_\w+|ipmitool|ssh-keygen|tsql|keyctl",
    ),
    _Flag("-a", next_word=True, same_word=True, programs=r"redis-cli|valkey-cli|keydb-cli|https?"),
    _Flag("-A", next_word=True, same_word=False, programs=r"ab|snmp\w+"),
    _Flag("-X", next_word=True, same_word=False, programs=r"snmp\w+"),
    _Flag("-w", next_word=True, same_word=True, programs=r"ldap\w+|kadmin|security"),
    _Flag("-s", next_word=True, same_word=False, programs=r"ldappasswd"),
    _Flag("-k", next_word=True, same_word=False, programs=r"openssl"),
    _Flag("-K", next_word=True, same_word=False, programs=r"gpg\w*"),
    _Flag("-N", next_word=True, same_word=False, programs=r"ssh-keygen"),
    _Flag("-n", next_word=True, same_word=False, programs=r"kinit"),
    _Flag("-pw", next_word=True, same_word=False, programs=r"plink|pscp|psftp|pageant|kitty|vncpasswd|pdftk"),
    _Flag("-U", next_word=True, same_word=True, programs=r"smbclient|rpcclient|net|smbmap|wmic|winexe|smbget"),
)


class _Use(NamedTuple):
    """The use of a flag by some programs; `command` matches their command line up to the flag."""

    next_word: bool
    same_word: bool
    command: re.Pattern[str]


def _uses_by_flag() -> dict[str, list[_Use]]:
    uses: dict[str, list[_Use]] = {}
    for flag, next_word, same_word, programs in _FLAGS:
        command = re.compile(rf"(?:^|[\s/(`'\"$])(?:{programs})(?:\.exe)?(?=\s)[^;|&\n]*$")
        uses.setdefault(flag, []).append(_Use(next_word, same_word, command))
    return uses


_USES_BY_FLAG = _uses_by_flag()
# Any flag that may carry a password: a long one, one with `user:password`, or one of one or two letters.
_FLAG = re.compile(
    r"-(?<=\s-)(?:-?(?:[a-z-]{1,24}-)?(?:storepass|keypass|passphrase|password|passwd|pass|pwd)[ \t=](?P<long>)"
    r"|-(?:src-|dest-)?(?:creds|credentials|user)[ =](?P<pair>)"
    r"|(?P<flag>(?:hp|pw(?=\s)|[pPaAXwskKNnU]))(?P<gap>[ \t=]{0,4})(?=[^\s=]))"
)
_CURL_USER = re.compile(r"curl\s[^\n;|&]{0,200}?(?<=\s)-[a-zA-Z]{0,6}?u ?(?=[^\s:]{1,64}:)")
_WORD = re.compile(
    r"""(?P<quote>["'])(?P<quoted>[^"'\n]{1,128})(?P=quote)|(?P<bare>(?:\\.|[^\s"'`|;<>()\\]){1,128})"""
)
_PASS_SOURCE = re.compile(r"(?<![\w-])pass:(?=\S)")
_SLASH_FLAG = re.compile(r"/(?<=\s/)(?i:p|pass|password|pwd):(?=\S)")
# Where a program takes its password without a flag; the match ends where the password begins.
_PLACES = re.compile(
    r"""(?:htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+(?:[^\s-]\S*\s+)??[\w.@-]+\s+(?=\S+\s*(?:$|[;|&`)\n]))
    |(?:rabbitmqctl\s+(?:add_user|change_password|authenticate_user)\s+\S+\s+)
    |(?:htpasswd\s+-[a-zA-Z]*n[a-zA-Z]*b?[a-zA-Z]*\s+\S+\s+)
    |(?:sqlplus\s+(?:-\w\s+)*[\w.]+/)
    |(?:net\s+use\s[^\n;|&]*?/user:\S+\s+)
    |(?:(?:nmcli|iwconfig|neo4j-admin|wpa_passphrase)\s[^\n;|&]*?(?:\bpassword\s+|initial-password\s+|wpa_passphrase\s+\S+\s+))
    |(?:gh\s+secret\s+set\s[^\n;|&]*?(?:--body|-b)[ =]\s*)
    |(?:<<<\s*(?=["']?\S)))""",
    re.VERBOSE,
)
# What echo or printf print for a program that reads a password.
_PIPED = re.compile(
    r"(?:echo|printf)\s+(?:-\w+\s+)*(?:['\"]%s(?:\\n)?['\"]\s+)?(?P<quote>[\"']?)(?P<value>[^\"'\n|]{4,200}?)(?P=quote)\s*\|"
    r"\s*(?:\S+=\S+\s+)?(?:sudo\s+-[a-zA-Z]*S|sudo\s+chpasswd|chpasswd|(?:sudo\s+)?passwd|(?:sudo\s+)?cryptsetup|kinit|su\b"
    r"|[^\n|;]{0,200}(?:--(?:password|passphrase|pass|token|key)-?(?:stdin|fd|file[ =]-)|--with-token|-stdin"
    r"|secret\s+(?:put|set)\b))"
)
_IDENTIFIED = re.compile(r"(?i)identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?(?=[\"'])")
_PROGRAMS_WITH_PLACES = ("gh secret", "htpasswd", "rabbitmqctl", "nmcli", "neo4j-", "wpa_")
_TAKES_PAIR = re.compile(r"^\W*(?:https?|ab)\s")  # these take `user:password`
# A variable, a flag, or the file, address or folder that holds the password.
_SOMETHING_ELSE = re.compile(r"[$%<{-]|env:|file:|fd:|stdin|https?:|/dev/|\.{1,2}/|~/|/(?:\w+/)+")
_PIPED_WORD = re.compile(r"(?:(?!\\n)\S)+")
_PROGRAMS_WITH_PAIRS = ("skopeo", "etcdctl", "curl", "oras", "regctl")
_SHORTEST = 4
_LONGEST_NUMBER_IN_FLAG = 4
_LONGEST_PORT = 5


def passwords_in_place(text: str) -> Iterator[Span]:
    """Yield the passwords that programs take without a flag of one letter."""
    if "pass:" in text:
        for match in _PASS_SOURCE.finditer(text):
            yield from _password_at(text, match.end())
    if any(program in text for program in _PROGRAMS_WITH_PLACES):
        yield from passwords_of_programs(text)


def passwords_of_programs(text: str) -> Iterator[Span]:
    """Yield what stands where a program takes its password, or is fed to one that logs in."""
    for match in _PLACES.finditer(text):
        # What a here-string holds is a password only to a program that asks for one.
        if match[0].startswith("<<<") and not ("sudo" in text or "passwd" in text or "login" in text):
            continue
        yield from _password_at(text, match.end(), before="@" if match[0].startswith("sqlplus") else "")


def database_users(text: str) -> Iterator[Span]:
    """Yield the passwords in `CREATE USER me IDENTIFIED BY '…'`."""
    for match in _IDENTIFIED.finditer(text):
        yield from _password_at(text, match.end())


def piped(text: str) -> Iterator[Span]:
    r"""Yield what is piped to a program that reads passwords: `user:password`, or one twice as in `x\nx`."""
    for match in _PIPED.finditer(text):
        for word in _PIPED_WORD.finditer(match["value"]):
            start = word[0].find(":") + 1
            if _may_be_password(word[0][start:], same_word=False):
                at = match.start("value") + word.start()
                yield at + start, at + len(word[0]), "password"


def flagged(text: str) -> Iterator[Span]:
    """Yield the passwords behind a flag of a program that takes one there."""
    if "curl" in text:
        for match in _CURL_USER.finditer(text):
            yield from _password_at(text, match.end(), behind=":")
    for match in _FLAG.finditer(text):
        if match["long"] is not None:
            yield from _password_at(text, match.end())
        elif match["pair"] is not None:
            command = _command_before(text, match.start())
            if any(program in command for program in _PROGRAMS_WITH_PAIRS):
                yield from _password_at(text, match.end(), behind=":")
        else:
            yield from _behind_short_flag(text, match)


def _behind_short_flag(text: str, match: re.Match[str]) -> Iterator[Span]:
    """Yield what follows a flag that means a password to the program in whose command it stands."""
    command = _command_before(text, match.start())
    same_word = not match["gap"]
    for use in _USES_BY_FLAG["-" + match["flag"]]:
        if not (use.same_word if same_word else use.next_word):
            continue
        program = use.command.search(command)
        if not program:
            continue
        behind = ""
        if match["flag"] == "U":
            behind = "%"
        elif _TAKES_PAIR.search(program[0]):
            behind = ":"
        yield from _password_at(text, match.end(), behind=behind, same_word=same_word)
        return


def beside_slashes(text: str) -> Iterator[Span]:
    """Yield the passwords beside a slash, as in `xfreerdp /u:me /p:X` and `sqlplus me/X`."""
    for match in _SLASH_FLAG.finditer(text):
        yield from _password_at(text, match.end())
    if "sqlplus " in text or "net use " in text:
        yield from passwords_of_programs(text)


def _command_before(text: str, at: int) -> str:
    """Return the part of the line before this place, if it isn't far."""
    first = max(0, at - _COMMAND)
    return text[max(first, text.rfind("\n", first, at) + 1) : at]


def _password_at(
    text: str, at: int, *, behind: str = "", before: str = "", same_word: bool = False
) -> Iterator[Span]:
    """Yield the word at this place, or its part behind or before a sign, if it may be a password."""
    word = _WORD.match(text, at)
    if not word:
        return
    start, end = word.span("quoted") if word["quoted"] is not None else word.span("bare")
    if behind:
        sign = text.find(behind, start, end)
        if sign < 0:
            return
        start = sign + 1
    if before:
        sign = text.rfind(before, start, end)
        if sign >= 0:
            end = sign
    value = text[start:end]
    if word["bare"] is not None:
        value = value.rstrip("`,.:)]}").split("\\n")[0]
    if _may_be_password(value, same_word=same_word):
        yield start, start + len(value), "password"


def _may_be_password(value: str, *, same_word: bool) -> bool:
    """Tell whether this is no variable, file or port's number, and more than letters: a word may be anything."""
    if len(value) < _SHORTEST or _SOMETHING_ELSE.match(value) or "[redacted" in value:
        return False
    if value.isdigit():
        return len(value) > (_LONGEST_NUMBER_IN_FLAG if same_word else _LONGEST_PORT)
    if all(char.isalpha() or char in "-_./" for char in value):
        return False
    return not values.with_plain_letters(value).isalpha()
