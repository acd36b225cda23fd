"""Tokens in pieces, and in base64."""

import base64
import random

import pytest

from skillopt_sleep.kit.redact import redact
from tests.kit.broken_samples import ENCODED, broken, in_base64
from tests.kit.secret_samples import SHAPES, Sample, a_sample

# What only another rule than that of one run of characters would find.
_IN_PIECES = frozenset({"okta", "facebook", "twitter", "asana", "braintree", "firebase"})
KINDS = [kind for kind in SHAPES if kind not in _IN_PIECES]
WAYS = [*broken(Sample("x", "x" * 40, ("x" * 40,)), random.Random(0))]


@pytest.mark.parametrize("way", WAYS)
def test_hardly_a_token_in_pieces_is_left_to_see(way: str) -> None:
    chance = random.Random(way)
    left: list[tuple[str, str]] = []
    tried = 0
    for kind in KINDS:
        for shape in SHAPES[kind]:
            sample = a_sample(kind, shape, chance)
            text = broken(sample, chance)[way]
            clean = redact(text)
            assert redact(clean) == clean
            tried += 1
            if sample.leaks_into(clean):
                left.append((text, clean))
    assert len(left) <= tried * 0.05, left


@pytest.mark.parametrize("carrier", ENCODED)
def test_hardly_a_token_in_base64_is_left_to_see(carrier: str) -> None:
    chance = random.Random(carrier)
    left: list[str] = []
    for kind in KINDS:
        encoded = in_base64(a_sample(kind, SHAPES[kind][0], chance))
        text = ENCODED[carrier].replace("§", encoded.text)
        clean = redact(text)
        assert redact(clean) == clean
        if encoded.leaks_into(clean):
            left.append(text)
    assert len(left) <= len(KINDS) * 0.02, left


def test_what_stands_around_the_pieces_stays() -> None:
    token = "gh" + "p_" + "A1b2" * 9
    assert redact(f'key = "{token[:15]}" + "{token[15:]}" + other') == 'key = "[redacted:github-token]" + other'
    assert redact(f"use {token[:15]}\n    {token[15:]} now") == "use [redacted:github-token] now"
    assert redact(f"{token}\nthen go on") == "[redacted:github-token]\nthen go on"


def test_a_manifest_of_what_is_no_secret_stays() -> None:
    def encoded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    certificate = encoded("-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw\n")
    for text in (
        f"kind: ConfigMap\ndata:\n  greeting: {encoded('Hello to everybody, dear reader of this page')}\n",
        f"kind: Secret\ndata:\n  ca.crt: {certificate}\n",
        "kind: Secret\nmetadata:\n  name: my-app-secret-v2\n  namespace: prod-2\n",
        f"data:image/svg+xml;base64,{encoded('<svg xmlns=http://www.w3.org/2000/svg><path d=M10/></svg>')}",
    ):
        assert redact(text) == text


@pytest.mark.parametrize(
    "name", ["AWS_SECRET_ACCESS_KEY=§", 'secret_key: "§"', "AccountKey=§;", '"apiToken": "§"', "aws_secret = '§'"]
)
def test_a_key_that_begins_with_a_slash_is_hidden(name: str) -> None:
    chance = random.Random(name)
    keys = ["/" + base64.b64encode(chance.randbytes(size)).decode()[1:] for size in (30, 64) for _ in range(500)]
    left = [key for key in keys if key[1:9] in (clean := redact(name.replace("§", key))) or key[-12:-4] in clean]
    # By chance a few have the capitals that names have.
    assert len(left) <= len(keys) // 200, left


@pytest.mark.parametrize(
    "path",
    [
        "/etc/ssl/private/server-2.key",
        "/run/secrets/db_password_1",
        "/home/dev/.config/app2/token.json",
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "~/.aws/credentials2",
        "./keys/id_ed25519",
        "C:\\keys\\id_rsa2",
        "/Users/Dev1/Library/ApplicationSupport/MyApp2/AuthKey_ABC123.p8",
        "/api/v1/tokens/42/refresh",
        "/nix/store/0c5b9x1sg2b1yr8l1gsqz3a0gkv2a5mr-openssl-3.0.14/lib",
        "/opt/Homebrew/Cellar/OpenSSL3/3.2.1/etc",
    ],
)
def test_a_path_stays(path: str) -> None:
    for line in (f"secret_key: {path}", f'TOKEN_FILE="{path}"', f"SECRET_KEY={path}", f'token = "{path}"'):
        assert redact(line) == line


@pytest.mark.parametrize("token", ["dd" + "app_{}", "key" + "_{}" + "{}"])
def test_formats_of_vendors_that_were_missing_are_found_bare(token: str) -> None:
    for value in ("0f1e2d3c4b5a69788796a5b4c3d2e1f0", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7"):
        text = token.format(value, value)
        assert value[4:14] not in redact(f"I set {text} there")
