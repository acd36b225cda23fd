"""Secrets of a known form: vendors' tokens, private keys, seed phrases, passwords in addresses, and base64 of any."""

import base64
import functools
import re
from collections.abc import Callable, Iterator

from skillopt_sleep.kit.secrets import Span, shapes, values

# A line is a kind and its formats. No format may scan one run of characters from many starting points, or a hostile
# chain of prefixes takes quadratic time: a token's body takes all of [\w-], stops at the first '-' or '_', or has a
# bounded length.
_VENDORS = r"""
anthropic-key sk-ant-[\w-]{16,}
openai-key sk-(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{16,} sk-[A-Za-z0-9]{20,} sess-[A-Za-z0-9]{40,}
stripe-key [srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,} whsec_[A-Za-z0-9+/]{24,}={0,2}
github-token gh[pousr]_[A-Za-z0-9]{20,} github_pat_\w{20,}
gitlab-token gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-[\w.-]{20,} GR1348941[\w-]{20,}
huggingface-token hf_[A-Za-z0-9]{30,} api_org_[A-Za-z0-9]{30,}
google-key AIza[\w-]{30,} GOCSPX-[\w-]{24,} ya29\.[\w.-]{20,} 1//0[\w-]{30,} AAAA[\w-]{7}:APA91b[\w-]{60,}
slack-token xoxd-[\w%+/-]{20,}={0,2} xox[a-z](?:\.xox[a-z])?-[\w-]{10,} xapp-\d-[\w-]{10,}
aws-key (?:AKIA|(?=[A-Z]{0,19}\d)(?:A3T[A-Z0-9]|ASIA|ABIA|ACCA))[A-Z0-9]{16}(?![a-z]) A[SBC][IC]A[A-Z2-7]{16}(?!\w)
aws-key (?:IQoJb3JpZ2luX2Vj|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/]{80,}={0,2}
aws-key ABSK[A-Za-z0-9+/]{90,}={0,2} bedrock-api-key-[A-Za-z0-9+/=]{20,}
azure-secret [\w.~]{3}\dQ~[\w.~-]{31,34} [A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4} [A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{6}==
cloud-key do[opr]_v1_[a-f0-9]{40,} LTAI[A-Za-z0-9]{16,} AKID(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?!\w)
cloud-key v1\.0-[a-f0-9]{24}-[a-f0-9]{100,} cf(?:ut|at|k)_[A-Za-z0-9]{40,} fo1_[\w-]{40,} fm\d[ar]?_[A-Za-z0-9+/]{60,}
cloud-key AQVN[\w-]{35,} YCAJE[\w-]{35} t1\.[\w-]{10,}={0,2}\.[\w=-]{80,} y[0-3]_(?=[\w-]{0,40}\d)[\w-]{50,}
database-key 4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9]) dapi[a-f0-9]{32}(?:-\d)? pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}
shopify-token shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{30,}
vault-token hv[sbr]\.[\w-]{20,} s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![\w.(])
vault-key A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4} ops_eyJ[A-Za-z0-9+/]{60,}={0,3}
vault-key AGE-SECRET-KEY-1[A-Z0-9]{40,} st\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}
vault-key dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,}
telegram-token (?:bot)?\d{8,10}:(?:A[\w-]{34,}|(?=[A-Za-z_-]{0,34}\d)[\w-]{35}(?![\w-]))
discord-token [MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,} mfa\.[\w-]{80,}
twilio-key (?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9])
mail-key SG\.[\w-]{16,64}\.[\w-]{16,} (?:pub)?key-[a-f0-9]{32} mlsn\.[a-f0-9]{60,}
mail-key re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,} [a-f0-9]{32}-(?:us\d{1,2}(?!\w)|[a-f0-9]{8}-[a-f0-9]{8}(?![\w-]))
monitor-key sntrys_[A-Za-z0-9+/=_]{40,} sntryu_[a-f0-9]{40,}
monitor-key gl(?:c|sa)_[A-Za-z0-9+/=_]{32,}
monitor-key NR(?:AK|JS|II|RA)-[\w-]{19,} eyJrIjoi[A-Za-z0-9+/]{60,}={0,3}
monitor-key dt0[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}
facebook-token EAA[A-Z](?<![+/]EAA[A-Z])[A-Za-z0-9]{80,} \d{15,16}\|(?=[\w-]{0,25}(?:\d|[a-z][A-Z]))[\w-]{27}(?![\w-])
twitter-token A{19,24}+[A-Za-z0-9%]{10,80}(?:%(?:25)?3D|=)[A-Za-z0-9]{30,}
atlassian-token AT[AC]TT3[\w=-]{60,} ATBB[A-Za-z0-9]{24,}
login-token (?<=SSWS\s)00[\w-]{38,} sha256~[\w-]{40,} [ps]at\.[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}
login-token (?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,}
registry-token npm_[A-Za-z0-9]{30,} pypi-(?:Ag[\w-]{16,}|(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40,}) dckr_[po]at_[\w-]{20,}
registry-token cio(?=[A-Za-z]{0,31}\d)[A-Za-z0-9]{32}(?!\w) oy2[a-z0-9]{43}(?!\w) cmVmd[A-Za-z0-9]{50,}
service-token r8_[A-Za-z0-9]{37}(?!\w) fc-[a-f0-9]{32}(?!\w) fw_[A-Za-z0-9]{22,}(?![\w-])
registry-token AKC(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,}
deploy-token [A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,} tskey-(?:auth|api|client)-[\w-]{20,} API-[A-Z0-9]{26}(?![A-Z0-9])
map-key [ps]k\.[A-Za-z0-9]{60}\.[\w-]{22} [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
service-token lin_(?:api|oauth)_[A-Za-z0-9]{30,} pat-(?:na|eu|ap)\d-[0-9a-f-]{30,} PMAK-[a-f0-9]{24}-[a-f0-9]{34}
service-token (?:[12]/\d{10,20}/)?\d{15,18}:[a-f0-9]{32}(?!\w) pk_\d{6,9}_[A-Z0-9]{32} sl\.(?:u\.)?[\w-]{100,}
service-token npg_(?=[A-Za-z]{0,11}\d)[A-Za-z0-9]{12}(?!\w) n8n_api_[\w.-]{20,} AQ\.Ab8[\w-]{30,}
service-token sm_[aps]at_[A-Za-z0-9]{16}(?!\w) 1000\.[a-f0-9]{32}\.[a-f0-9]{32}
service-token snyk_[us]at\.[a-f0-9]{8}\.[\w-]{40,} sk_[a-f0-9]{48}(?!\w)
service-token (?:sdk|api|mob|waka)[-_][a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}
service-token live_(?<![\w-]live_)(?=[\w-]{0,39}\d)(?=[\w-]{0,39}[A-Z])[\w-]{40}(?![\w-])
service-token pa-(?<![\w-]pa-)(?=[\w-]{0,39}\d)(?=[\w-]{0,39}[A-Z])[\w-]{43}(?![\w-])
payment-key EZ[AT]K[A-Za-z0-9]{50,} FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9-]{12,}
payment-key sq0[a-z]{3}-[\w-]{22,} EAAA(?<![+/]EAAA)[\w-]{40,}
payment-key (?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32} rzp_(?:live|test)_[A-Za-z0-9]{14,}
payment-key c[ks]_[a-f0-9]{40}(?!\w)
payment-key access-(?:production|development|sandbox)-[a-f0-9-]{36} (?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?!\w)
service-token (?:ddapp|ddpat)_[A-Za-z0-9]{30,}
service-token key_(?:[a-f0-9]{40,}|(?=[A-Za-z]{0,39}\d)(?=[a-z0-9]{0,39}[A-Z])[A-Za-z0-9]{32,})
service-token PMAT-[A-Z0-9]{26} crsr_[a-f0-9]{40,} wandb_v1_[\w-]{40,}
service-token sbp_v0_[a-f0-9]{40} vercel_blob_rw_[A-Za-z0-9_]{30,}
cloud-key DO00[A-Z0-9]{16}(?![A-Za-z0-9]) amzn1\.oa2-cs\.v1\.[a-f0-9]{60,} dos[ae][a-f0-9]{32}(?![a-z0-9])
private-key LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/=]{20,}
"""
# Prefixes that begin no word, with sixteen letters and digits behind them.
_PREFIXES = """
    aio apify_api bkua CLOJARS csk dbtc dbtu ddo ddp e2b gsk hcaik hcbik ico jina jsrp lsv2_pk lsv2_pt lsv2_sk
    lsv2_st napi nfp ntn ory_pat ory_st p8e packagist_ort packagist_uut phc phx pnu pplx pul rdme rnd rpa rubygems
    s-s4t2af s-s4t2ud sbp sec-c secret sgp shippo_live shippo_test sqa sqp squ tvly tvly-dev vck
    vcp xai xkeysib xsmtpsib"""
