"""Tell how the relay can ask OpenAI's model with the login that `codex` would use."""

from collections.abc import Mapping

from skillopt_sleep.agents.codex.login import AUTH_FILE, CODEX_KEY, account, file_key, key_env
from skillopt_sleep.protocols.acting import Way
from skillopt_sleep.protocols.program import Setup

ADDRESS = "https://api.openai.com"
KEY_INSIDE = "SEALED_MODEL_KEY"
# What the program in the seal gets in the login's place. The relay puts the real one in.
DUMMY = "sealed-dummy-key"

_MORE = {"OPENAI_ORGANIZATION": "openai-organization", "OPENAI_PROJECT": "openai-project"}
_REMEDY = 'log in with a key (codex login --with-api-key), or set backend.api_key_env = "OPENAI_API_KEY"'


def find_way(files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Way:
    """Return the address and the headers; a ChatGPT login only works with codex's own address."""
    found = account(files, environ, setup)
    if found.problem:
        return Way(problem=found.problem, remedy=found.remedy)
    name = key_env(setup)
    if not name and environ.get(CODEX_KEY):
        name = CODEX_KEY
    key = environ[name] if name else file_key(files.get(AUTH_FILE, b""))
    if not key:
        problem = f"a login by {found.how} can't be pointed at another address, so that a sealed agent can't use it"
        return Way(problem=problem, remedy=_REMEDY)
    headers = {"authorization": f"Bearer {key}"}
    if not setup.base_url:
        headers |= {header: environ[name] for name, header in _MORE.items() if environ.get(name)}
    return Way(
        address=setup.base_url or ADDRESS,
        headers=headers,
        environ={KEY_INSIDE: DUMMY},
        how=found.how,
    )
