"""Words for a password in many languages, and the words that stand between them and the password."""

import functools
import re
from collections.abc import Iterator

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
