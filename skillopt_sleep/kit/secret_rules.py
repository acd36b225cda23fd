"""What a token looks like: the formats that vendors publish, and the detectors of detect-secrets.

Nothing here decides where to look; redact.py does, so that text without secrets costs next to nothing.
"""

import base64
import functools
import importlib
import itertools
import re
from collections.abc import Iterator

# Shapes that a vendor publishes. No pattern may scan one run of characters from two starting points, or a hostile
# chain of prefixes takes quadratic time: a body either takes all of [\w-], or stops at the first '-' or '_'.
_VENDORS: tuple[tuple[str, str], ...] = (
    ("anthropic-key", r"sk-ant-[\w-]{16,}"),
    ("openai-key", r"sk-(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{16,}|sk-[A-Za-z0-9]{20,}|sess-[A-Za-z0-9]{40,}"),
    ("stripe-key", r"(?:[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{24,}={0,2})"),
    ("github-token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"),
    ("gitlab-token", r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-[\w.-]{20,}|GR1348941[\w-]{20,}"),
    ("huggingface-token", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("npm-token", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-token", r"pypi-(?:Ag[\w-]{16,}|(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40,})"),
    ("google-key", r"AIza[\w-]{30,}|GOCSPX-[\w-]{24,}|ya29\.[\w.-]{20,}|1//0[\w-]{30,}"),
    ("slack-token", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{10,}"),
    ("sendgrid-key", r"SG\.[\w-]{16,64}\.[\w-]{16,}"),
    ("aws-key", r"(?:AKIA|(?=[A-Z]{0,19}\d)(?:A3T[A-Z0-9]|ASIA|ABIA|ACCA))[A-Z0-9]{16}(?![a-z])"),
    ("aws-bedrock-key", r"ABSK[A-Za-z0-9+/]{90,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{20,}"),
    ("digitalocean-token", r"do[opr]_v1_[a-f0-9]{40,}"),
    ("shopify-token", r"shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{30,}"),
    ("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    ("docker-token", r"dckr_(?:pat|oat)_[\w-]{20,}"),
    ("vault-token", r"hv[sbr]\.[\w-]{20,}|s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![\w.(])"),
    ("telegram-token", r"(?:bot)?\d{8,10}:(?:A[\w-]{34,}|(?=[A-Za-z_-]{0,34}\d)[\w-]{35}(?![\w-]))"),
    ("discord-token", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}|mfa\.[\w-]{80,}"),
    ("square-token", r"(?:EAAA|sq0[a-z]{3}-)[\w-]{22,}"),
    ("twilio-key", r"(?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("mailchimp-key", r"[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    ("mailgun-key", r"(?:key|pubkey)-[0-9a-f]{32}"),
    ("sentry-token", r"sntrys_[A-Za-z0-9+/=_]{40,}|sntryu_[a-f0-9]{40,}"),
    ("grafana-token", r"gl(?:c|sa)_[A-Za-z0-9+/=_]{32,}"),
    ("azure-secret", r"[\w.~]{3}\dQ~[\w.~-]{31,34}"),
    ("facebook-token", r"EAA[A-Z][A-Za-z0-9]{80,}"),
    ("atlassian-token", r"ATATT3[\w=-]{60,}|ATCTT3[\w=-]{60,}|ATBB[A-Za-z0-9]{24,}"),
    ("artifactory-token", r"AKC[A-Za-z0-9]{50,}|cmVmd[A-Za-z0-9]{50,}"),
    ("doppler-token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,}"),
    ("dynatrace-token", r"dt0[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    ("newrelic-key", r"NR(?:AK|JS|II|RA)-[\w-]{19,}"),
    ("okta-token", r"SSWS[ ]00[\w-]{38,}"),
    ("onepassword-key", r"A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}|ops_eyJ[A-Za-z0-9+/]{60,}={0,3}"),
    ("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("fly-token", r"fo1_[\w-]{40,}|fm\d[ar]?_[A-Za-z0-9+/]{60,}={0,3}"),
    ("openshift-token", r"sha256~[\w-]{40,}"),
    ("hashicorp-token", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}"),
    ("airtable-token", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}"),
    ("mapbox-token", r"[ps]k\.[A-Za-z0-9]{60}\.[A-Za-z0-9_-]{22}"),
    (
        "authress-key",
        r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,}",
    ),
    ("maxmind-key", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    ("databricks-token", r"dapi[a-f0-9]{32}(?:-\d)?"),
    ("postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("alibaba-key", r"LTAI[A-Za-z0-9]{16,}"),
    ("easypost-key", r"EZ[AT]K[A-Za-z0-9]{50,}"),
    ("cloudflare-key", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|cf(?:ut|at|k)_[A-Za-z0-9]{40,}"),
    ("flutterwave-key", r"FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9-]{12,}"),
    ("octopus-key", r"API-[A-Z0-9]{26}(?![A-Z0-9])"),
    ("clickhouse-key", r"4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])"),
    ("resend-key", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("hubspot-token", r"pat-(?:na|eu|ap)\d-[0-9a-f-]{30,}"),
    ("tailscale-key", r"tskey-(?:auth|api|client)-[\w-]{20,}"),
    (
        "api-token",
        (
            r"(?:ntn|rdme|rubygems|pnu|pul|pplx|gsk|xai|tvly|lsv2_[ps]t|xkeysib|xsmtpsib|nvapi|sgp|phc|phx|secret"
            r"|sm_[aps]at|shippo_(?:test|live)|p8e|tk-us|sbp|sb_secret|r8|fc|CCIPAT|CLOJARS|vcp)"
            r"[-_](?=[A-Za-z]{0,28}\d)[A-Za-z0-9]{16}[\w-]*"
            r"|(?:duffel_(?:test|live)_|pscale_(?:tkn|oauth|pw)_|fio-u-|tfp_|dnkey-|figd_|esecret_)[\w.=-]{28,}"
        ),
    ),
)

# detect-secrets' own detectors, each with what its matches contain. Left out: those that fire on ordinary text
# (entropy, keyword, IP address, `key: <44 characters>`), those whose patterns take quadratic time on a hostile
# text (JWT, OpenAI, npm), and those that would hide more than the secret or less (basic auth, private key).
_DETECTORS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("artifactory", "ArtifactoryDetector", ("AKC",)),
    ("aws", "AWSKeyDetector", ("A3T", "ABIA", "ACCA", "AKIA", "ASIA")),
    ("azure_storage_key", "AzureStorageKeyDetector", ("AccountKey=",)),
    ("cloudant", "CloudantDetector", ("cloudant", "CLOUDANT")),
    ("github_token", "GitHubTokenDetector", ("gh",)),
    ("gitlab_token", "GitLabTokenDetector", ("gl", "GR1348941")),
    ("ibm_cos_hmac", "IbmCosHmacDetector", ("cos", "COS")),
    ("mailchimp", "MailchimpDetector", ("-us",)),
    ("pypi_token", "PypiTokenDetector", ("pypi-",)),
    ("sendgrid", "SendGridDetector", ("SG.",)),
    ("slack", "SlackDetector", ("xox",)),
    ("softlayer", "SoftlayerDetector", ("softlayer", "SOFTLAYER")),
    ("square_oauth", "SquareOAuthDetector", ("sq0csp",)),
    ("stripe", "StripeDetector", ("k_live_",)),
    ("twilio", "TwilioKeyDetector", ("AC", "SK")),
)

# A token starts where no letter or digit stands before it, or after an escape: \nghp_... and %3Dghp_... count.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
_PLACEHOLDER_TOKEN = re.compile(r"[-_.=][xX]{8}")
_KEYED_VALUE = 20  # a group this long is the value behind a name; a shorter one is a part of the token
_JWT = r"eyJ[\w-]{8,1024}\.[\w=-]{6,}(?:\.[\w.=-]*)?"

Span = tuple[int, int, str]


def vendor_tokens(text: str, start: int, end: int) -> Iterator[Span]:
    """Where text[start:end] holds a token of a known vendor; what precedes `start` decides what a beginning is."""
    for match in _any_vendor().finditer(text, start, end):
        if not _PLACEHOLDER_TOKEN.search(match[0]):
            which = _vendors().match(text, match.start(), end)
            kind = _VENDORS[which.lastindex - 1][0] if which and which.lastindex else "jwt"
            yield match.start(), match.end(), kind


def library_tokens(text: str, start: int, end: int) -> Iterator[Span]:
    """Where text[start:end] holds what detect-secrets knows, at whole words only."""
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
def _vendors() -> re.Pattern[str]:
    rules = "|".join(f"({pattern})" for _, pattern in _VENDORS)
    return re.compile(f"{_START}(?:{rules}|{_JWT})[\\w-]*", re.ASCII)


@functools.cache
def _any_vendor() -> re.Pattern[str]:
    # Without groups an alternative is ruled out by its first character, which is several times as fast.
    rules = "|".join(pattern for _, pattern in _VENDORS)
    return re.compile(f"{_START}(?:{rules}|{_JWT})[\\w-]*", re.ASCII)


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
_VARIABLE = re.compile(r"\$.*|[<{\[(%*].*|[xX]+|\.+")


def url_secrets(text: str) -> Iterator[Span]:
    """Passwords in scheme://user:password@host, and the secret paths of webhooks."""
    if "@" in text:
        for match in _USERINFO.finditer(text):
            if not _VARIABLE.fullmatch(match["password"]):
                yield *match.span("password"), "url-password"
    if "hook" in text:
        for match in _HOOK.finditer(text):
            yield *match.span("path"), "webhook"


def curl_passwords(text: str) -> Iterator[Span]:
    """What stands behind the colon in `curl -u user:password`."""
    for match in _CURL_USER.finditer(text):
        if not _VARIABLE.fullmatch(match["password"]) and not match["password"].isdigit():
            yield *match.span("password"), "password"


# What a value is without its variables: f"{user}:{password}", "$TOKEN", "<token>", "{{ secret }}", "%(key)s".
_FILLED_IN = re.compile(
    r"\[redacted:[^\]]*\]?|\$?\{[^}]*\}*|\$\([^)]*\)?|\$\w+|%\(\w*\)s|%[sdr]\b|<[^>]*>|\[[^\]]*\]"
)
_PATH = re.compile(r"(?:~|\.{0,2})/.*|[A-Za-z]:[\\/].*|[\w.-]+/[\w./-]+\.\w{1,5}")
# Words, short numbers and names made of them: my-app-v2, user1.password, SHA256, us-east-1, 2024-11-15T10:00:00Z.
_WORDY = re.compile(
    r"(?:[A-Za-z]{2,24}\d{0,3}|[A-Za-z]?\d{1,12}[A-Za-z]{0,2}|[A-Za-z])?"
    r"(?:[-_./:@]+(?:[A-Za-z]{2,24}\d{0,4}|[A-Za-z]?\d{1,12}[A-Za-z]{0,2}|\d\dT\d\d|[A-Za-z])?)*+"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BARE_TOKEN = re.compile(r"[\w.~+/=:@%-]+")
_LONG = re.compile(r"[A-Za-z0-9+/=%]{20}")
_EXAMPLE = re.compile(
    r"(?i:(?:your|my|the|some|example|sample|dummy|fake|placeholder|change|replace|insert|redacted|todo|none|null|true"
    r"|false|undefined|required|string|secret|password|pass|token|xx+)(?:[-_ ]?[a-z]+)*|[x*.•-]+)"
)
_MIXED = re.compile(r"(?=[^\d\s]{0,64}\d)(?=[^a-zA-Z\s]{0,64}[a-zA-Z])\S{6}")
_CODING = re.compile(r"(?i:base|sha|md|utf|argon|pbkdf|ascii|rfc|v)-?\d")
_KEYED_DIGITS = 6
_SHUFFLED = 22
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[^\W\d_]")
_SYMBOL = re.compile(r"[!@#$%^&*?~]")


def hidden(kind: str, value: str, *, quoted: bool, shouted: bool) -> bool:
    """Whether a value so named is a secret: `kind` is password, secret or key; shouted is `NAME=value`."""
    rest = _FILLED_IN.sub("", value) if not value.isalnum() else value
    if len(rest) < (4 if kind == "password" else 6) or not rest.isprintable() or " " in rest or _PATH.fullmatch(rest):
        return False
    digit, letter = bool(_DIGIT.search(rest)), bool(_LETTER.search(rest))
    if kind == "password":
        return _hidden_password(rest, digit=digit, letter=letter, quoted=quoted, shouted=shouted)
    if not (quoted or shouted or _BARE_TOKEN.fullmatch(rest)):
        return False
    if not letter or _WORDY.fullmatch(rest):
        return not digit and _shuffled(rest)
    if not digit:
        return _shuffled(rest)
    return kind == "secret" or bool(_LONG.search(rest) and not _UUID.fullmatch(rest))


def plain(value: str) -> bool:
    """Whether words such as `the password is …` would go on so without giving a password away."""
    return not _MIXED.match(value) or bool(_CODING.match(value))


def basic(value: str) -> bool:
    """Whether this is the base64 of user:password."""
    try:
        return b":" in base64.b64decode(value, validate=True)[1:] and value.isascii()
    except ValueError:
        return False


def _hidden_password(rest: str, *, digit: bool, letter: bool, quoted: bool, shouted: bool) -> bool:
    if shouted and letter:
        return not _EXAMPLE.fullmatch(rest)
    if digit:
        broken = any(char in rest for char in "./:_")
        return (quoted or not (broken and _WORDY.fullmatch(rest))) and (letter or len(rest) >= _KEYED_DIGITS)
    return quoted and bool(_SYMBOL.search(rest)) and letter and len(rest) >= _KEYED_DIGITS


def _shuffled(text: str) -> bool:
    """Letters only, but long and in no order that words have."""
    ups = sum(a.islower() and b.isupper() for a, b in itertools.pairwise(text))
    return len(text) >= _SHUFFLED and text.isalpha() and (ups * 5 >= len(text) or text.islower())