# Prefixes so odd that anything long may follow.
_LONG_PREFIXES = """
    AVNS_ bb_live_ bb_test_ CCDB1_ CCIPAT_ CCIPRJ_ CFPAT- dnkey- duffel_live_ duffel_test_ esecret_ figd_ fio-u- HRKU-
    mdb_sa_sk_ nvapi- pcsk_ pscale_oauth_ pscale_pw_ pscale_tkn_ sb_secret_ tfp_ tgp_v1_ tk-us-"""

# A token starts where no letter or digit stands before it, or after an escape: \nghp_... and %3Dghp_... count.
_START = r"(?<![A-Za-z0-9])(?:(?<=\\)[nrt]|(?<=%)[0-9A-Fa-f]{2})?"
_PLACEHOLDER = re.compile(r"[-_.=][xX]{8}")
_JWT = r"eyJ[\w-]{8,1024}\.[\w=-]{6,}(?:\.[\w.=-]*)?"


def vendor_tokens(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the tokens in text[start:end]; a look before `start` tells whether one may begin there."""
    for match in _any_token().finditer(text, start, end):
        if not _PLACEHOLDER.search(match[1]):
            yield *match.span(1), _kind_of(text, match.start(1), end)


def _kind_of(text: str, start: int, end: int) -> str:
    """Return the kind of the first format that matches here."""
    match = _by_format().match(text, start, end)
    if match is None or not match.lastindex:
        return "token"
    kind, _ = _formats()[match.lastindex - 1]
    return kind


@functools.cache
def _formats() -> tuple[tuple[str, str], ...]:
    """Return each format as its kind and its pattern."""
    formats: list[tuple[str, str]] = []
    for line in _VENDORS.strip().splitlines():
        kind, *patterns = line.split()
        formats += [(kind, pattern) for pattern in patterns]
    for prefix in _PREFIXES.split():
        formats.append(("api-token", rf"{prefix}[-_](?=[A-Za-z]{{0,45}}+\d)[A-Za-z0-9]{{16}}[\w-]*"))
    for prefix in _LONG_PREFIXES.split():
        formats.append(("api-token", rf"{prefix}(?=[a-z_-]{{0,40}}+[A-Z0-9])[\w.=-]{{18,}}"))
    formats.append(("jwt", _JWT))
    return tuple(formats)


@functools.cache
def _by_format() -> re.Pattern[str]:
    """Return a pattern with one group for each format."""
    return re.compile("|".join(f"({pattern})" for _, pattern in _formats()), re.ASCII)


@functools.cache
def _any_token() -> re.Pattern[str]:
    """Return a pattern that finds a token of any format, with all that is joined to it, as its first group."""
    # An alternative is ruled out by its first character, so those that share one are tried together.
    by_first_character: dict[str, list[str]] = {}
    for _, pattern in _formats():
        literal = pattern[0].isalnum() and pattern[1] != "{"
        first = pattern[0] if literal else ""
        by_first_character.setdefault(first, []).append(pattern[len(first) :])
    choices = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_first_character.items())
    return re.compile(f"{_START}((?:{choices})[\\w-]*)", re.ASCII)


# `://user:password@host`. A password may hold an `@`, but a short number with a slash behind it is a port and a path.
_USERINFO = re.compile(
    r"://[^\s:/?#@\"'<>`\\\[\]]{0,128}:(?P<password>[^\s/?#\"'<>`\\]{1,256}|(?!\d{1,5}/)[^\s?#@\"'<>`\\]{1,256})@(?=[\w\[$<{%-])"
)
_TOKEN = re.compile(r"://(?P<token>[\w.~%-]{20,512})@(?=[\w\[])", re.ASCII)
_CURL_USER = re.compile(r"(?:\s-u|--user)[ =]?[\"']?[^\s:\"'$<{\[]{1,64}:(?P<password>[^\s\"']{3,256})")
_HOOK = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks/\d+"
    r"|webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch"
    r"|(?i:webhook_?url)[\"']?\s{0,3}[:=]\s{0,3}[\"']?https?://[\w.:-]{1,128}(?=[\w/@-]{0,128}[A-Za-z\d]{20}))"
    r"/(?P<path>[\w/@-]{14,512})",
    re.ASCII,
)
# Variables and what hides a password already: $PASS, <password>, {{ password }}, ***, xxx, ...
_VARIABLE = re.compile(r"\$.*|[<{\[(%].*|\*+|[xX]+|\.+")
# What a manual writes in a password's place: password, your-token, apikey.
_EXAMPLE = re.compile(r"(?i:(?:my|your|the|user|api|auth|access)?[-_]?(?:pass(?:word|wd)?|pwd?|secret|token|key))")


def url_passwords(text: str) -> Iterator[Span]:
    """Yield the passwords in `scheme://user:password@host`."""
    if "://" in text:
        for match in _USERINFO.finditer(text):
            if not _VARIABLE.fullmatch(match["password"]) and not _EXAMPLE.fullmatch(match["password"]):
                yield *match.span("password"), "url-password"
        for match in _TOKEN.finditer(text):
            if shapes.is_random(match["token"]):
                yield *match.span("token"), "url-password"


def webhooks(text: str) -> Iterator[Span]:
    """Yield the secret paths of webhooks' addresses."""
    if ("hook" in text or "HOOK" in text) and "://" in text:
        for match in _HOOK.finditer(text):
            yield *match.span("path"), "webhook"


def curl_passwords(text: str) -> Iterator[Span]:
    """Yield what stands behind the colon in `curl -u user:password`."""
    if "curl " in text:
        for match in _CURL_USER.finditer(text):
            if not _VARIABLE.fullmatch(match["password"]) and not match["password"].isdigit():
                yield *match.span("password"), "password"


_BEGIN = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d+")
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: \w+")
# What follows the BEGIN of a real key, after blanks, quotes and escaped line ends: base64, a header such as
# `Proc-Type: `, or the end of a text that was cut off.
_BODY = re.compile(r"(?:[\s\"',>|+`-]|\\[nrt\\])*+(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]{2,30}: |[A-Za-z0-9+/=]*\s*\Z)")
_LINE = re.compile(r"\n|\\n|[A-Za-z0-9+/=]{16}")
_PROSE = 200  # `-----BEGIN …` and its END this near on one line, with nothing between, are words about a key

# Twelve to twenty-four words of a wallet, behind what they are called.
_SEED = re.compile(
    r"(?i:mnemonic|(?:seed|recovery|secret)[ _-]?phrase)(?: is)?[\s\"'`:=]{1,6}"
    r"(?P<words>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})"
    r"(?![\w ,])"
)


def seed_phrases(text: str) -> Iterator[Span]:
    """Yield the words that open a wallet."""
    lower = text.lower()
    if "mnemonic" not in lower and "phrase" not in lower:
        return
    for match in _SEED.finditer(text):
        yield *match.span("words"), "seed-phrase"


def private_keys(text: str) -> Iterator[Span]:
    """Yield the key blocks, also those with escaped line ends; one without an END runs to the end of the text."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    end = _END.search(text)
    at = 0
    while begin := _BEGIN.search(text, at):
        at = begin.end()
        if end and end.start() < at:
            end = _END.search(text, at)
        if end is None:
            if _BODY.match(text, at):
                yield begin.start(), len(text), "private-key"
                return
            # Without an END anywhere, this was a mention in prose, and the next BEGIN may be a real one.
            continue
        if end.start() - at > _PROSE or _LINE.search(text, at, end.start()):
            at = end.end()
            yield begin.start(), at, "private-key"


# Four characters of base64 that stand for three printable ones; and many of them, perhaps over several lines.
_QUAD = r"[CI-Za-f][A-Za-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/]"
_ENCODED = re.compile(
    rf"(?<![\w+/])(?:{_QUAD}){{4,}}(?:\r?\n(?:{_QUAD}){{4,}})*(?:\r?\n(?:{_QUAD}){{0,3}})?(?:[I-Za-f][A-Za-z0-3][A-Za-z0-9]?={{0,2}})?"
)
_LONG_LINE = 60  # base64 goes on only behind a line of at least so many characters
_FURTHER_LINES = re.compile(r"(?:\r?\n[A-Za-z0-9+/]{60,80})*+(?:\r?\n[A-Za-z0-9+/]{2,80}={0,2}(?![^\s\"'`]))?")
_MANIFEST = re.compile(r"kind[\"']?\s{0,4}:\s{0,4}[\"']?Secret\b")
_ENTRY = re.compile(
    r"(?P<name>[\w.-]{1,80})[\"']?[ \t]{0,8}:[ \t]{0,8}(?:[|>][+-]?[ \t]{0,8}\n\s{1,40})?"
    r"[\"']?(?P<value>[A-Za-z0-9+/]{8,}={0,2})(?![\w.:/+-])"
)
_PUBLIC_NAME = re.compile(
    r"(?i)(?:^|[._-])(?:crt|cert|certificate|pub|public|ca|username|user|host|namespace|url|port|uid)$"
)
_SHORTEST = 4


def end_of_base64(text: str, start: int, end: int) -> int:
    """Return where base64 ends that begins with the line text[start:end]; it may be some lines below."""
    if end - start < _LONG_LINE:
        return end
    further = _FURTHER_LINES.match(text, end)
    return further.end() if further else end


def encoded(text: str, start: int, end: int, find: Callable[[str], list[Span]]) -> Iterator[Span]:
    """Yield the base64 in text[start:end] in whose decoded text `find` finds a secret."""
    for match in _ENCODED.finditer(text, start, end):
        if find(_decoded(match[0])):
            yield *match.span(), "base64"


def manifest(text: str) -> Iterator[Span]:
    """Yield the encoded values in the manifest of a Kubernetes secret."""
    if not _MANIFEST.search(text):
        return
    for entry in _ENTRY.finditer(text):
        clear = _decoded(entry["value"])
        if len(clear) < _SHORTEST or not clear.isprintable() or _PUBLIC_NAME.search(entry["name"]):
            continue
        if values.is_nearby_password(clear):
            yield *entry.span("value"), "secret"


def _decoded(text: str) -> str:
    """Return the ASCII text that is encoded, or "" if there is none."""
    text = "".join(text.split())
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except ValueError:
        return ""
