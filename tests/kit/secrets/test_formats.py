"""The token formats: each is found bare and in everything that carries one."""

import random

import pytest
from hypothesis import example, given, settings, strategies as st

from skillopt_sleep.kit.redact import clip, redact, secrets
from tests.kit.secret_samples import ASSIGNED, BARE, NAMED, SHAPES, a_sample, carried, percent_encoded, samples

B64 = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
ALNUM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4"

# Built by concatenation, so that no scanner takes this file for a leak.
TOKENS = {
    "openai project key": "sk-" + "proj-" + ALNUM,
    "openai legacy key": "sk-" + ALNUM,
    "openai service key": "sk-" + "svcacct-" + ALNUM,
    "anthropic key": "sk-" + "ant-api03-" + ALNUM + "-" + B64 + "AA",
    "stripe secret key": "sk" + "_live_" + ALNUM[:24],
    "stripe restricted key": "rk" + "_live_" + ALNUM[:24],
    "stripe publishable key": "pk" + "_live_" + ALNUM[:24],
    "stripe test key": "sk" + "_test_" + ALNUM[:24],
    "github classic token": "gh" + "p_" + "A1b2" * 9,
    "github oauth token": "gh" + "o_" + ALNUM[:36],
    "github user token": "gh" + "u_" + ALNUM[:36],
    "github server token": "gh" + "s_" + ALNUM[:36],
    "github refresh token": "gh" + "r_" + ALNUM[:36],
    "github fine-grained token": "github" + "_pat_" + ALNUM[:22] + "_" + ALNUM,
    "gitlab token": "gl" + "pat-" + "x1Y2z3A4b5C6d7E8f9G0",
    "gitlab runner token": "gl" + "rt-" + "x1Y2z3A4b5C6d7E8f9G0",
    "hugging face token": "hf" + "_" + ALNUM[:34],
    "npm token": "npm" + "_" + ALNUM[:36],
    "pypi token": "pypi" + "-AgEIcHlwaS5vcmc" + ALNUM + ALNUM,
    "google api key": "AI" + "zaSy" + ALNUM[:33],
    "google oauth token": "ya29" + ".a0" + ALNUM,
    "google client secret": "GOC" + "SPX-" + ALNUM[:28],
    "slack bot token": "xo" + "xb-123456789012-1234567890123-" + ALNUM[:24],
    "slack user token": "xo" + "xp-123456789012-123456789012-123456789012-" + HEX,
    "slack app token": "xa" + "pp-1-A0123456789-1234567890123-" + HEX,
    "sendgrid key": "SG" + "." + ALNUM[:22] + "." + ALNUM[:43],
    "aws access key": "AK" + "IAQ3EGRLZY7H2X5PMN",
    "aws session key": "AS" + "IAQ3EGRLZY7H2X5PMN",
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + ALNUM[:43],
    "unsigned jwt": "ey" + "JhbGciOiJub25lIn0" + ".ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.",
    "digitalocean token": "do" + "p_v1_" + HEX * 2,
    "shopify token": "shp" + "at_" + HEX,
    "linear key": "lin" + "_api_" + ALNUM[:40],
    "docker token": "dckr" + "_pat_" + ALNUM[:27],
    "vault token": "hv" + "s." + ALNUM + ALNUM,
    "telegram token": "1234567890" + ":AA" + ALNUM[:33],
    "discord token": "M" + ALNUM[:25] + "." + ALNUM[:6] + "." + ALNUM[:38],
    "twilio key": "S" + "K" + HEX,
    "square token": "sq0" + "csp-" + ALNUM[:43],
    "mailchimp key": HEX + "-us" + "12",
    "artifactory key": "AK" + "Cp" + ALNUM + ALNUM[:21],
    "databricks token": "da" + "pi" + HEX,
    "notion token": "nt" + "n_" + "12345678901" + ALNUM[:35],
    "groq key": "gs" + "k_" + ALNUM,
    "age key": "AGE-SECRET-" + "KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE",
    "azure client secret": "abc" + "8Q~" + ALNUM[:34],
    "doppler token": "dp" + ".pt." + ALNUM[:43],
    "sentry token": "sntryu" + "_" + HEX * 2,
    "postman key": "PM" + "AK-" + HEX[:24] + "-" + HEX + HEX[:2],
    "airtable token": "pat" + ALNUM[:14] + "." + HEX * 2,
    "terraform token": ALNUM[:14] + ".atlasv1." + ALNUM + ALNUM[:20],
    "hubspot token": "pat" + "-na1-" + "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
}

