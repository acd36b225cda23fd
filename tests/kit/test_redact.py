"""Recall, precision, idempotence and speed of `redact` and `clip`."""

import re

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.kit.redact import clip, clip_marked, redact, secrets
from tests.growth import LINEAR_WITH_NOISE, TIMES, growth, seconds
from tests.kit.secrets.test_formats import ALNUM, HEX, TOKENS
from tests.sweeps import thinned

PEM = "-----BEGIN RSA " + "PRIVATE KEY-----"
PEM_END = "-----END RSA " + "PRIVATE KEY-----"
BODY = "MIIEpAIBAAKCAQEA7Z3J\nq8Xy1f0e9d8c7b6a5\n"

# What is assigned, said or carried: the text, and what of it must go.
SPOKEN = {
    "an environment file": ("PASSWORD=hunter2\nX=1", "hunter2"),
    "an environment file with a word": ("DB_PASS=letmein", "letmein"),
    "an environment file with signs": ("DB_PASSWORD=a&b(c)|d;e", "a&b(c)|d;e"),
    "a YAML key": ("password: hunter2", "hunter2"),
    "a YAML key with a block": ("api_token: |\n  abc123def456", "abc123def456"),
    "a Python string": ('password = "hunter2"', "hunter2"),
    "a Python string with a type": ("password: str = 'hunter2'", "hunter2"),
    "a Python default": ('def f(api_key: str = "abcd1234efgh5678"):', "abcd1234efgh5678"),
    "a Go declaration": ('var fooToken string = "abc123def456"', "abc123def456"),
    "a Go short declaration": ("fooToken := `abc123def456`", "abc123def456"),
    "a Ruby hash": ('"apiToken" => "abc123def456"', "abc123def456"),
    "a Java property": ('System.setProperty("FOO_TOKEN", "abc123def456")', "abc123def456"),
    "JSON": ('{"password": "hunter2!"}', "hunter2!"),
    "JSON with an escaped quote": ('{"password": "hun\\"ter2"}', 'hun\\"ter2'),
    "JSON in JSON": ('{\\"password\\": \\"hunter2\\"}', "hunter2"),
    "JSON name and value": ('{"name": "api_token", "value": "abc123def456"}', "abc123def456"),
    "an XML element": ("<apiToken>abc123def456</apiToken>", "abc123def456"),
    "an XML attribute": ('<entry name="apiToken" value="abc123def456"/>', "abc123def456"),
    "a subscript": ('config["password"] = "hunter2"', "hunter2"),
    "an api key": ('api_key: "abcd1234efgh5678"', "abcd1234efgh5678"),
    "a secret": ("secret = 'q7w8e9r0t1'", "q7w8e9r0t1"),
    "a client secret": ("clientSecret: 'q7w8e9r0t1y2'", "q7w8e9r0t1y2"),
    "a token in a query": ("https://h.example/?token=abc123def456&x=1", "abc123def456"),
    "an aws secret": ("aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz", "wJalrXUtn"),
    "an azure connection": ("DefaultEndpointsProtocol=https;AccountKey=" + "Ab1+" * 21 + "Ab==", "Ab1+Ab1+"),
    "an azure signature": ("SharedAccessSignature=sv=2021&sig=" + "aB3%2Bd" * 6 + "%3D", "aB3%2BdaB3"),
    "a connection string": ("Server=x;User Id=sa;Pwd=Str0ng!Pass;", "Str0ng!Pass"),
    "npm's auth": ("//registry.example/:_authToken=" + HEX, HEX),
    "a flag": ("mysql --password hunter2 -e 1", "hunter2"),
    "curl's user": ("curl -u admin:hunter2 https://h.example", "hunter2"),
    "words": ("the password is hunter2", "hunter2"),
    "a bearer header": ("Authorization: Bearer abcdef1234567890", "abcdef1234567890"),
    "a bearer token alone": ("use Bearer abcdef1234567890 for it", "abcdef1234567890"),
    "a basic header": ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    "a basic header in JSON": ('{"Authorization": "Basic dXNlcjpwYXNz"}', "dXNlcjpwYXNz"),
    "another header": ("curl -H 'X-Api-Key: abc123def456ghi'", "abc123def456ghi"),
    "a database URL": ("postgres://admin:s3cr3t@db:5432/x", "s3cr3t"),
    "a database URL with a word": ("postgresql://admin:swordfish@db/x", "swordfish"),
    "a URL without a user": ("redis://:s3cr3t@cache:6379/0", "s3cr3t"),
    "a URL with an at sign in it": ("amqp://u:p@ss@mq/v", "p@ss"),
    "a slack webhook": ("https://hooks.slack.com/services/T00000000/B00000000/" + ALNUM[:24], ALNUM[:24]),
    "a discord webhook": ("https://discord.com/api/webhooks/123456789/" + ALNUM, ALNUM[:24]),
    "a key block": (f"{PEM}\n{BODY}{PEM_END}\nafter", "MIIEpAIBAAKCAQEA7Z3J"),
    "a key block without an end": (f"before {PEM}\n{BODY}", "q8Xy1f0e9d8c7b6a5"),
    "a key block with literal line ends": (f'"{PEM}\\nMIIEpAIBAAKC\\nabcd\\n{PEM_END}\\n"', "MIIEpAIBAAKC"),
    "a key block in a diff": (f"+{PEM}\n+MIIEpAIBAAKC\n+{PEM_END}", "MIIEpAIBAAKC"),
    "a pgp key": (
        "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQOYBF" + ALNUM + "\n=ab",
        ALNUM,
    ),
    "a putty key": ("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\nAAAAgQ" + ALNUM + "\n", ALNUM),
}


