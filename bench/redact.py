"""How much of what is secret the redaction finds, how much of what is not it leaves alone, and how fast it is.

`make bench NAME=redact`. The samples are made from the formats in `tests/kit/secret_samples.py`; the benign lines are
the running interpreter's own sources and documentation, what is installed beside it, this project, and lines made of
hashes, UUIDs, images and minified code. The last line is one JSON object of the figures.
"""

import argparse
import base64
import hashlib
import json
import pydoc_data.topics
import random
import subprocess
import sysconfig
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from uuid import UUID

from bench.reduced import size
from skillopt_sleep.kit.redact import redact
from tests.kit.password_samples import HARMLESS_COMMANDS, benign_lines, spoken
from tests.kit.secret_samples import ASSIGNED, BARE, NAMED, SHAPES, carried, samples

ROOT = Path(__file__).parents[1]
SEED = 20_270_601
PER_FOLDER = size(6_000, 60)
MEGABYTE = size(1 << 20, 1 << 12)
DEFINITIONS = """
bare      of the tokens that tell by themselves what they are, the share redacted, standing alone, in a sentence, in
          quotes, and in parentheses at a line's end
carried   of those and of tokens that only a name makes secret, the share redacted in each of the assignments
redacted  no eight random characters of the secret are left in a row
prose     of passwords with a digit or a sign that are told in words, the share redacted
altered   of the benign lines, the share that the redaction changed
"""
# What nearly is a secret, over and over, or nearly is what begins one.
HOSTILE = (
    *(
        "a-",
        "a_",
        "A1",
        "A1b2-",
        "gh" + "p_",
        "sk-",
        "sk-" + "ant-",
        "ey" + "J",
        "ey" + "J-",
        "eyJabcdefgh.",
        "SG.",
        "t1.",
    ),
    *("AKIA", "live_", "test_", "pa-", "api-", "secret_", "A" * 19 + "%3D", "A" * 24, "a" * 75 + "+", "+ASt", "AZDO"),
    *(
        "1234567890:",
        "123456789012345|",
        "1000.",
        "production$",
        "0f1e2d3c-",
        "a" * 31 + "-",
        "://a:",
        "://a:b@",
        "%3D",
    ),
    *("password=", 'password="', "password ", "login a password ", "ENV token ", 'token" {', "token: |\n", "bearer "),
    *(
        "basic ",
        "authorization ",
        "curl -u a",
        "key",
        "secret: a\n",
        "\\\n",
        "%",
        "%%",
        "token：",
        "token = “",
        "\\n",
        "$",
    ),
    *(
        "Passwort a1 ",
        "密码a1",
        "пароль x ",
        "the pw x1 ",
        "login a / ",
        "senha: ",
        "sshpass -p $x ",
        "htpasswd -b a ",
    ),
    *(
        "'a1' + ",
        '"a" "b1" ',
        "a1b2c3d4e5f6g7h8\n",
        "> A1\n",
        "kind: Secret\ndata: ",
        "Z2hwX0",
        "\x1b[1m",
        "<<< a1 sudo ",
    ),
    *(
        "token [x]: ",
        "| token | a1 ",
        "token</key> <string>",
        "token = (\n",
        "set -x token ",
        "identified by '",
        "a1b2=\n",
    ),
    *("=3D", "sessionid=", "connect.sid: ", "token is was now the ", 'setToken("', "token:\n  " + "a1" * 9 + "\n"),
    *("token=a!@#$%^&*(", "secret key API key ", "api.key.", "password=A1.", "'a1' \\\n", "QUJD" * 19 + "\r\n"),
    *("password=" + "QUJD" * 12 + "\n", "QUJD" * 19 + "\n", "-----BEGIN PRIVATE KEY-----", "Private-Lines: 3\n"),
)


