"""What secrets are called: in code (`db_password`, `apiKey`), and in sentences of thirty languages.

Most texts have no such word, and the search runs over every text, so one automaton looks for all of them at once.
"""

import functools
import re
from collections.abc import Iterator

from ahocorasick_rs import BytesAhoCorasick, Implementation

# Labels in letters of ASCII, in lower case; an ending may follow: adgangskoden, parolasi. A point is any gap.
_ASCII_LABELS = """
    passwort kennwort kontrasena contrasena contrasenya clave senha palavra.passe
    wachtwoord haslo hasla haslem parola parole parool lozinka lozinku heslo hesla
    heslem jelszo jelszav passord adgangskode kodeord geslo kata.sandi kata.laluan
    mat.khau mot.de.passe parol parola.d'ordine codice.di.accesso access.code zugangscode toegangscode"""

_GAPS = " \t\n_-"  # between the words of a label

# Labels with a letter beyond ASCII.
_LABELS = """
    contraseña código.de.acesso código.de.acceso kennwörter passwörter schlüsselwort hasło hasła
    hasłem haśle haseł lösenord lösen jelszó salasõna parolă parolă şifre şifra šifra
    slaptažodis lykilorð mật.khẩu zugangsschlüssel пароль пароля паролем паролю пароли пароле
    пассворд гасло парола лозинка лозинку шифра код.доступа 密码 密碼 口令 密钥口令 パスワード ﾊﾟｽﾜｰﾄﾞ パスフレーズ
    暗証番号 合言葉 パスコード 비밀번호 패스워드 비번 암호 كلمة.المرور كلمة.مرور كلمة.السر كلمة.سر الرقم.السري باسورد
    رمز.عبور رمز.المرور گذرواژه پسورد پاس.ورڈ पासवर्ड कूटशब्द পাসওয়ার্ড கடவுச்சொல் κωδικός
    κωδικό κωδικού συνθηματικό סיסמה סיסמת סיסמא הסיסמה רหัสผ่าน รหัสผ่าน رمزعبور გასაღები
    პაროლი գաղտնաբառ code.d'accès kod.dostępu přístupový.kód"""

# Labels that other words begin with, so nothing may follow.
_WHOLE_LABELS = "пасс パス"

# Labels that mean other things too, so their value has to look more like a password than `word1` does.
_WEAK_LABELS = """
    clave parole parol sandi geslo losen lösen pw pass sifra šifra шифра şifra haseł κωδικός
    κωδικό κωδικού 암호 合言葉 schlüsselwort mdp creds credentials credential login parola sifre
    hasla hesla пасс パス"""

# Words that say that the next one is the password.
_COPULAS = """
    is was are were be being been becomes equals = now ist lautet war lauten sei heißt heisst
    wäre est était sera c'est es era será fue é è sarà era jest było będzie brzmi je byl bylo
    bude este este: va är var blir er on oli van volt lesz adalah ialah yaitu menjadi là thành
    luidt wordt werd это есть был будет є це був है था होगा हैं هي هو είναι ήταν היא הוא היה คือ
    เป็น είναι są are: tai yra ir ni"""
# Words that say so only right behind the label: `set the password to …`.
_TURNS = """
    to as auf zu à a en in al em para na op in til till på la pe ke thành sang olarak into إلى الى बदलकर як на"""
# Words that say so before the label: `log in with the password …`.
_LEADS = """
    use using with by enter type try take give set mit nimm nutze verwende benutze benutz gib
    avec utilise utilisez utiliser con usa use usar utiliza introduce com met gebruik z użyj s
    se zadej с со используй введи з із використай 用 使用 med använd brug bruk käytä ile kullan
    dengan gunakan với dùng استخدم बदल इस्तेमाल cu folosește sa koristi με עם ใช้ usando mettez
    mets"""
# Words that say so between a value and the label: `use … as the password`.
_AS = "as als comme como come jako som как качестве як sebagai làm"
_JOINED_AS = "作为 作為 当作 當作 を 를 을"

# Labels with the ending that says to whom or what they belong: `… şifresini kullan`.
OWNED = re.compile(r"(?i:(?:şifre|parola)s[iı](?:n[iı]|yl[ae])?|jelsz(?:óval|avával))(?!\w)")

