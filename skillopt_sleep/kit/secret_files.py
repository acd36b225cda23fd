"""Tell files that hold secrets by their names: a copy of a repository leaves them out."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePosixPath

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
