"""What a token looks like: the formats that vendors publish, and the detectors of detect-secrets.

Nothing here decides where to look; redact.py does, so that text without secrets costs next to nothing.
"""

import functools
import importlib
import re
from collections.abc import Iterator

# What a vendor publishes: a kind, then its shapes. No shape may scan one run of characters from many starting points,
# or a hostile chain of prefixes takes quadratic time: a body takes all of [\w-], stops at the first '-' or '_', or is
# bounded.
_VENDORS = r"""
anthropic-key sk-ant-[\w-]{16,}
openai-key sk-(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{16,} sk-[A-Za-z0-9]{20,} sess-[A-Za-z0-9]{40,}
stripe-key [srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,} whsec_[A-Za-z0-9+/]{24,}={0,2}
github-token gh[pousr]_[A-Za-z0-9]{20,} github_pat_\w{20,}
gitlab-token gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-[\w.-]{20,} GR1348941[\w-]{20,}
huggingface-token hf_[A-Za-z0-9]{30,} api_org_[A-Za-z0-9]{30,}
google-key AIza[\w-]{30,} GOCSPX-[\w-]{24,} ya29\.[\w.-]{20,} 1//0[\w-]{30,} AAAA[\w-]{7}:APA91b[\w-]{60,}
slack-token xox[a-z](?:\.xox[a-z])?-[\w-]{10,} xapp-\d-[\w-]{10,}
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
# Prefixes of no word, before sixteen letters and digits; and before anything long.
_PREFIXES = """
    aio apify_api bkua CLOJARS csk dbtc dbtu ddo ddp e2b gsk hcaik hcbik ico jina jsrp lsv2_pk lsv2_pt lsv2_sk
    lsv2_st napi nfp ntn ory_pat ory_st p8e packagist_ort packagist_uut phc phx pnu pplx pul rdme rnd rpa rubygems
    s-s4t2af s-s4t2ud sbp sec-c secret sgp shippo_live shippo_test sqa sqp squ tvly tvly-dev vck
    vcp xai xkeysib xsmtpsib"""
_LONG_PREFIXES = """
    AVNS_ bb_live_ bb_test_ CCDB1_ CCIPAT_ CCIPRJ_ CFPAT- dnkey- duffel_live_ duffel_test_ esecret_ figd_ fio-u- HRKU-
    mdb_sa_sk_ nvapi- pcsk_ pscale_oauth_ pscale_pw_ pscale_tkn_ sb_secret_ tfp_ tgp_v1_ tk-us-"""

# detect-secrets' own detectors, each with what its matches contain. Left out: those that fire on ordinary text
# (entropy, keyword, IP address, `key: <44 characters>`), those whose patterns take quadratic time on a hostile text
# (JWT, OpenAI, npm), those that would hide more than the secret or less (basic auth, private key), and those that
# know no token but ours.
_DETECTORS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("aws", "AWSKeyDetector", ("A3T", "ABIA", "ACCA", "AKIA", "ASIA")),
    ("azure_storage_key", "AzureStorageKeyDetector", ("AccountKey=",)),
    ("cloudant", "CloudantDetector", ("cloudant", "CLOUDANT")),
    ("ibm_cos_hmac", "IbmCosHmacDetector", ("cos", "COS")),
    ("softlayer", "SoftlayerDetector", ("softlayer", "SOFTLAYER")),
)
_LIBRARY = re.compile("|".join(needle for _, _, needles in _DETECTORS for needle in needles))

# A token starts where no letter or digit stands before it, or after an escape: \nghp_... and %3Dghp_... count.
_START = r"(?<![A-Za-z0-9])(?:(?<=\\)[nrt]|(?<=%)[0-9A-Fa-f]{2})?"
_PLACEHOLDER_TOKEN = re.compile(r"[-_.=][xX]{8}")
_KEYED_VALUE = 20  # a group this long is the value behind a name; a shorter one is a part of the token
_JWT = r"eyJ[\w-]{8,1024}\.[\w=-]{6,}(?:\.[\w.=-]*)?"

Span = tuple[int, int, str]


def vendor_tokens(text: str, start: int, end: int) -> Iterator[Span]:
    """Where text[start:end] holds a token of a known vendor; what precedes `start` decides what a beginning is."""
    for match in _any_vendor().finditer(text, start, end):
        if not _PLACEHOLDER_TOKEN.search(match[1]):
            which = _by_kind().match(text, match.start(1), end)
            yield *match.span(1), _shapes()[which.lastindex - 1][0] if which and which.lastindex else "token"


def library_tokens(text: str, start: int, end: int) -> Iterator[Span]:
    """Where text[start:end] holds what detect-secrets knows, at whole words only."""
    if not _LIBRARY.search(text, start, end):
        return
    part = text[start:end]
    for index, (_, _, needles) in enumerate(_DETECTORS):
        if any(needle in part for needle in needles):
            for kind, pattern in _detector(index):
                for match in pattern.finditer(part):
                    found = pattern.groups == 1 and len(match[1] or "") >= _KEYED_VALUE
                    first, last = match.span(1 if found else 0)
                    if not part[first - 1 : first].isalnum() and not part[last : last + 1].isalnum():
                        yield start + first, start + last, kind


@functools.cache
def _shapes() -> tuple[tuple[str, str], ...]:
    lines = (line.split() for line in _VENDORS.strip().splitlines())
    vendors = [(kind, shape) for kind, *shapes in lines for shape in shapes]
    short, long = _PREFIXES.split(), _LONG_PREFIXES.split()
    vendors += [("api-token", rf"{prefix}[-_](?=[A-Za-z]{{0,45}}+\d)[A-Za-z0-9]{{16}}[\w-]*") for prefix in short]
    vendors += [("api-token", rf"{prefix}(?=[a-z_-]{{0,40}}+[A-Z0-9])[\w.=-]{{18,}}") for prefix in long]
    return (*vendors, ("jwt", _JWT))


@functools.cache
def _by_kind() -> re.Pattern[str]:
    return re.compile("|".join(f"({shape})" for _, shape in _shapes()), re.ASCII)


@functools.cache
def _any_vendor() -> re.Pattern[str]:
    # An alternative is ruled out by its first character, so those that share one are tried together.
    by_first: dict[str, list[str]] = {}
    for _, shape in _shapes():
        first = shape[0] if shape[0].isalnum() and shape[1] != "{" else ""
        by_first.setdefault(first, []).append(shape[len(first) :])
    rules = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_first.items())
    return re.compile(f"{_START}((?:{rules})[\\w-]*)", re.ASCII)


@functools.cache
def _detector(index: int) -> tuple[tuple[str, re.Pattern[str]], ...]:
    # Importing detect-secrets costs 0.2 s, so it happens at the first text that may need it.
    module, name, _ = _DETECTORS[index]
    detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
    return tuple((module.replace("_", "-"), pattern) for pattern in detector.denylist)


_KEY_BEGIN = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d+")
_KEY_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: \w+")
_KEY_BODY = re.compile(
    r"(?:[\s\"',>|+`-]|\\[nrt\\])*+(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]{2,30}: |[A-Za-z0-9+/=]*\s*\Z)"
)
_KEY_LINE = re.compile(r"\n|\\n|[A-Za-z0-9+/=]{16}")
_PROSE = 200  # `-----BEGIN …` and its END this near on one line, with nothing between, are words about a key


def private_keys(text: str) -> Iterator[Span]:
    """Key blocks, with literal line ends too; a block without an end runs to the end of the text."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    end = _KEY_END.search(text)
    at = 0
    while begin := _KEY_BEGIN.search(text, at):
        at = begin.end()
        if end and end.start() < at:
            end = _KEY_END.search(text, at)
        if end is None:
            if _KEY_BODY.match(text, at):
                yield begin.start(), len(text), "private-key"
                return
            # Without an end anywhere, one mention in prose says nothing of the next.
            continue
        if end.start() - at > _PROSE or _KEY_LINE.search(text, at, end.start()):
            at = end.end()
            yield begin.start(), at, "private-key"