WEAK_LABELS = frozenset(_WEAK_LABELS.split())
COPULAS = frozenset(_COPULAS.split())
TURNS = frozenset(_TURNS.split())
LEADS = frozenset(_LEADS.split())

# Words that say that somebody logs in with `name / value`.
LOGIN = re.compile(
    r"(?i)meld|log\s?-?in|log\s?-?on|sign\s?-?in|logged|credential|\bcreds\b|account|zugang|anmeld|einlogg|\blogg?[ae]?\b|identifiant"
    r"|connect|credencia|\bentra|\bentre com|acced|credenzial|inlog|zaloguj|logowan"
    r"|вход|войд|вой[тд]и|логин|зайд|увій|логін|登[录錄陆入]"
    r"|[账帳][号號户戶]|ログイン|로그인|계정|giriş|دخول|الدخول|लॉगिन|přihl|kirjaudu|bejelentkez|autentific|prijav|σύνδεση"
    r"|התחבר|đăng nhập|เข้าสู่|masuk|\buser\b|benutzer|usuario|usuário|utilisateur|użytkownik|пользовател"
)
# Somebody logs in with what stands behind: `log in with …`.
LOGIN_ENDS = ("in with ", "on with ", "dich mit ", "toi avec ", "in met ", "in med ", "nd med ")
LOGS_IN_WITH = re.compile(
    r"(?i)\b(?:(?:log|sign)(?:ged)?[ -]?[io]n with|meld\w* dich mit|connecte-toi avec|log in met|logga in med"
    r"|log ind med) $"
)
# Scripts that put no space between words: a password ends where they begin.
UNSPACED = "\u0e00-\u0eff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff0f\uff1a-\uff1f\uff66-\uffef"
USED_AS = re.compile(
    rf"(?:^|[\s\"'`“„«{UNSPACED}])(?P<value>[^\s\"'`“”„«»{UNSPACED}]{{6,64}})[\"'`“”»]?"
    rf"(?:\s+(?:\w\s+)?(?:{_AS.replace(' ', '|')})\s+(?:[^\W\d]+\s+){{0,2}}"
    rf"|\s*(?:{_JOINED_AS.replace(' ', '|')})\s*)$"
)


def _first_beyond_ascii(label: str) -> int:
    return next(at for at, char in enumerate(label) if not char.isascii())


def _letters_beyond_ascii() -> str:
    """Return a letter beyond ASCII of each label, for each way to write it."""
    letters: set[str] = set()
    for label in f"{_LABELS} {_WHOLE_LABELS}".split():
        for written in (label, label.upper(), label.capitalize()):
            letters.add(written[_first_beyond_ascii(written)])
    return "".join(sorted(letters))


_FOREIGN_LETTER = re.compile(f"[{_letters_beyond_ascii()}]")
_ASCII = bytes(range(128))


def may_have_foreign_label(text: str) -> bool:
    """Tell whether the text has a letter beyond ASCII that a label has."""
    # Deleting what is ASCII first is faster than searching through it.
    beyond_ascii = text.encode("utf-8", "replace").translate(None, _ASCII).decode()
    return _FOREIGN_LETTER.search(beyond_ascii) is not None


def _pattern_of(label: str) -> str:
    """Return the pattern of a label; a point in it is any gap between words."""
    return re.escape(label).replace(r"\.", r"[\s_-]?").replace("'", "['?]")


def ascii_label_beginnings() -> Iterator[str]:
    """Yield the first word of each label in letters of ASCII, with the second one if there is a gap between them."""
    for label in _ASCII_LABELS.split():
        words = label.split(".")
        for gap in _GAPS:
            yield gap.join(words[:2])


@functools.cache
def ascii_labels() -> re.Pattern[bytes]:
    """Return the pattern that matches a label in letters of ASCII where it begins, with its ending."""
    patterns = sorted(map(_pattern_of, _ASCII_LABELS.split()), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(patterns)})[a-z]{{0,4}}\d{{0,2}}(?![a-z])".encode())


