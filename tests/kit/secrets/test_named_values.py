"""Secrets in tables, property lists, calls, cookies, mail and sentences, and what looks alike and stays."""

import base64
import random
import string

import pytest

from skillopt_sleep.kit.redact import redact

_CHANCE = random.Random(88_301)


def _of(alphabet: str, length: int) -> str:
    return "7" + "".join(_CHANCE.choice(alphabet) for _ in range(length - 2)) + "q"


HEX = _of("0123456789abcdef", 40)[:-1] + "c"
MIXED = _of(string.ascii_letters + string.digits, 40)
UUID = "-".join((HEX[:8], HEX[8:12], "4" + HEX[12:15], "9" + HEX[15:18], HEX[18:30]))
SIGNED = "k7(%ezq" + "bh&4^t@x2w)n" + "!p9*r#d+m3v$y8=u6~g"

CARRIERS = {
    "property list": "<key>ACME_API_TOKEN</key>\n\t<string>{}</string>",
    "table": "| Name | Value |\n|---|---|\n| ACME_SIGNING_SECRET | `{}` | from May |",
    "bare cell": "| ACME_API_KEY | {} | |",
    "fish": "set -gx ACME_TOKEN {}",
    "Windows": "setx ACME_API_KEY {}",
    "C shell": "setenv ACME_API_KEY {}",
    "parentheses": 'acme_api_key = (\n    "{}"\n)',
    "what it is now": "Acme Secret Key [****1f2a]: {}",
    "next line": "Acme API key:\n\n    {}\n\nthanks",
    "setter": 'client.setAcmeToken("{}");',
    "builder": ".WithAcmeApiKey('{}')",
    "angle quotes": "The Acme token is «{}», right?",
    "low quotes": "The Acme secret is „{}“.",
    "sentence": "Please use the Acme API key {} from now on.",
    "news": "I rotated the client secret, the new one is: {} - tell the others",
    "parenthesis": "the one we use (Acme signing secret {}).",
    "error": "Error: Incorrect API key provided: {}.\n    at send",
    "base of keys": "  secret_key_base: {}",
    "base of keys in a hump": 'let secretKeyBase = "{}"',
    "properties": "acme.api.key: {}",
    "map of an interface": 'const gramApiKey = "{}"',
}


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("value", [HEX, MIXED, UUID])
def test_a_named_secret_is_hidden_wherever_it_stands(carrier: str, value: str) -> None:
    assert value[6:14] not in redact(CARRIERS[carrier].format(value))


@pytest.mark.parametrize(
    "name", ["JSESSIONID", "PHPSESSID", "sessionid", "_shop_session", "connect.sid", "laravel_session"]
)
@pytest.mark.parametrize(
    "form", ["Cookie: a=b; {}={}", "Set-Cookie: {}={}; Path=/", '{{"{}": "{}"}}', '\\"{}\\":\\"{}\\"']
)
def test_a_session_is_hidden(name: str, form: str) -> None:
    assert HEX[4:14] not in redact(form.format(name, HEX))


def test_an_id_of_a_session_that_is_a_record_stays() -> None:
    for text in (f'"sessionId":"{UUID}"', f"session_id=ses_{MIXED}", "session: 2027-06-01T10-22-33-nightly-0001"):
        assert redact(text) == text


def test_a_secret_key_full_of_signs_is_hidden_to_its_end() -> None:
    for text in ("secret_key: {}\n", "app.secret-key={}", "SIGNING_SECRET: {}\nPORT: 80"):
        shown = redact(text.format(SIGNED))
        assert not any(SIGNED[at : at + 8] in shown for at in range(len(SIGNED) - 7))


def test_what_mail_broke_is_read_as_one() -> None:
    shown = redact(f"the new Acme API key is {MIXED[:17]}=\n{MIXED[17:]} Regards, Kim")
    assert MIXED[3:12] not in shown
    assert MIXED[20:30] not in shown
    assert shown.endswith("Regards, Kim")


def test_base64_of_settings_over_lines_is_hidden_where_it_holds_a_token() -> None:
    settings = f"MODE=dark\nREGION=north\nACME_TOKEN=gl{'pat-'}{MIXED[:20]}\nSIZE=12\nLEVEL=debug\n"
    lines = base64.encodebytes(settings.encode()).decode()
    assert redact(f"$ base64 .env\n{lines}") == "$ base64 .env\n[redacted:base64]\n"


def test_strings_added_behind_a_backslash_are_one() -> None:
    assert MIXED[22:32] not in redact(f"acme_token = '{MIXED[:20]}' \\\n    + '{MIXED[20:]}'")


def test_a_database_users_password_is_hidden() -> None:
    assert "Zk7-plum" not in redact("CREATE USER 'kim'@'%' IDENTIFIED BY 'Zk7-plum!x';")


def test_a_password_of_chance_with_a_point_in_it_is_no_name() -> None:
    for text in ('dbPassword: "{}"', "mail_password={} attempt=2", "<add name='smtp_password' value='{}'/>"):
        assert "Tq4.W7" not in redact(text.format("Tq4.W7zKbR2m"))


def test_a_password_made_of_names_is_no_name_of_code() -> None:
    for text in ("mail_password=Rome_1931", 'dbPassword: "Plum.Harvest82"', "vault-password: velvet-otter-maple-31"):
        assert "[redacted:password]" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "| token | string | the API token |",
        "| password | string1 | required |",
        "echo $SECRET | sha256sum | cut -c1-8",
        "key:\n  a-name-of-a-thing\n",
        "set -e token a1b2c3d4",
        '"arn:aws:secretsmanager:us-east-1:123456789012:secret:shop-Ab12cD"',
        "var e=t.password,n=t.token;return e&&n?r(e,n):null}",
        "a{color:#06c}.pw{width:100%;background:#f7f7f9}",
        'check_password("user1234")',
        "password: settings.form.password1Field",
        "the access token was refreshed 2027-06-01T10:22:33Z",
        "the secret key provided is invalid for build v1.24.0-rc.3",
        "token = (\n    first + second1\n)",
    ],
)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert redact(text) == text
