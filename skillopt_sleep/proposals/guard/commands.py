"""Commands that no rule may bring: what fetches and runs, deletes outside the project, lifts a permission.

A command is looked for in the text as a shell would read it: without quotes, escapes and variables that part a word,
with the lines of a paragraph joined. What a rule forbids ("never use sudo") it doesn't bring.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from skillopt_sleep.proposals.guard.installs import installs
from skillopt_sleep.proposals.guard.seen import plain, unmasked
from skillopt_sleep.proposals.guard.spoken import is_forbidden
from skillopt_sleep.proposals.guard.structure import SPAN, SPAN_END, Found, Read
from skillopt_sleep.records import RefusalKind

_FETCH = (
    r"(?<![\w-])(?:curl|wget|aria2c|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|wget2|httpie|lynx|ncat|nc|netcat"
    r"|socat|ftp|tftp|scp|rsync|base64|base32|xxd|openssl|uudecode|gpg -d|certutil|bitsadmin|start-bitstransfer"
    r"|gh (?:gist|api|release)|git clone|aws s3|gsutil|rclone|urlopen|urllib|urlretrieve|requests\.get|downloadstring"
    r"|downloadfile|webclient|file_get_contents|dig|echo|printf)(?![\w-])"
)
_DOWNLOAD = _FETCH.replace("|echo|printf", "")
_SH = r"(?:ba|z|da|k|c|tc|fi|a)?sh(?:\.exe)?(?!\w|[.-]\w)"
_RUN = (
    rf"(?:\S*/)?(?:{_SH}|(?:pwsh|powershell|python[\d.]*|pypy3?|perl|ruby|node|deno|bun|php|lua|osascript|rscript|iex"
    r"|invoke-expression|eval|source|xargs|parallel|at now|crontab|sudo|doas)(?!\w|[.-]\w))(?! -m json)"
    r"|\.\s+(?:/dev/|-)|/\S*[?*]\S*|\$\{?\w+"
)
_WRAPPED = r"(?:(?:sudo|doas|env|exec|nohup|command|busybox|time|nice|stdbuf|tee|xargs)\s+(?:-\S+\s+|\w+=\S*\s+)*)*"
_NET = r"(?:urlopen|urlretrieve|urllib|requests\.(?:get|post)|httpx?\.get|fetch\s?\(|net::http|lwp|open-uri|file_get_contents|webclient|downloadstring|socket|/dev/tcp|net\.connect|https?\.get|invoke-webrequest|iwr|irm|curl|wget)"
_EXEC = r"(?<![\w.])(?:exec|eval|compile|os\.system|system|popen|spawn|function|iex|invoke-expression|subprocess|child_process|runpy|importlib|pty)\b"
_FETCH_AND_RUN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_FETCH}[^\n]{{0,500}}?\|&?\s*{_WRAPPED}(?:{_RUN})",
        rf"(?<![\w.-])(?:{_SH}|eval|exec|source|iex|python[\d.]*|perl|ruby|node|\.)\s[^\n]{{0,60}}?(?:<\s?\(|\$\(|`|<<<|\()\s*&?\s*{_DOWNLOAD}",
        rf"(?<![\w-])(?:python[\d.]*|perl|ruby|node|deno|bun|php|lua|pwsh|powershell)(?:\.exe)?\s[^\n]{{0,200}}?-(?:c|e|r|p|eval|command)\s[^\n]{{0,300}}?{_NET}",
        rf"{_EXEC}\s?\([^\n]{{0,200}}?{_NET}|{_NET}[^\n]{{0,200}}?\b(?:then|\|)\W{{0,3}}\(?{_EXEC}",
        r"(?<![\w-])(?:powershell|pwsh)(?:\.exe)?\s[^\n]{0,120}?[-/](?:e|ec|en|enc|enco\w*)\s+\S",
        rf"(?<![\w.-]){_SH}\s+-\w*c\s+{_DOWNLOAD}",
        r"(?<![\w-])(?:iex|invoke-expression)\b[^\n]{0,80}(?:iwr|irm|webclient|webrequest|restmethod|\$)",
        r"/dev/(?:tcp|udp)/|(?<![\w-])(?:nc|ncat|netcat)\s[^\n]{0,80}(?:-[a-z]*e|--exec|-c)\s|socat\s[^\n]{0,120}exec:",
        r"(?<![\w-])(?:certutil\s[^\n]{0,40}-urlcache|bitsadmin\s[^\n]{0,40}/transfer|mshta\s+\S|regsvr32\s[^\n]{0,40}/i|rundll32\s[^\n]{0,60}javascript)",
        rf"{_DOWNLOAD}[^\n]{{0,400}}?&&\s*(?:cd\s+\S+\s*&&\s*)?(?:chmod\s[^\n]{{0,60}}?&&\s*)?{_WRAPPED}(?:{_RUN}|\./\S|make\b)",
        rf"\b(?:pipe|pass|feed|send)\b[^\n]{{0,80}}?{_DOWNLOAD}[^\n]{{0,120}}?\b(?:in)?to\s+(?:a\s+)?(?:{_RUN}|shell\b)",
        r"\b(?:download|fetch|curl|wget|grab)\b[^.\n]{0,80}\b(?:and|then)\b[^.\n]{0,20}\b(?:run|execute|eval|source)\s+(?:it|them|that|the (?:script|installer|file|result|output))\b",
    )
)
_IN_A_SPAN = re.compile(
    rf"{_DOWNLOAD}[^\n]{{0,400}}?(?:;|\|\||&)\s*{_WRAPPED}(?:{_RUN}|\./\S|make\b)",
    re.IGNORECASE,
)
_FETCHED_TO = re.compile(rf"{_DOWNLOAD}(?P<rest>[^\n]{{0,300}})", re.IGNORECASE)
_OUTPUT = re.compile(
    r"(?:(?<!\S)-o|(?<!\S)-O|--output(?:-document)?|-outfile|>{1,2}|\btee(?:\s-a)?|\b(?:to|as|into))[\s=]*([\w./-]+)",
    re.IGNORECASE,
)

_OUTSIDE = r"(?:~|/(?!tmp/\S|tmp\s)|\$\{?(?:HOME|OLDPWD|USERPROFILE|env:)|\.\.|\*(?=\s|$)|\./?\*?(?=\s|$)|%\w+%|[A-Za-z]:(?:[\\/]|(?=[A-Z])))"
_BEFORE = r"(?:(?:-|--)[\w=-]*\s+|[\w./-]*\w[\w./*-]*\s+)"
_DELETE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.-])(?:rm|rimraf|shred|unlink|srm)\s+{_BEFORE}{{0,8}}?{_OUTSIDE}\S*",
        rf"(?<![\w-])find\s+(?:-\S+\s+)*{_OUTSIDE}\S*\s[^\n]{{0,120}}?(?:-delete|\brm\b|unlink)",
        rf"(?<![\w-])(?:ls|find|echo|cat)\s[^\n]{{0,60}}{_OUTSIDE}[^\n]{{0,60}}\|\s*xargs[^\n]{{0,20}}\s(?:rm|unlink|shred)\b",
        rf"(?<![\w-])cd\s+{_OUTSIDE}\S*\s*(?:&&|;|\|\|)[^\n]{{0,40}}\b(?:rm|rimraf|find)\b",
        rf"(?<![\w-])(?:rmdir|rd|del|erase|remove-item|ri)\s+(?:[-/]\w+\s+)*{_OUTSIDE}\S*",
        r"\b(?:rmtree|rmsync|rmdirsync|rm_rf|removeall|unlink|unlinksync|deltree|rimraf)\s?\(\s?(?:path\.home|os\.path\.expanduser|~|/|\$home|os\.environ|\.\.|process\.env\.home|homedir)",
        r"(?<![\w-])dd\s[^\n]{0,80}of=/dev/|(?<![\w-])mkfs(?:\.\w+)?\s+\S|(?<![\w-])(?:wipefs|blkdiscard)\s|>\s?/dev/(?:sd|nvme|hd|disk)\w|\bformat\s+[c-z]:",
        rf"(?<![\w-])(?:mv|rsync)\s[^\n]{{0,20}}{_OUTSIDE}\S*\s+/dev/null|(?<![\w-])rsync\s[^\n]{{0,80}}--delete\S*\s[^\n]{{0,80}}{_OUTSIDE}",
        r"\b(?:delete|remove|wipe|erase|empty)\s+(?:\w+\s+){0,4}?(?:~/|~(?=\s|$|[.,])|\$HOME\b|(?:the|my|your|user'?s|users)\s+home\s+(?:directory|folder))",
    )
)
_FLAGS = (
    "--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|--dangerously-bypass\\S*|--yolo|--full-auto"
    "|--allow-all\\S*|--allow-dangerously\\S*|--no-verify|--no-sandbox|--privileged|--cap-add|--no-gpg-sign|--unsafe-perm\\S*"
    "|--allow-root|--break-system-packages|--disable-web-security|--no-check-certificate|--insecure|--skip-permissions\\S*"
    "|--pid=host|--ignore-scripts=false|--master-disable|--security-opt|--trust-all\\S*"
)
_PERMISSION = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w-])(?:{_FLAGS})(?![\w-])",
        r"(?<![\w/.-])(?:sudo|doas|pkexec|runas|gsudo)(?![\w-]|\.\w)|(?<![\w-])su\s+(?:-c|-\s|root)",
        r"(?<![\w-])chmod\s+(?:-\S+\s+)*(?:0?[0-7]{2}[2367](?!\d)|0?[2467][0-7]{3}(?!\d)|[ugoa,]*[oa][+=]\w*w\w*|[ugoa]*[+=]\w*s\w*|\+\w*w\w*)",
        r"\bbypass-?permissions\b|\bdanger-?full-?access\b|\bpermission-?mode\W{1,3}(?:bypass|acceptedits|dontask)\w*",
        r"\bapproval[_-]?policy\W{0,5}never\b|(?<![\w-])(?:-a|--ask-for-approval)\s+never\b|\bskip_?permissions\W{1,4}true",
        r"\bNOPASSWD\b|/etc/sudoers|authorized_keys|\bvisudo\b|\bssh-copy-id\b",
        r"\bsetenforce\s+0|\bcsrutil\s+disable|\bspctl\s+--|com\.apple\.quarantine|\bufw\s+disable|\biptables\s+-F|Set-ExecutionPolicy\s+(?:-\S+\s+)*(?:Bypass|Unrestricted)|-ExecutionPolicy\s+Bypass|\bnetsh\s+advfirewall\s[^\n]{0,40}off",
        r"\bcore\.hookspath\b|(?<![\w-])HUSKY=0|\bHUSKY_SKIP_HOOKS|(?<![\w-])SKIP=\S+\s+git|\bPRE_COMMIT_ALLOW_NO_CONFIG",
        r"\bNODE_TLS_REJECT_UNAUTHORIZED\W{0,3}0|\bGIT_SSL_NO_VERIFY|http\.sslVerify\W{0,3}(?:false|0)|\bPYTHONHTTPSVERIFY\W{0,3}0|\bstrict-ssl\W{1,3}false|StrictHostKeyChecking\W{0,3}no\b",
        r"(?<![\w-])(?:docker|podman|nerdctl)\s[^\n]{0,200}?(?:-v|--volume|--mount)[\s=]\S*?(?:/:|source=/,|/var/run/docker\.sock|~)|--net(?:work)?[= ]host\b[^\n]{0,40}--",
        r"\bicacls\s[^\n]{0,80}/grant\s+everyone|\btakeown\s+/f|\busermod\s+-\w*a?G|\bgpasswd\s+-a|\bumask\s+0?00[0-7]?\b",
        r"\bAdministratorAccess\b|\bcluster-admin\b|\badd-iam-policy-binding\b|\ballowed-?tools\W{1,4}(?:Bash|\*)|\bBash\(\*\)|(?<![\w-])deno\s+run\s+(?:-\S+\s+)*-A\b",
    )
)
_RULES = (
    (RefusalKind.FETCH_AND_RUN, "runs what it fetches", _FETCH_AND_RUN),
    (RefusalKind.DELETE, "deletes outside the project", _DELETE),
    (RefusalKind.PERMISSION, "lifts a permission", _PERMISSION),
)
_ASSIGNED = re.compile(r"(?<![\w$-])([A-Za-z_]\w{0,30})=([^\s;&|]{1,60})")
_CHANGES = (
    (re.compile(r"\$\{?IFS\}?(?:%%?[^}\s]{0,3}\})?(?:\$\d)?"), " "),
    (re.compile(r"\$[@*]|\$\(\)|\$\{[@*]\}|``"), ""),
    (re.compile(r"\\(?=[\s\x1c\x1d]|$)"), " "),
    (re.compile(r"\\(?=[A-Za-z-])(?<![A-Z]:\\)"), ""),
    (re.compile(r"\$?[\"'”“’‘]"), ""),
    (re.compile(r"\{([^{}\s]*,[^{}\s]*)\}"), lambda match: match[1].replace(",", " ")),
)


def commands(read: Read) -> Iterator[Found]:
    """Every command of the text that a rule may not bring, but for those that it forbids."""
    text = as_shell(read.commands)
    for kind, what, piece in _found(text):
        yield kind, what, piece
    for span in read.spans:
        for found in _IN_A_SPAN.finditer(as_shell(span)):
            at = text.find(found[0])
            if at < 0 or not is_forbidden(text, at, at + len(found[0])):
                yield RefusalKind.FETCH_AND_RUN, "runs what it fetches", found[0]
    for name, at, end in installs(text):
        if not is_forbidden(text, at, end):
            yield RefusalKind.INSTALL, "installs what your words don't name", name


def tells(command: str, text: str) -> bool:
    """Whether the text tells the agent to run this command, other than by forbidding it."""
    shell, wanted = _as_shell_kept(text), _words(command)
    at = shell.find(wanted)
    while wanted and at >= 0:
        if not is_forbidden(shell, at, at + len(wanted)):
            return True
        at = shell.find(wanted, at + 1)
    return False


@lru_cache(maxsize=64)
def as_shell(text: str) -> str:
    """The text as a shell reads its words: unquoted, unescaped, with its variables filled in."""
    said = unmasked(plain(text))
    for pattern, by in _CHANGES:
        said = pattern.sub(by, said)
    values = dict(_ASSIGNED.findall(said))
    for name, value in list(values.items())[:8]:
        said = re.sub(rf"\$\{{?{name}\b\}}?", lambda _, value=value: value, said)
    return said


@lru_cache(maxsize=16)
def _as_shell_kept(text: str) -> str:
    return _words(as_shell(text.replace("`", " ")))


def _words(text: str) -> str:
    return " ".join(text.replace(SPAN, " ").replace(SPAN_END, " ").split()).casefold()


def _found(text: str) -> Iterator[Found]:
    for kind, what, patterns in _RULES:
        for pattern in patterns:
            for found in pattern.finditer(text):
                if not is_forbidden(text, found.start(), found.end()):
                    yield kind, what, found[0]
    for piece, at in _fetched_then_run(text):
        if not is_forbidden(text, at, at + 1):
            yield RefusalKind.FETCH_AND_RUN, "runs what it fetches", piece


def _fetched_then_run(text: str) -> Iterator[tuple[str, int]]:
    """What is fetched to a file, where that file is run later on."""
    for fetched in _FETCHED_TO.finditer(text):
        line = re.split(r"[;&|\n\x1d]", fetched["rest"])[0]
        names = {match[1] for match in _OUTPUT.finditer(fetched["rest"])}
        names |= {
            word for word in line.split() if not word.startswith("-") and not (word.isalpha() and len(word) > 1)
        }
        plain_words = set(line.split()) & set(re.findall(r"\./(\S+)", text))
        for name in {name.rstrip("/.,").rsplit("/", 1)[-1] for name in names | plain_words} - {"", "-"}:
            run = re.compile(
                rf"(?<![\w.-])(?:(?:{_RUN}|chmod\s+\S+|\.|open|start|exec|run|execute)\s+(?:-\S+\s+)*(?:\S*/)?|\./){re.escape(name)}(?![\w-])",
                re.IGNORECASE,
            ).search(text, fetched.start() + 1)
            if run:
                yield text[fetched.start() : max(run.end(), fetched.start() + 1)], fetched.start()