@functools.cache
def foreign_labels() -> tuple[re.Pattern[str], dict[str, int]]:
    """Return the pattern that finds a label by its first letter beyond ASCII.

    With it comes, by the first two letters of what is found, how many letters of the label stand before them.
    """
    letters_before: dict[str, int] = {}
    patterns: dict[str, None] = {}
    whole_labels = _WHOLE_LABELS.split()
    for label in (*_LABELS.split(), *whole_labels):
        for written in (label, label.capitalize(), label.title(), label.upper()):
            at = _first_beyond_ascii(written)
            beginning = re.escape(written[: at + 1]).replace(r"\.", r"[\s_-]")
            behind_the_first = f"(?<={beginning})" if at else ""
            ending = rf"(?![^\W\d_{UNSPACED}]|[ァ-ヺー])" if label in whole_labels else ""
            patterns[f"{re.escape(written[at])}{behind_the_first}{_pattern_of(written[at + 1 :])}{ending}"] = None
            letters_before[written[at : at + 2]] = at
    return re.compile("|".join(sorted(patterns, key=len, reverse=True))), letters_before


def _alone(word: bytes) -> bytes:
    """Return the pattern of a short word that must stand alone, and not within base64."""
    return rb"(?<![a-z0-9+/])%b(?=[^a-z0-9+/])" % word


# A name from where it begins, in lower case. Of `AWS_SECRET_ACCESS_KEY` it is the last word: what stands before it in
# the identifier is its prefix.
NAME = re.compile(
    rb"(?P<password>passw(?:or)?d|passphrase|passcode|pass|pwd|%b)\d{0,2}(?![a-z])"
    rb"|(?P<header>(?:authorization|bearer)(?![a-z])|basic(?=[ ]))"
    rb"|(?P<foreign>%b|%b)"
    rb"|(?P<pair>creds|credentials?)(?![a-z_-])"
    rb"|(?P<holder>(?:pat|cred|(?:recovery|backup)[_-]?codes?|[ht]?otp[_-]?seed|jwt|dsn|cookie|connection[_-]?string|salt)"
    rb"(?![a-z_-]))"
    rb"|(?:secret|token|credentials?|key|auth|sig(?:nature)?)(?:[_-]?(?:key(?:[_-]?base)?|value|string|text|b64|base64|hex))?"
    rb"\d{0,2}(?![a-z])" % (_alone(b"pw"), _alone(b"mdp"), ascii_labels().pattern)
)

# Prefixes that make a key no secret (cache_key), and those that make it a certain one (api_key).
_HARMLESS_KEYS = re.compile(
    rb"public|pub|cache|primary|foreign|sort|partition|idempotency|object|s3|hot|mon|tur|don|dedup|index|lookup|map(?!i)"
    rb"|group|issue|project"
)
_SECRET_KEYS = re.compile(
    rb"api|access|secret|auth|priv|sign|crypt|account|master|client|service|licen|admin|deploy|hook|hmac|aes|jwt"
    rb"|storage|shared|subscription|consumer|app|ssh|token"
)
# Prefixes with which `pass` and `pw` name a password: DB_PASS, sshpass.
_PASS_PREFIXES = re.compile(
    rb"(?:[a-z_]*_)?(?:ssh|db|my|user|admin|root|pg|sql|mail|smtp|ftp|ldap|vnc|key|store|http|app|git|sudo)"
)
# The word before a name in a sentence: `the API key`.
_OWNER = re.compile(
    rb"\b(?:api|access|secret|sign(?:ing)?|encryption|account|master|client|service|licen[sc]e|admin|deploy|application"
    rb"|app|private|subscription|storage|openai) \Z"
)
_IDENTIFIER = b"abcdefghijklmnopqrstuvwxyz0123456789_-"
_WEAK_NAMES = (b"key", b"auth", b"sig")  # these name a secret only with the right prefix
_LONG_VALUES = (b"jwt", b"dsn", b"cookie", b"connection", b"salt")  # and these one that is long