@pytest.mark.parametrize("form", SPOKEN)
def test_a_named_secret_is_found_in_the_form(form: str) -> None:
    text, secret = SPOKEN[form]
    clean = redact(text)
    assert secret not in clean
    assert "[redacted:" in clean
    assert redact(clean) == clean
    assert secrets(text) != ()


BENIGN = (
    "please run the migration tests before you commit",
    "the password field is required",
    "the password is required, the token is optional",
    "token budget = 4000",
    "max_tokens=4096, tokens: 1200, token_count = 17",
    "def get_token(self) -> str:",
    'password = os.environ["DB_PASSWORD"]',
    'password = os.getenv("DB_PASSWORD", default)',
    "token = get_token()",
    "token = tokens[0]",
    "password = getpass.getpass()",
    "password=password, token=token,",
    "self.password = user.password1",
    "api_key=settings.api_key",
    "password: str | None = None",
    "token: Token",
    "secret: Optional[SecretStr] = Field(...)",
    "password=None; secret = null; token: undefined",
    '"password": "required"',
    '"password": "string", "token": "string"',
    'password = "<your password>"',
    "token: <token>",
    "export API_KEY=$API_KEY",
    "TOKEN=${GITHUB_TOKEN:-}",
    "password: {{ vault_password }}",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "API_KEY=xxxxxxxxxxxxxxxx",
    "API_KEY=your-api-key-here",
    "PASSWORD=changeme",
    'password = f"{user}:{suffix}"',
    "postgres://user:${DB_PASSWORD}@host/db",
    "postgres://user:<password>@host/db",
    "http://localhost:8080/path@v2?x=a@b.example",
    "git@github.com:owner/repo.git",
    "https://github.com/owner/repo/blob/main/src/index.ts#L10",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "index 83baae6..98f4a1b 100644",
    "cache_key = 'd41d8cd98f00b204e9800998ecf8427e'",
    "primary_key=True, foreign_key='users.id'",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "src/components/very-long-component-name-that-goes-on/index.test.tsx",
    "/home/dev/projects/service/tests/integration/test_authentication_tokens_are_refreshed.py",
    "data/images/logo-2024-final-v2@2x.png",
    "npm install @types/node@20.11.5 eslint-plugin-react-hooks@4.6.0",
    "pip install scikit-learn==1.4.0 # was sk-learn",
    "use a kebab-case-name-like-this-one-that-is-rather-long-and-has-2-numbers-in-it",
    "the sk-spinner class, the npm_config_registry variable and hf_transfer",
    "test_a_prompt_typed_while_the_agent_works_is_a_turn PASSED",
    "AuthenticationTokenProviderFactoryBean token = new TokenFactory()",
    "bypass=1 compass: north2 passes: 12",
    "pass: 124 fail: 3",
    "if token == expected_token2:",
    "secretName: my-app-secret-v2",
    "secret: projects/my-project-1/secrets/db/versions/3",
    "<input type='password' name='password1' />",
    "key: value, keyboard: 'qwerty', monkey: 5",
    "Bearer authentication and Basic authentication are supported",
    "Authorization: Bearer <token>",
    "headers = {'Authorization': f'Bearer {token}'}",
    "curl -u $USER:$PASS https://h.example; docker run -u 1000:1000 img",
    "the key begins with `-----BEGIN " + "PRIVATE KEY-----` and ends with `-----END " + "PRIVATE KEY-----`",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ1c3QgYSBwdWJsaWMga2V5IGhlcmUhISEhISEh dev@host",
    "at 2024-11-15T10:22:33.123456Z took 00:00:12.345678",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-... and ghp_... and AKIA...",
    "[redacted:password] and [redacted:github-token]",
    "日本語のパスワード: 必須です 🙂",
)


