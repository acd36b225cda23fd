"""Passwords that are told without their label first, names that hold a secret, and what only looks like them."""

import random
import string

import pytest

from skillopt_sleep.kit.redact import redact

_CHANCE = random.Random(91_744)


def _of(alphabet: str, length: int) -> str:
    return "".join(_CHANCE.choices(alphabet, k=length - 2)) + "7q"


HEX = _of("0123456789abcdef", 40)[:-1] + "c"
MIXED = _of(string.ascii_letters + string.digits, 40)
PASSWORD = "x9Qz" + "!mmK2p"
SEED = "ripple kite ocean velvet garden stone maple cousin brave lemon island quick"

USED_AS = {
    "English": ("use § as the password", "use § as admin password, please", "the access code is §", "log in with §"),
    "German": ("nimm § als Passwort", "verwende § als das Passwort", "der Zugangscode ist §", "melde dich mit § an"),
    "French": ("utilise § comme mot de passe", "connecte-toi avec §", "le code d'accès est §"),
    "Spanish": ("usa § como contraseña", "usa § como clave", "el código de acceso es §"),
    "Portuguese": ("usa § como senha", "use § como a senha", "o código de acesso é §"),
    "Italian": ("usa § come password", "il codice di accesso è §"),
    "Dutch": ("gebruik § als wachtwoord", "log in met §", "de toegangscode is §"),
    "Polish": ("użyj § jako hasła", "kod dostępu to §"),
    "Czech": ("použij § jako heslo", "přístupový kód je §"),
    "Swedish": ("använd § som lösenord", "logga in med §"),
    "Danish": ("brug § som adgangskode", "log ind med §"),
    "Russian": ("используй § как пароль", "используй § в качестве пароля", "код доступа: §"),
    "Ukrainian": ("використай § як пароль",),
    "Chinese": ("用 § 作为密码", "把§作为密码"),
    "Japanese": ("§をパスワードとして使って", "§ をパスワードにして"),
    "Korean": ("§를 비밀번호로 사용해", "§ 을 비밀번호로 써"),
    "Turkish": ("şifre olarak § kullan",),
    "Indonesian": ("gunakan § sebagai kata sandi",),
    "Vietnamese": ("dùng § làm mật khẩu",),
}


@pytest.mark.parametrize("language", USED_AS)
def test_what_is_to_be_used_as_the_password_is_hidden(language: str) -> None:
    for form in USED_AS[language]:
        for password in (PASSWORD, "k3y" + "Board!77x", "qT5" + "bN8vL2#"):
            clean = redact(form.replace("§", password))
            assert password[2:7] not in clean, form
            assert redact(clean) == clean, form


NAMES = (
    *("PAT", "GITHUB_PAT", "AZURE_DEVOPS_PAT", "ADMIN_CRED", "JWT", "SENTRY_DSN", "COOKIE", "SESSION_COOKIE"),
    *("CONNECTION_STRING", "RECOVERY_CODE", "OTP_SEED", "PASSWORD_SALT", "SALT", "githubPat", "recovery_code", "jwt"),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["{}={}", '{}: "{}"', 'export {}="{}"', '{{"{}": "{}"}}'])
def test_a_name_that_holds_a_secret_hides_its_value(name: str, form: str) -> None:
    for value in (HEX, MIXED):
        assert value[6:14] not in redact(form.format(name, value))


@pytest.mark.parametrize(
    "text",
    [
        f"git clone https://{HEX}@github.com/acme/shop.git",
        f"WEBHOOK_URL=https://ci.example.com/hooks/{MIXED}",
        f"SENTRY_DSN=https://{HEX[:32]}@o42.ingest.sentry.io/77",
        f"MNEMONIC={SEED}",
        f'SEED_PHRASE="{SEED}"',
        f"my seed phrase is {SEED}",
        f"seed phrase: {SEED}",
        f"connect.sid=s%3A{MIXED[:32]}.{MIXED}",
        f'gh secret set DEPLOY --body "{MIXED}"',
        f"echo {MIXED} | wrangler secret put DEPLOY",
        f"ENV['ACME_TOKEN'] ||= '{MIXED}'",
        "xox" + f"d-{MIXED}%2B{HEX}",
        f"https://hooks.zapier.com/hooks/catch/1234567/{MIXED[:7]}/",
    ],
)
def test_a_secret_in_another_form_is_hidden(text: str) -> None:
    clean = redact(text)
    assert not any(piece in clean for piece in (HEX[6:14], MIXED[8:16], MIXED[:7], "velvet garden"))
    assert redact(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "use snake_case as the naming style, and password fields as text",
        "use argon2id as the password hash",
        "Use sha256 as the password hash function.",
        "nimm bcrypt als Passwort-Hash",
        "log in with github",
        "log in with OAuth2 and the account page",
        "Sign in with GitHub (v2.1.0)",
        "log in met github",
        "pat the dog 3 times",
        "PATH=/usr/local/bin:/usr/bin",
        "pattern = r'[a-z0-9]{20}'",
        "cookie: session=1; SameSite=Lax",
        "const cookie = parseCookie(request.headers)",
        "jwt: RS256",
        "JWT_ALGORITHM=HS256",
        "salt: 2 tsp, pepper: 1 tsp",
        "SALT_ROUNDS=12",
        "WEBHOOK_URL=https://ci.example.com/hooks",
        "connection_string = build_connection_string(host, 5432)",
        "https://my-organisation-team@dev.azure.com/my-organisation-team/shop/_git/shop",
        "git clone ssh://git@github.com/acme/shop.git",
        "https://deploy-bot-number-two@bitbucket.org/acme/shop.git",
        "the seed phrase is never written to disk, so that nobody who reads a log file can take it",
        "MNEMONIC: the words that a wallet shows",
        "gh secret set DEPLOY --body-file secret.txt",
        "echo done | wrangler deploy",
        "see mail@example.com and https://example.com/@someone1234567890abcdef",
    ],
)
def test_what_only_looks_like_one_of_these_stays(text: str) -> None:
    assert redact(text) == text
