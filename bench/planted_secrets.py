"""Made-up secrets of many kinds, by their vendors' documented alphabets and lengths; the same chance gives the same."""

import base64
import random
import string
from collections.abc import Callable
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "-_"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
RUN = 8


class Secret(NamedTuple):
    """A secret as it stands in a text; `random` are those parts of it that nobody could guess.

    `single` is a token that can take the place of any value; others bring their own frame.
    """

    kind: str
    text: str
    random: tuple[str, ...]
    single: bool

    def remains(self, text: str) -> bool:
        """Whether a run of eight of the secret's random characters is left in the text."""
        return any(part[at : at + RUN] in text for part in self.random for at in range(max(len(part) - RUN + 1, 1)))


Make = Callable[[random.Random], tuple[str, tuple[str, ...]]]


def _run(chance: random.Random, alphabet: str, size: int) -> str:
    return "".join(chance.choices(alphabet, k=size))


def _token(prefix: str, alphabet: str, *sizes: int, between: str = "", end: str = "") -> Make:
    def make(chance: random.Random) -> tuple[str, tuple[str, ...]]:
        parts = tuple(_run(chance, alphabet, size) for size in sizes)
        return prefix + between.join(parts) + end, parts

    return make


def _framed(frame: str, alphabet: str, size: int) -> Make:
    def make(chance: random.Random) -> tuple[str, tuple[str, ...]]:
        part = _run(chance, alphabet, size)
        return frame.replace("@@", part), (part,)

    return make


def _base64(chance: random.Random, size: int) -> str:
    return base64.b64encode(chance.randbytes(size)).decode()


def _pem(label: str, size: int, *, end: str = "\n") -> Make:
    def make(chance: random.Random) -> tuple[str, tuple[str, ...]]:
        body = _base64(chance, size)
        lines = [body[at : at + 64] for at in range(0, len(body), 64)]
        return end.join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"]), tuple(lines)

    return make


def _service_account(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    pem, lines = _pem("PRIVATE KEY", 600, end="\\n")(chance)
    name = f"ci-{chance.randrange(1000)}@build.iam.gserviceaccount.com"
    return f'{{"type": "service_account", "private_key": "{pem}\\n", "client_email": "{name}"}}', lines


def _jwt(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    claims = f'{{"sub":"{_run(chance, string.digits, 10)}","name":"{_run(chance, ALNUM, 12)}","iat":1516239022}}'
    payload = base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=")
    signature = _run(chance, WORD, 43)
    return f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{payload}.{signature}", (signature,)


def _slack_bot(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = _run(chance, ALNUM, 24)
    return f"xoxb-{_run(chance, string.digits, 12)}-{_run(chance, string.digits, 13)}-{secret}", (secret,)


def _slack_hook(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = _run(chance, ALNUM, 24)
    return f"https://hooks.slack.com/services/T{_run(chance, UPPER, 8)}/B{_run(chance, UPPER, 10)}/{secret}", (
        secret,
    )


def _discord_hook(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = _run(chance, WORD, 68)
    return f"https://discord.com/api/webhooks/{_run(chance, string.digits, 18)}/{secret}", (secret,)


def _telegram(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    secret = _run(chance, WORD, 33)
    return f"{_run(chance, '123456789', 10)}:AA{secret}", (secret,)


def _azure(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    key = _base64(chance, 64)
    name = f"store{chance.randrange(100)}"
    text = f"DefaultEndpointsProtocol=https;AccountName={name};AccountKey={key};EndpointSuffix=core.windows.net"
    return text, (key,)


def _openai(chance: random.Random) -> tuple[str, tuple[str, ...]]:
    parts = _run(chance, WORD, 74), _run(chance, WORD, 74)
    return "sk-proj-" + "T3BlbkFJ".join(parts), parts


SINGLE: dict[str, Make] = {
    "aws access key": _token("AKIA", BASE32, 16),
    "github classic": _token("ghp_", ALNUM, 36),
    "github app": _token("ghs_", ALNUM, 36),
    "github fine-grained": _token("github_pat_", ALNUM, 22, 59, between="_"),
    "gitlab": _token("glpat-", WORD, 20),
    "slack bot": _slack_bot,
    "stripe": _token("sk_live_", ALNUM, 24),
    "stripe restricted": _token("rk_live_", ALNUM, 99),
    "openai project": _openai,
    "openai old": _token("sk-", ALNUM, 20, 20, between="T3BlbkFJ"),
    "anthropic": _token("sk-ant-api03-", WORD, 93, end="AA"),
    "google api": _token("AIza", WORD, 35),
    "npm": _token("npm_", ALNUM, 36),
    "pypi": _token("pypi-AgEIcHlwaS5vcmc", WORD, 150),
    "hugging face": _token("hf_", string.ascii_letters, 34),
    "sendgrid": _token("SG.", WORD, 22, 43, between="."),
    "twilio": _token("SK", HEX, 32),
    "telegram": _telegram,
    "jwt": _jwt,
    "digitalocean": _token("dop_v1_", HEX, 64),
    "databricks": _token("dapi", HEX, 32),
    "shopify": _token("shpat_", HEX, 32),
    "mailgun": _token("key-", HEX, 32),
    "docker hub": _token("dckr_pat_", WORD, 27),
    "linear": _token("lin_api_", ALNUM, 40),
    "grafana": _token("glsa_", ALNUM, 32, end="_5f3c9a1b"),
    "vault": _token("hvs.", WORD, 92),
    "doppler": _token("dp.pt.", ALNUM, 43),
    "postman": _token("PMAK-", HEX, 24, 34, between="-"),
    "new relic": _token("NRAK-", UPPER, 27),
    "age": _token("AGE-SECRET-KEY-1", BECH32, 58),
}
FRAMED: dict[str, Make] = {
    "aws secret key": _framed("aws_secret_access_key = @@", ALNUM + "/+", 40),
    "slack webhook": _slack_hook,
    "discord webhook": _discord_hook,
    "azure storage": _azure,
    "gcp service account": _service_account,
    "db url": _framed("postgres://app:@@@db.internal:5432/shop", ALNUM, 16),
    "basic auth url": _framed("https://deploy:@@@git.example.com/team/app.git", ALNUM, 20),
    "bearer header": _framed("Authorization: Bearer @@", ALNUM, 40),
    "pem private key": _pem("RSA PRIVATE KEY", 600),
    "ssh key": _pem("OPENSSH PRIVATE KEY", 300),
    "password assignment": _framed('password = "@@"', ALNUM + "!$%", 14),
    ".env assignment": _framed("DB_PASSWORD=@@", ALNUM + "!%^", 18),
}
KINDS = (*SINGLE, *FRAMED)


def secret(kind: str, chance: random.Random) -> Secret:
    """A fresh secret of this kind."""
    make = SINGLE.get(kind) or FRAMED[kind]
    text, parts = make(chance)
    return Secret(kind, text, parts, kind in SINGLE)