def main() -> None:
    """Measure, print what falls short, print the figures."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(DEFINITIONS)
    bare = recall(SHAPES, BARE)
    in_assignments = recall((*SHAPES, *NAMED), ASSIGNED)
    told = prose()
    lines, altered = precision()
    speed()
    print(
        json.dumps(
            {
                "secrets_bare": round(bare, 4),
                "secrets_carried": round(in_assignments, 4),
                "prose_passwords": round(told, 4),
                "benign_altered": round(altered / lines, 6),
            }
        )
    )


def recall(kinds: Iterable[str], carriers: Iterable[str]) -> float:
    """The share redacted of three samples or more of each kind in each carrier."""
    chance = random.Random(SEED)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    by_carrier: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for kind in kinds:
        for sample in samples(kind, chance):
            for carrier in carriers:
                text, shown = carried(sample, carrier)
                missed = shown.leaks_into(redact(text))
                for count in (counts[kind], by_carrier[carrier]):
                    count[0] += not missed
                    count[1] += 1
    found, tried = (sum(part) for part in zip(*counts.values(), strict=True))
    print(f"{found} of {tried} redacted: {len(counts)} kinds of tokens × {len(by_carrier)} carriers")
    for name, (ok, of) in (*counts.items(), *by_carrier.items()):
        if ok < of:
            print(f"    {name}: {ok} of {of}")
    return found / tried


def prose() -> float:
    """The share redacted of passwords that people tell of in many languages."""
    chance = random.Random(SEED)
    by_language: dict[str, list[bool]] = defaultdict(list)
    for _ in range(20):
        for language, text, password in spoken(chance):
            by_language[language].append(password[:5] not in redact(text) and password[-6:-1] not in redact(text))
    every = [hidden for told in by_language.values() for hidden in told]
    print(f"{sum(every)} of {len(every)} passwords redacted that are told in {len(by_language)} languages")
    for language, told in by_language.items():
        if not all(told):
            print(f"    {language}: {sum(told)} of {len(told)}")
    return sum(every) / len(every)


def precision() -> tuple[int, int]:
    """How many benign lines there were, and how many were altered."""
    lines = altered = 0
    for origin, texts in benign():
        changed = [(text, clean) for text in texts if (clean := redact(text)) != text]
        lines += len(texts)
        altered += len(changed)
        print(f"{len(changed)} of {len(texts)} lines altered: {origin}")
        for text, clean in changed[:12]:
            print(f"    {text.strip()[:110]}\n     → {clean.strip()[:110]}")
    return lines, altered


def benign() -> Iterator[tuple[str, list[str]]]:
    """Lines without secrets, by where they come from."""
    chance = random.Random(SEED)
    library = Path(sysconfig.get_paths()["stdlib"])
    installed = Path(sysconfig.get_paths()["purelib"])
    yield "the standard library", some(library.glob("*/*.py"), chance) + some(library.glob("*.py"), chance)
    yield "the language's documentation", "\n".join(pydoc_data.topics.topics.values()).splitlines()
    yield "installed sources", some(installed.glob("[a-z]*/*.py"), chance)
    yield "the READMEs of what is installed", some(installed.glob("*.dist-info/METADATA"), chance)
    yield "lists of files with hashes", some(installed.glob("*.dist-info/RECORD"), chance)
    ours = [
        path
        for path in (ROOT / "skillopt_sleep").rglob("*.py")
        if "secret" not in path.name and "redact" not in path.name
    ]
    yield "this project", some([*ours, ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "AGENTS.md"], chance)
    log = subprocess.run(["git", "log", "-n200"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    yield "this project's history", log.splitlines()
    yield "forms and translations", benign_lines()
    yield "commands", list(HARMLESS_COMMANDS)
    yield "lock files", [line for number in range(400) for line in locked(number)]
    yield "ids, images and code", [line for number in range(300) for line in made(number, chance)]


def some(paths: Iterable[Path], chance: random.Random) -> list[str]:
    """Lines at random, none of them empty."""
    lines = [line for path in paths for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    return chance.sample(full := [line for line in lines if line.strip()], min(len(full), PER_FOLDER))


def locked(number: int) -> tuple[str, ...]:
    """What the lock files of six package managers say of one package."""
    digest = hashlib.sha512(str(number).encode()).digest()
    sha512, sha256, sha1 = base64.b64encode(digest).decode(), digest.hex()[:64], digest.hex()[:40]
    name = f"left-pad-{number}"
    return (
        f'      "integrity": "sha512-{sha512}",',
        f'      "resolved": "https://registry.npmjs.org/{name}/-/{name}-1.{number}.0.tgz#{sha1}",',
        f"  integrity sha512-{sha512}",
        f'    {{file = "{name}-1.0.tar.gz", hash = "sha256:{sha256}"}},',
        f"    --hash=sha256:{sha256} \\",
        f"example.com/{name} v1.{number}.0 h1:{base64.b64encode(digest[:32]).decode()}",
        f'checksum = "{sha256}"',
        f"{name}@1.{number}.0(react@18.2.0): resolution: {{integrity: sha512-{sha512}}}",
    )


def made(number: int, chance: random.Random) -> tuple[str, ...]:
    """What else is long and looks like chance."""
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(24) + chance.randbytes(90)).decode()
    uuid, sha1 = UUID(int=chance.getrandbits(128), version=4), hashlib.sha1(str(number).encode()).hexdigest()  # noqa: S324
    return (
        f"commit {sha1}",
        f"index {sha1[:7]}..{sha1[7:14]} 100644",
        f'"id": "{uuid}", "request_id": "{uuid}"',
        f"<img src='data:image/png;base64,{image}'>",
        f"@font-face{{src:url(data:font/woff2;base64,{image}{image})}}",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{image[-43:]} dev@host",
        f"sha256:{hashlib.sha256(str(number).encode()).hexdigest()} sha256-{image[-44:]}",
        f'!function(e,t){{"use strict";var n=t.key||e.token,r={{a{number}:1}};n&&r[n]?e.auth=n:t.pass(n,{number})}}(this,{{}});',
        f"test_a_token_that_was_refreshed_{number}_times_is_not_asked_for_again PASSED [{number % 100}%]",
        f"AbstractAuthenticationTokenProviderFactoryBean{number}.createAuthenticationTokenProvider(key{number})",
        f"/home/dev/.cache/pip/wheels/{sha1[:2]}/{sha1[2:4]}/{sha1[4:]}/auth_token_client-1.{number}-py3-none-any.whl",
        f"2027-06-01T10:22:33.{number:06d}Z INFO request={sha1[:16]} user={number} token refreshed in {number} ms",
    )


def speed() -> None:
    """Megabytes a second: of ordinary text, and of what is made to take long."""
    prose = "\n".join(pydoc_data.topics.topics.values())[:MEGABYTE]
    print(
        f"{rate(prose, lambda text: [redact(text[at : at + 400]) for at in range(0, len(text), 400)]):8.1f} MB/s of prose"
    )
    rates = {piece: rate((piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE], redact) for piece in HOSTILE}
    slowest = sorted(rates, key=lambda piece: rates[piece])
    for piece in slowest[:6]:
        print(f"{rates[piece]:8.1f} MB/s of {piece[:40]!r} over and over: {1000 / rates[piece]:.0f} ms a megabyte")
    print(f"{rates[slowest[0]]:8.1f} MB/s is the least of {len(HOSTILE)} near misses")


def rate(text: str, run: Callable[[str], object]) -> float:
    """Megabytes a second of processor time, the best of three."""
    times: list[float] = []
    for _ in range(3):
        started = time.process_time()
        run(text)
        times.append(time.process_time() - started)
    return len(text) / MEGABYTE / min(times)


if __name__ == "__main__":
    main()