def prefix_of(before: bytes, name: bytes) -> bytes:
    """Return what the identifier has before the name, or whose key it is: `aws_secret_`, `client.api.`, `api `."""
    prefix = before[len(before.rstrip(_IDENTIFIER)) :]
    if prefix or not name.startswith(_WEAK_NAMES):
        return prefix
    owner = _OWNER.search(before)
    if owner:
        return owner[0]
    return before[len(before.rstrip(_IDENTIFIER + b".")) :]


def kind_of(name: re.Match[bytes], prefix: bytes, *, camel_case: bool) -> str:
    """Return the rule that judges the value: `password`, `secret`, `key` (a weaker one), or "" for none."""
    if name["password"] in {b"pass", b"pw"} and not _PASS_PREFIXES.fullmatch(prefix):
        return _kind_of_pass(prefix, camel_case=camel_case)
    if name["holder"]:
        return _kind_of_holder(name["holder"], prefix, camel_case=camel_case)
    if name["password"] or prefix == b"rediscli_":
        return "password"
    if not name[0].startswith(_WEAK_NAMES):
        return "secret"
    if _HARMLESS_KEYS.search(prefix):
        return ""
    if _SECRET_KEYS.search(prefix):
        return "secret"
    return "key"


def _kind_of_holder(name: bytes, prefix: bytes, *, camel_case: bool) -> str:
    """Return the kind of a short name, which is no part of a word such as compat or basalt."""
    if prefix[-1:].isalpha() and not camel_case:
        return ""
    return "key" if name.startswith(_LONG_VALUES) else "secret"


def _kind_of_pass(prefix: bytes, *, camel_case: bool) -> str:
    """Return the kind of a name that ends in pass or pw: bypass and compass aren't names of passwords."""
    if camel_case or prefix[-1:] in {b"_", b"-"}:
        return "password"
    if prefix:
        return ""
    return "secret"


# What leads to the rules for webhooks, private keys and commands.
_CONTEXTS = (
    *("hook", "private key", "private-lines", "curl ", "pass:", "identified", "echo ", "printf ", "<<<"),
    *("htpasswd", "rabbitmqctl", "nmcli", "neo4j-", "wpa_", "sqlplus", "net use ", "gh secret", "mnemonic", "phrase"),
    *LOGIN_ENDS,
)
_TWO_WORDS = (("connection", "string"), ("recovery", "code"), ("backup", "code"), ("otp", "seed"))
# How the names of secrets begin.
_NAMES = "pass pw key token secret cred auth sig bearer basic mdp jwt dsn cookie salt"
# What begins many other words counts with what stands behind it.
_NAME_PARTS = [
    *(f"pat{end}" for end in " =:'\"`]|"),
    *(f"{name}{gap}{rest}" for name, rest in _TWO_WORDS for gap in ("", "_", "-")),
]


def _plain(code: int) -> int:
    if chr(code).isdigit():
        return ord("0")
    return ord(chr(code).lower())


_AS_PLAIN = bytes(map(_plain, range(128))) + bytes(range(128, 256))
# A digit in the last word of a line, in a text written `as_plain`.
DIGIT_ENDS_LINE = re.compile(rb"0[a-z0_+/.~:$%-]*=?\r?\n")


def as_plain(data: bytes) -> bytes:
    """Return the text in lower case, with each digit as 0."""
    return data.translate(_AS_PLAIN)


def _search() -> BytesAhoCorasick:
    """Return what finds the contexts, which are its first words, and the beginnings of names."""
    names: list[str] = []
    for name in sorted({*_NAMES.split(), *_NAME_PARTS, *ascii_label_beginnings()}):
        # A name that begins with another one is found where that is found.
        if not names or not name.startswith(names[-1]):
            names.append(name)
    words = [as_plain(word.encode()) for word in (*_CONTEXTS, *names)]
    return BytesAhoCorasick(words, implementation=Implementation.DFA)


_SEARCH = _search()


def find_names(plain: bytes) -> tuple[list[int], bool]:
    """Return where names of secrets may begin, and whether there is a context, in a text written `as_plain`."""
    words = _SEARCH.find_matches_as_indexes(plain, overlapping=True)
    if not words:
        return [], False
    names = [start for word, start, _ in words if word >= len(_CONTEXTS)]
    return names, len(names) < len(words)
