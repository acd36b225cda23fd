"""Replace the secrets of a text by `[redacted:<kind>]`; all else stays as it was.

A named value is judged with its name: `password = "hunter2"` hides the value; `password = get()`, `token: Token`,
`secret = "<yours>"` and `"password": "required"` don't. A password of letters only is hidden only in the form
`DB_PASS=letmein`, and a value with spaces in it never is.

What a person tells in words is found in some thirty languages (`das Passwort ist …`, `log in with me / …`), and what
a program is handed (`mysql -p…`) if it has a digit or a sign: a password told as a mere word stays. The rules are in
`kit/secrets/`.
"""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePosixPath

from skillopt_sleep.kit.secrets import Span

_MARGIN = 8_192  # so many characters behind the limit of a clip are read too: a secret may end there
_MOST_PASSES = 4


def redact(text: str) -> str:
    """Return the text with a label for every secret; redacting the result again changes nothing."""
    # A label can end what stood before it, as in `Bearer <token>-----BEGIN …`: look again until nothing is found.
    for _ in range(_MOST_PASSES):
        found = _found(text)
        if not found:
            break
        text = _labelled(text, found, len(text))
    return str(text)


def clip(text: str, limit: int) -> str:
    """Return at most `limit` characters of the redacted text, ending in '…' if something was cut off."""
    return clip_marked(text, limit, ())[0]


def clip_marked(text: str, limit: int, marks: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    """Clip a text, and return where these places in it are then; one within a secret moves behind the label."""
    if limit <= 0:
        return "", (0,) * len(marks)
    clean = text[: limit + _MARGIN]
    stop = limit
    # The first pass cuts the text; the others are those of `redact`.
    for number in range(1 + _MOST_PASSES):
        found = _found(clean)
        if number and not found:
            break
        clean = _labelled(clean, found, stop)
        marks = _moved(marks, found)
        stop = len(clean)
    if len(text) > limit or len(clean) > limit:
        clean = clean[: limit - 1] + "…"
    return str(clean), tuple(min(mark, len(clean)) for mark in marks)


def secrets(text: str) -> tuple[str, ...]:
    """Return the kinds of secrets the text holds, each once, in order of appearance."""
    return tuple(dict.fromkeys(kind for _, _, kind in _found(text)))


def _found(text: str) -> list[Span]:
    """Return the secrets of the text; the rules are read with the first text, and most commands have none."""
    from skillopt_sleep.kit.secrets.find import find_secrets

    return find_secrets(text)


def _moved(marks: Sequence[int], found: list[Span]) -> list[int]:
    """Return where these places are once each secret is replaced by its label."""
    moved: list[int] = []
    for mark in marks:
        place = mark
        for start, end, kind in found:
            if start >= mark:
                break
            place = max(mark, end) - mark + place + len(_label(kind)) - (end - start)
        moved.append(place)
    return moved


def _label(kind: str) -> str:
    return f"[redacted:{kind}]"


def _labelled(text: str, found: list[Span], stop: int) -> str:
    """Return the text up to `stop`, with a label for each secret that begins before it."""
    if not found:
        return text[:stop]
    parts: list[str] = []
    at = 0
    for start, end, kind in found:
        if start >= stop:
            break
        parts.append(text[at:start])
        parts.append(_label(kind))
        at = end
    parts.append(text[at:stop])
    return "".join(parts)


_ALWAYS = tuple(
    """
    .env .env.* .envrc .netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .htpasswd .s3cfg .boto
    .vault-token .dockercfg .docker/config.json .kube/config *.kubeconfig .aws/config .ssh .gnupg
    id_rsa* id_dsa* id_ecdsa* id_ed25519* *.key *.pem *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx
    *.tfvars *.tfvars.json *.tfstate service-account*.json service_account*.json
    """.split()  # noqa: SIM905
)
_MAYBE = ("credentials*", "secrets.*", "kubeconfig*")

_CODE = frozenset(
    """
    .c .cc .clj .cpp .cs .css .dart .erl .ex .exs .go .h .hpp .hs .html .java .js .jsx .kt .lua .md .mjs
    .ml .php .py .pyi .rb .rs .rst .scala .svelte .swift .ts .tsx .vue
    """.split()  # noqa: SIM905
)


def is_secret_file(path: str, holds_secret: Callable[[], bool]) -> bool:
    """Tell whether the file at this path is to be hidden, by its name or that of a folder above it.

    Source code with such a name (`credentials.py`) is hidden only if it holds a secret, which is asked only then.
    """
    parts = PurePosixPath(path.lower()).parts
    names = (*parts, *map("/".join, pairwise(parts)))
    named = {pattern for pattern in (*_ALWAYS, *_MAYBE) for name in names if fnmatchcase(name, pattern)}
    if not named:
        return False
    if named <= set(_MAYBE) and PurePosixPath(path.lower()).suffix in _CODE:
        return holds_secret()
    return True