_USERINFO = re.compile(
    r"://[^\s:/?#@\"'<>`\\\[\]]{0,128}:(?P<password>[^\s/?#\"'<>`\\]{1,256}|(?!\d{1,5}/)[^\s?#@\"'<>`\\]{1,256})@(?=[\w\[$<{%-])"
)
_CURL_USER = re.compile(r"(?:\s-u|--user)[ =]?[\"']?[^\s:\"'$<{\[]{1,64}:(?P<password>[^\s\"']{3,256})")
_HOOK = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks/\d+"
    r"|webhook\.office\.com/webhookb2)/(?P<path>[\w/@-]{16,512})",
    re.ASCII,
)
_VARIABLE = re.compile(r"\$.*|[<{\[(%].*|\*+|[xX]+|\.+")

# What a manual writes in a password's place.
_NO_PASSWORD = re.compile(
    r"(?i:(?:my|your|the|user|api|auth|access)?[-_]?(?:pass(?:word|wd)?|pwd?|secret|token|key))"
)


def url_passwords(text: str) -> Iterator[Span]:
    """Passwords in scheme://user:password@host."""
    if "://" in text:
        for match in _USERINFO.finditer(text):
            if not _VARIABLE.fullmatch(match["password"]) and not _NO_PASSWORD.fullmatch(match["password"]):
                yield *match.span("password"), "url-password"


def webhooks(text: str) -> Iterator[Span]:
    """The secret paths of webhooks' addresses."""
    if "hook" in text and "://" in text:
        for match in _HOOK.finditer(text):
            yield *match.span("path"), "webhook"


def curl_passwords(text: str) -> Iterator[Span]:
    """What stands behind the colon in `curl -u user:password`."""
    if "curl " in text:
        for match in _CURL_USER.finditer(text):
            if not _VARIABLE.fullmatch(match["password"]) and not match["password"].isdigit():
                yield *match.span("password"), "password"