CARRIERS = {
    "bare": "{}",
    "in prose": "my token is {} and it works",
    "at the end of a sentence": "I used {}.",
    "as a JSON string": '{{"a": "{}"}}',
    "as a JSON string in a JSON string": '{{"a": "{{\\"b\\": \\"{}\\"}}"}}',
    "exported": "export X={}",
    "in a URL's query": "https://host.example/p?x={}&y=1",
    "percent-encoded": "https://host.example/p?q=x%3D{}",
    "in back-ticks": "`{}`",
    "in single quotes": "x = '{}'",
    "in a call": "client(key={})",
    "in a header": "Authorization: Bearer {}",
    "after an escaped line end": '"first\\n{}\\nlast"',
    "in YAML": "x:\n  - {}\n",
    "in XML": "<x>{}</x>",
    "in parentheses": "({})",
    "after a word and a dash": "key - {}",
    "twice": "{0} {0}",
}


@pytest.mark.parametrize("kind", TOKENS)
def test_a_vendor_token_is_found_wherever_it_stands(kind: str) -> None:
    token = TOKENS[kind]
    for carrier, form in CARRIERS.items():
        text = form.format(token)
        clean = redact(text)
        assert token not in clean, carrier
        assert token[8:20] not in clean, carrier
        assert "[redacted:" in clean, carrier
        assert redact(clean) == clean, carrier
        assert secrets(text) != (), carrier


def test_a_token_followed_by_more_letters_goes_whole() -> None:
    assert redact(TOKENS["aws access key"] + "0123") == "[redacted:aws-key]"
    assert redact(TOKENS["github classic token"] * 2) == "[redacted:github-token]"


def test_a_word_that_only_contains_a_prefix_stays() -> None:
    for word in ("xghp_" + ALNUM[:36], "risk-" + ALNUM[:30], "MAKIA" + ALNUM[:20].upper()):
        assert redact(word) == word


# Every format, in every carrier --------------------------------------------------------------------------

EVERY = [(kind, shape) for kind, shapes in SHAPES.items() for shape in shapes]


def test_the_formats_are_of_many_vendors() -> None:
    assert len(SHAPES) >= 120
    assert len(ASSIGNED) >= 26


@pytest.mark.parametrize("kind", SHAPES)
def test_a_format_is_found_without_a_name(kind: str) -> None:
    for sample in samples(kind, random.Random(kind)):
        for carrier in BARE:
            clean = redact(carried(sample, carrier)[0])
            assert not sample.leaks_into(clean)
            assert redact(clean) == clean


@pytest.mark.parametrize("carrier", ASSIGNED)
def test_hardly_a_secret_is_missed_in_an_assignment(carrier: str) -> None:
    chance = random.Random(carrier)
    every = [sample for kind in (*SHAPES, *NAMED) for sample in samples(kind, chance, 1)]
    in_carrier = [carried(sample, carrier) for sample in every]
    # A token may by chance be of letters only, and look like words.
    assert sum(shown.leaks_into(redact(text)) for text, shown in in_carrier) <= len(every) // 100


# Broken, encoded and cut ---------------------------------------------------------------------------------

