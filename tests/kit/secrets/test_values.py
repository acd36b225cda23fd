"""What a value looks like that is a secret."""

import pytest

from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.secrets.shapes import count_turns, is_path
from skillopt_sleep.kit.secrets.values import (
    is_harmless,
    is_nearby_password,
    is_password_shape,
    is_scrambled,
    is_told_password,
    with_plain_letters,
)

WORDS_JOINED = (
    "Lampe" + "+Gurke",
    "Zitrone" + "@Regen",
    "Hafen" + "_Lampe31",
    "Gurke" + ".Hafen27",
    "Regen" + "-4417",
)
NUMBERED = ("teapot" + "48213", "gurke" + "7731")
JUMBLED = ("wR7(kTzp", "b[Kd!x.73q5", "Qm4}zP9*w/Ty", "3fT9.kWqZx", "h2K/Vt8mRq", "Zx8Kq" + "T2v[pR")
GROUPS = ("h4kp-2mzt-w9rc", "zk3f-9qpl-xx2t")
LIKE_CODE = (
    *("Ctrl+Alt", "Your_Password12", "get_password(user1)", "foo.bar2", "config.Value1", "src/app/models", "Type_1"),
    *(
        "release2024",
        "field_name",
        "https://x.example/A1b",
        "user[0].Name",
        "HTTPServer2",
        "getFooBar(x1",
        "real-time-data",
    ),
    *(
        "1Password",
        "Version-12",
        "postgres14",
        "x.y[0]=z[1]",
        "sha256sum",
        "${Db1Pass}",
        "%(Db1Pass)s",
        "sha256=28UiDEvQ9x",
        "/home/User1/aB3x9Qz",
        "Base64Encode(x1",
        "mail/ToPhoneNo1/ToPhoneNoN",
    ),
)


@pytest.mark.parametrize("value", ["hunter2", "x9Qz!mmK2p", "123456", "kXq!mZp", "Sommer2024", "tr0ub4dor&3"])
def test_what_is_told_as_a_password_may_be_one(value: str) -> None:
    assert is_told_password(value)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "SHA-256",
            "base64-encoded",
            "2024-01-15",
            "8-20",
            "JIRA-1234",
            "user1@example.com",
            "https://h.example/a1",
        ),
        *(
            "config/app2.yml",
            "required|min:8",
            "${DB_PASS1}",
            "<pass1>",
            "********",
            "erforderlich",
            "a1",
            "至少8个字符",
        ),
    ],
)
def test_what_is_something_else_is_no_password(value: str) -> None:
    assert not is_told_password(value)


def test_what_only_stands_near_a_label_has_to_look_more_like_a_password() -> None:
    assert is_nearby_password("x9Qz" + "!mmK2p")
    assert not is_nearby_password("hunter2")
    assert not is_nearby_password("user1.name2")


def test_letters_written_out_in_ascii_are_letters() -> None:
    assert with_plain_letters("Contrase\\u00f1a") == "Contraseea"
    assert with_plain_letters("a&ntilde;o") == "aeo"
    assert with_plain_letters("plain1") == "plain1"


def test_a_capital_that_begins_a_word_is_not_a_turn() -> None:
    assert count_turns("Word") == 0
    assert count_turns("word1") == 1
    assert count_turns("aB3") == 2


def test_a_path_and_the_rest_of_a_token_are_told_apart_from_words() -> None:
    assert is_path("/etc/ssl/private/server.key")
    assert is_scrambled("x7K2p9Qa")
    assert not is_scrambled("implementation")
    assert is_harmless("v1.2.3")


@pytest.mark.parametrize(
    "text",
    [
        *("the password is §, keep it", "Passwort: §", "mein Kennwort lautet §", "la contraseña es «§»"),
        *(
            "пароль такой: § и всё",
            "パスワードは「§」です",
            "비밀번호를 §로 바꿨어요",
            "密码改成了 §",
            "пасс: §",
            "パスは § です",
        ),
        *("use the passphrase '§' there", "la parola d'ordine: §", "log in with olga / § now", "entre com olga / §"),
        *("yeni § şifresini kullan", "olga hesabı ve § parolasıyla bağlan", "غيرت كلمة السر إلى §"),
    ],
)
def test_it_is_hidden_where_it_is_said_to_be_a_password(text: str) -> None:
    for value in (*WORDS_JOINED, *NUMBERED, *JUMBLED, *GROUPS):
        clean = redact(text.replace("§", value))
        assert value not in clean
        assert clean == text.replace("§", "[redacted:password]")
        assert redact(clean) == clean


@pytest.mark.parametrize("value", [*WORDS_JOINED, *NUMBERED])
def test_it_is_hidden_right_behind_a_label(value: str) -> None:
    assert redact(f"логин olga, пароль {value}") == "логин olga, пароль [redacted:password]"
    assert redact(f"user olga, pass {value}") == "user olga, pass [redacted:password]"


@pytest.mark.parametrize("value", [*WORDS_JOINED, *NUMBERED, *JUMBLED, *GROUPS])
def test_it_stays_where_nobody_tells_of_a_password(value: str) -> None:
    for text in (f"the build of {value} failed", f"see {value} / {value} in the list", f"cp a/{value} b"):
        assert redact(text) == text


@pytest.mark.parametrize("value", LIKE_CODE)
def test_names_keys_and_code_are_no_passwords(value: str) -> None:
    assert not is_password_shape(value, announced=True)


@pytest.mark.parametrize(
    "text", ["log in with olga/§ please", "melde dich mit olga/§ an", "connecte-toi avec olga/§"]
)
def test_a_name_and_a_password_may_stand_together(text: str) -> None:
    for value in ("Lampe" + "#Gurke", "teapot" + "48213", "x9Qz" + "!mmK2p"):
        assert redact(text.replace("§", value)) == text.replace("§", "[redacted:password]")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "log in with google/oauth2 please",
            "connect with node/v20.11.0 today",
            "login with src/app/models/user2.py",
        ),
        *(
            "use the password from 1Password",
            "var a=t.password,b=t.name;return a&&b?r(a,b):0",
            "espass\tapplication/x+espass",
        ),
        *(
            "a{color:#06c}.pw{width:90%;color:#f7f7f9}",
            "пассажир teapot48213",
            "x1://me:pass@ToPhoneNo/ToNo12/",
            "fs-minipass/dist/index.js,sha256=aB3x9Qz_K2vT7,12",
            "WiFi6 şifresini kullan",
        ),
    ],
)
def test_what_looks_alike_stays(text: str) -> None:
    assert redact(text) == text