@pytest.mark.parametrize("line", BENIGN)
def test_a_developers_line_stays_as_it_is(line: str) -> None:
    assert redact(line) == line
    assert secrets(line) == ()


def test_only_the_secret_goes() -> None:
    assert redact("postgres://admin:s3cr3t@db:5432/x") == "postgres://admin:[redacted:url-password]@db:5432/x"
    assert redact('{"password": "hunter2", "x": 1}') == '{"password": "[redacted:password]", "x": 1}'
    token = TOKENS["github classic token"]
    assert redact(f"GITHUB_TOKEN={token} make") == "GITHUB_TOKEN=[redacted:github-token] make"
    assert redact(f"a\n{PEM}\n{BODY}{PEM_END}\nb") == "a\n[redacted:private-key]\nb"


def test_each_kind_is_named_once() -> None:
    token = TOKENS["github classic token"]
    assert secrets(f"{token} {token} password = 'hunter2'") == ("github-token", "password")
    assert secrets("nothing here") == ()


def test_a_secret_that_another_one_hid_is_found_too() -> None:
    text = f"Authorization: Bearer dXNlcjpwYXNz{PEM}\n{BODY}"
    assert redact(text) == "Authorization: Bearer [redacted:authorization][redacted:private-key]"


PIECES = st.sampled_from(
    [
        *(
            TOKENS[name]
            for name in ("github classic token", "jwt", "anthropic key", "aws access key", "telegram token")
        ),
        *("password", "token", "api_key", "DB_PASS", "Bearer ", "Authorization: ", "Basic ", "--password ", "is "),
        *("=", ": ", '"', "'", "`", " ", "\n", "\\n", '\\"', ",", ">", "(", "]", "-", "_", ".", "@", "/", "?", "%3D"),
        *("hunter2", "a1b2c3d4e5", "dXNlcjpwYXNz", "://", "user", "@host", PEM, PEM_END, "MIIEabcdABCDabcd1234"),
        *("[redacted:", "[redacted:password]", "${X}", "value", "curl -u ", "é", "\ud800", "Private-Lines: 3\n"),
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=16).map("".join))
def test_doing_it_twice_is_doing_it_once(text: str) -> None:
    clean = redact(text)
    assert redact(clean) == clean