LINE = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4fAb3dEf6hIj9lMn2pQr5tUv8xYz1BcD4f"
BROKEN = {
    "a name and a value in a URL's query in a URL": ("https://h/?next=https%3A%2F%2Fi%2F%3Ftoken%3Dabc123def456%26x%3D1", "abc123def456"),
    "a URL in a URL": ("https://h/?u=postgres%3A%2F%2Fadmin%3As3cr3tpw%40db%3A5432%2Fx", "s3cr3tpw"),
    "a value with percent signs": ("grant_type=password&client_secret=abc123%2Bdef456%3D&x=1", "abc123%2Bdef456"),
    "JSON with escaped characters": ('{"q": "token\\u003dabc123def456\\u0026x=1"}', "abc123def456"),
    "JSON with escaped slashes": ('{"a": "1\\/\\/0' + ALNUM + '"}', ALNUM),
    "JSON in JSON in JSON": ('{"a": "{\\\\\\"password\\\\\\": \\\\\\"hunter2\\\\\\"}"}', "hunter2"),
    "a password on two lines": ("mysql --password hunt\\\ner2abc9 -e 1", "er2abc9"),
    "a block of base64": (f"signing_secret: |\n  {LINE}\n  {LINE}\n  Zz9A==\nport: 80", LINE[20:40]),
    "a string of base64 lines": (f'SECRET_KEY="{LINE}\n{LINE}\n{LINE}"', LINE[20:40]),
    "a private key in base64": ("tls.key: LS0tLS1CRUdJTiBSU0EgUFJJ" + "VkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB", "VkFURSBLRVktLS0"),
    "basic credentials without padding": ("Authorization: Basic dXNlcjpwYXNzMTI", "dXNlcjpwYXNzMTI"),
    "basic credentials in a URL": ("authorization%3A%20Basic%20dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    "curly quotes": ("the api_token = “abc123def456ghi” works", "abc123def456ghi"),
    "wide signs": ("password：hunter2 and token＝abc123def456", "hunter2"),
    "a space that does not break": ("password:\u00a0hunter2", "hunter2"),
    "a Rust constant": ("const API_TOKEN: &'static str = \"abc123def456\";", "abc123def456"),
    "netrc on one line": ("machine h.example login me password abc123def456", "abc123def456"),
}  # fmt: skip


@pytest.mark.parametrize("form", BROKEN)
def test_a_secret_is_found_though_it_is_broken_or_encoded(form: str) -> None:
    text, secret = BROKEN[form]
    clean = redact(text)
    assert secret not in clean
    assert redact(clean) == clean


def test_what_follows_a_wrapped_secret_stays() -> None:
    clean = redact(BROKEN["a block of base64"][0])
    assert clean == "signing_secret: |\n  [redacted:secret]\nport: 80"
    assert redact("export TOKEN=abc123def456 \\\n  PORT=80") == "export TOKEN=[redacted:secret] \\\n  PORT=80"


@pytest.mark.parametrize("kind", SHAPES)
def test_a_format_is_found_in_a_url_on_two_lines_and_in_escaped_json(kind: str) -> None:
    for sample in samples(kind, random.Random(kind)):
        half = len(sample.text) // 2
        for text in (
            f"https://h.example/cb?next={percent_encoded(sample.text)}&x=1",
            f"curl 'https://h.example/?x={sample.text[:half]}\\\n{sample.text[half:]}'",
            '{"a": "' + sample.text.replace("/", "\\/") + '"}',
            f"“{sample.text}”, о{sample.text}а, «{sample.text}»\u200b",
        ):
            assert not sample.leaks_into(redact(text))


def test_a_token_of_letters_only_is_found_behind_its_prefix() -> None:
    token = "aio_ajNmEmOnPOWuwnGQvpMZLDSozvBY"
    assert redact(f"X_TOKEN='{token}' and more") == "X_TOKEN='[redacted:secret]' and more"
    words = "token = get_my_very_long_function_name_here, secret = my.module.CredentialProviderFactory"
    assert redact(words) == words


@settings(deadline=None)
@example(("adafruit", "aio_{a28}"), 2_487_067_855, "", 23)
@given(st.sampled_from(EVERY), st.integers(0, 2**32), st.text("ab c\n.,:='\"(", max_size=40), st.integers(0, 300))
def test_a_cut_anywhere_leaves_no_part_to_see(which: tuple[str, str], seed: int, before: str, limit: int) -> None:
    sample = a_sample(*which, random.Random(seed))
    text = f"{before} X_TOKEN='{sample.text}' and more"
    assert not sample.leaks_into(clip(text, min(limit, len(text))))


NEAR = (
    "jsonschema/_keywords.py,sha256=r8_DrqAfn6QLwQnmXEggveiSU-UaIL2p2nuPINelfFc,14949",
    "napi_create_reference_with_finalizer_2 and live_test_of_the_long_function_name_2_times",
    "tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUVwQUlCQUFLQ0FRRUE3WjNK",
    "the login is slow, the password field too; ENV tokens are read",
    "https://h.example/a%20b?q=c%3Dd%26e&path=%2Fhome%2Fdev%2Fproject",
    "sed 's/\\/home\\/dev/x/' \\\n  src/token.py > out",
    "fc-scan pa-thfinder rnd_seed sk_learn_estimator_with_a_long_name_and_2_numbers",
    "data:image/png;base64,iVBORw0KGgoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkGs/EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
)


@pytest.mark.parametrize("line", NEAR)
def test_what_only_looks_like_a_format_stays(line: str) -> None:
    assert redact(line) == line