@settings(deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_redacted_without_an_error(text: str) -> None:
    clean = redact(text)
    assert redact(clean) == clean


@settings(deadline=None)
@given(
    st.text(alphabet="abc XYZ\n.,;:=\"'()/é", max_size=60),
    st.sampled_from(sorted(TOKENS)),
    st.sampled_from([" ", "\n", '"', "'", "`", "=", ": ", "("]),
    st.text(alphabet="abc XYZ\n.,;\"'()é", max_size=60),
)
def test_no_token_outlives_what_stands_around_it(before: str, kind: str, gap: str, after: str) -> None:
    token = TOKENS[kind]
    assert token[8:20] not in redact(f"{before}{gap}{token} {after}")


# clip ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_cut_by_the_limit_is_not_shown_in_part(kind: str) -> None:
    token = TOKENS[kind]
    text = f"word {token} word " * 3
    for limit in range(1, 60):
        cut = clip(text, limit)
        assert len(cut) <= limit
        assert token[:8] not in cut


@pytest.mark.parametrize("form", ["a key block", "a key block without an end", "a Python string", "a database URL"])
def test_a_named_secret_cut_by_the_limit_is_not_shown_in_part(form: str) -> None:
    text, secret = SPOKEN[form]
    for limit in range(1, len(text) + 3):
        assert secret[:5] not in clip(text, limit)


def test_a_short_text_is_clipped_to_itself() -> None:
    assert clip("short", 5) == "short"
    assert clip("short", 99) == "short"
    assert clip("", 0) == ""


def test_a_long_text_ends_in_an_ellipsis() -> None:
    assert clip("abcdef", 5) == "abcd…"
    assert clip("abcdef", 1) == "…"
    assert clip("abcdef", 0) == ""


def test_a_label_longer_than_its_secret_still_fits_the_limit() -> None:
    text = 'password = "hunter2"'
    assert len(clip(text, len(text))) == len(text)
    assert clip(text, 99) == 'password = "[redacted:password]"'


def test_a_huge_key_before_the_limit_does_not_draw_in_what_lies_behind_it() -> None:
    token = TOKENS["github classic token"]
    text = f"{PEM}\n{ALNUM * 180}\n{PEM_END}\n" + f"word {token} " * 400
    for limit in (40, 200, *range(1_900, 1_960, 3)):
        cut = clip(text, limit)
        assert cut.startswith("[redacted:private-key]")
        assert token[:8] not in cut


# speed --------------------------------------------------------------------------------------------------

HOSTILE = (
    *("a-", "a_", "QUJD", "a1", "gh" + "p_", "ey" + "J", "ey" + "J-", "ey" + "Jabcdefgh.", "sk-", "sk-ant-", "SG."),
    *("glpat-", "AC" + "a" * 31 + "-", "M" + "a" * 24 + ".", "a" * 18 + " ", "a" * 18 + ".", "1234567890:", "aaa1Q~"),
    *("://", "://a:", "://a:b@", PEM, f"{PEM} {PEM_END}", "password=", 'password="', "password='password=\""),
    *('password=\\"', "password=\\", "password ", "token: ", "token: a ", 'token="""', "--token ", "key", "key_"),
    *("authorization ", "bearer ", "curl -u a", "password=${", "password='{", "token=a-1-", "%3D", "\\", '"', "\n"),
)


@pytest.mark.parametrize("piece", thinned(HOSTILE, every=3), ids=range(len(HOSTILE)))
@pytest.mark.slow
def test_a_hostile_chain_takes_linear_time(piece: str) -> None:
    assert growth(_redact_in_frames, piece, length=16_384) < LINEAR_WITH_NOISE


def _redact_in_frames(chain: str) -> None:
    for text in (chain, "token=" + chain, 'password = "' + chain, "{" + chain + "}"):
        redact(text)


def test_ordinary_text_takes_little_longer_than_splitting_it_into_words() -> None:
    # Measured: a third as long. Ten times that would be felt at every harvest.
    text = ("When something fails, read the log first: it names the file, the line and the cause of it. " * 6)[:500]
    redacting = seconds(lambda: [redact(text) for _ in range(1_000)])
    splitting = seconds(lambda: [re.findall(r"\w+", text) for _ in range(1_000)])
    assert redacting < 5 * splitting


def test_a_clip_of_a_huge_text_reads_only_its_beginning() -> None:
    assert growth(lambda text: clip(text, 100), "token: abc123def456 ", length=1_000_000) < TIMES / 2


@pytest.mark.parametrize("limit", [0, 5, 40, 100])
def test_marks_move_with_the_text_and_never_point_into_a_label(limit: int) -> None:
    secret = "ghp_" + ALNUM[:36]
    text = f"one {secret} two"
    marks = (0, 4, 6, 4 + len(secret), len(text))
    clean, moved = clip_marked(text, limit, marks)
    assert clean == clip(text, limit)
    behind = clean.find("]") + 1 or len(clean)
    assert moved == (0, min(4, len(clean)), min(behind, len(clean)), min(behind, len(clean)), len(clean))
