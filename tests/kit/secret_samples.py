"""Samples of secrets: what tokens of known vendors look like, where they stand, and whether one was left to see.

A format is written with fields, as in `ghp_{a36}`: how many characters of which alphabet are random. No sample stands in
this file, so no scanner takes it for a leak; the same random generator gives the same samples.
"""

import base64
import random
import re
import string
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "c": string.ascii_lowercase,
    "d": string.digits,
    "h": "0123456789abcdef",
    "i": "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "l": string.ascii_lowercase + string.digits,
    "s": string.ascii_letters,
    "t": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "U": string.ascii_uppercase + string.digits,
    "w": string.ascii_letters + string.digits + "-_",
}
_FIELD = re.compile(r"\{([a-zA-Z])(\d*)\}")
_SHOWN = 8  # so many random characters in a row are a leak

# Tokens that tell by themselves what they are.
SHAPES: dict[str, tuple[str, ...]] = {
    "adafruit": ("aio_{a28}",),
    "adobe": ("p8e-{l32}",),
    "age": ("AGE-SECRET-KEY-1{t58}",),
    "airtable": ("pat{a14}.{h64}",),
    "aiven": ("AVNS_{w19}",),
    "alibaba": ("LTAI{a20}",),
    "anthropic": ("sk-ant-api03-{w93}AA", "sk-ant-admin01-{w93}AA", "sk-ant-oat01-{w93}AA"),
    "apify": ("apify_api_{a36}",),
    "artifactory": ("AKCp{a69}", "cmVmd{a59}"),
    "asana": ("2/{d16}/{d16}:{h32}",),
    "atlassian": ("ATATT3{w186}", "ATCTT3{w186}", "ATBB{a32}"),
    "authress": ("sc_{l10}.{l4}.acc-{l12}.{b40}",),
    "aws": ("AKIA{i16}", "ASIA{i16}", "ABIA{i16}", "ACCA{i16}"),
    "aws-bedrock": ("ABSK{b128}", "bedrock-api-key-{b64}"),
    "azure-ad": ("{a3}8Q~{w34}",),
    "azure-devops": ("{a76}AZDO{a4}",),
    "azure-storage": ("{b76}+ASt{b6}==",),
    "braintree": ("access_token$production${l16}${h32}",),
    "brevo": ("xkeysib-{h64}-{a16}", "xsmtpsib-{h64}-{a16}"),
    "browserbase": ("bb_live_{w27}",),
    "buildkite": ("bkua_{h40}",),
    "cerebras": ("csk-{l48}",),
    "circleci": ("CCIPAT_{a22}_{h40}", "CCIPRJ_{a22}_{h40}"),
    "clickhouse": ("4b1d{a38}",),
    "clickup": ("pk_{d8}_{U32}",),
    "clojars": ("CLOJARS_{h60}",),
    "cloudflare": ("v1.0-{h24}-{h146}", "cfut_{a40}{h8}"),
    "cockroach": ("CCDB1_{a22}_{a40}",),
    "contentful": ("CFPAT-{w43}",),
    "crates": ("cio{a32}",),
    "databricks": ("dapi{h32}", "dapi{h32}-2"),
    "dbt": ("dbtc_{a40}", "dbtu_{a40}"),
    "defined": ("dnkey-{l26}-{l52}",),
    "deno": ("ddp_{a36}",),
    "digitalocean": ("dop_v1_{h64}", "doo_v1_{h64}", "dor_v1_{h64}"),
    "discord": ("M{a25}.{a6}.{w38}",),
    "docker": ("dckr_pat_{w27}", "dckr_oat_{w32}"),
    "doppler": ("dp.pt.{a43}", "dp.st.dev.{a43}", "dp.ct.{a43}"),
    "dropbox": ("sl.{w135}", "sl.u.{w135}"),
    "duffel": ("duffel_live_{w43}", "duffel_test_{w43}"),
    "dynatrace": ("dt0c01.{U24}.{U64}",),
    "e2b": ("e2b_{h40}",),
    "easypost": ("EZAK{a54}", "EZTK{a54}"),
    "elevenlabs": ("sk_{h48}",),
    "facebook": ("EAAM{a120}", "{d15}|{w27}"),
    "figma": ("figd_{w40}",),
    "firebase": ("AAAA{a7}:APA91b{w134}",),
    "firecrawl": ("fc-{h32}",),
    "fireworks": ("fw_{a24}",),
    "flutterwave": ("FLWSECK_TEST-{h32}-X", "FLWSECK-{h32}-X"),
    "fly": ("fo1_{w43}", "fm2_{b120}"),
    "frameio": ("fio-u-{w64}",),
    "github": ("ghp_{a36}", "gho_{a36}", "ghu_{a36}", "ghs_{a36}", "ghr_{a36}", "github_pat_{a22}_{a59}"),
    "gitlab": ("glpat-{w20}", "gldt-{w20}", "glft-{w20}", "glrt-{w20}", "glptt-{h40}", "glimt-{w25}"),
    "gitlab-long": ("glagent-{w50}", "gloas-{h64}", "glsoat-{w20}", "glffct-{w20}", "glcbt-{a4}_{w20}"),
    "gitlab-runner": ("GR1348941{w20}",),
    "gocardless": ("live_{w40}",),
    "google": ("AIza{w35}", "GOCSPX-{w28}", "ya29.{w60}", "1//0{w60}"),
    "grafana": ("glsa_{a32}_{h8}", "glc_{b60}", "eyJrIjoi{a80}"),
    "groq": ("gsk_{a52}",),
    "harness": ("pat.{w22}.{h24}.{a20}", "sat.{w22}.{h24}.{a20}"),
    "heroku": ("HRKU-AA{w58}",),
    "honeycomb": ("hcaik_{l58}",),
    "hubspot": ("pat-na1-{u}", "pat-eu1-{u}"),
    "huggingface": ("hf_{s34}", "api_org_{s34}"),
    "infisical": ("st.{h24}.{h32}.{h32}",),
    "infracost": ("ico-{a32}",),
    "intra42": ("s-s4t2ud-{h64}",),
    "jina": ("jina_{h32}{w28}",),
    "jsr": ("jsrp_{a44}",),
    "jwt": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIi{a40}.{w43}",),
    "langfuse": ("sk-lf-{u}",),
    "langsmith": ("lsv2_pt_{h32}_{h10}", "lsv2_sk_{h32}_{h10}"),
    "launchdarkly": ("sdk-{u}", "api-{u}"),
    "linear": ("lin_api_{a40}", "lin_oauth_{h64}"),
    "lob": ("live_{h35}", "test_{h35}"),
    "mailchimp": ("{h32}-us12",),
    "mailersend": ("mlsn.{h64}",),
    "mailgun": ("key-{h32}", "{h32}-{h8}-{h8}"),
    "mapbox": ("sk.eyJ1{a56}.{w22}", "pk.{a60}.{w22}"),
    "maxmind": ("{a6}_{a29}_mmk",),
    "mongodb-atlas": ("mdb_sa_sk_{w40}",),
    "neon": ("napi_{l64}",),
    "netlify": ("nfp_{a36}",),
    "newrelic": ("NRAK-{U27}", "NRJS-{h19}", "NRII-{w32}"),
    "notion": ("ntn_{d11}{a35}", "secret_{a43}"),
    "npm": ("npm_{a36}",),
    "nuget": ("oy2{l43}",),
    "nvidia": ("nvapi-{w64}",),
    "octopus": ("API-{U26}",),
    "okta": ("SSWS 00{w40}",),
    "onepassword": ("A3-{U6}-{U11}-{U5}-{U5}-{U5}", "ops_eyJ{b250}"),
    "openai": ("sk-proj-{w74}T3BlbkFJ{w74}", "sk-svcacct-{w58}T3BlbkFJ{w58}", "sk-{a20}T3BlbkFJ{a20}"),
    "openrouter": ("sk-or-v1-{h64}",),
    "openshift": ("sha256~{w43}",),
    "ory": ("ory_pat_{a32}", "ory_st_{a32}"),
    "packagist": ("packagist_ort_{h68}",),
    "perplexity": ("pplx-{a48}",),
    "pinecone": ("pcsk_{a6}_{a63}",),
    "plaid": ("access-production-{u}", "access-sandbox-{u}"),
    "planetscale": ("pscale_tkn_{w43}", "pscale_oauth_{w43}", "pscale_pw_{w43}"),
    "posthog": ("phc_{a43}", "phx_{a43}"),
    "postman": ("PMAK-{h24}-{h34}",),
    "prefect": ("pnu_{a36}",),
    "pubnub": ("sec-c-{a48}",),
    "pulumi": ("pul-{h40}",),
    "pypi": ("pypi-AgEIcHlwaS5vcmc{w80}",),
    "razorpay": ("rzp_live_{a14}", "rzp_test_{a14}"),
    "readme": ("rdme_{l70}",),
    "render": ("rnd_{a28}",),
    "replicate": ("r8_{a37}",),
    "resend": ("re_{a8}_{a24}",),
    "rubygems": ("rubygems_{h48}",),
    "runpod": ("rpa_{U44}",),
    "scalingo": ("tk-us-{w48}",),
    "sendgrid": ("SG.{w22}.{w43}",),
    "sentry": ("sntryu_{h64}", "sntrys_eyJpYXQiO{a60}=_{b43}"),
    "settlemint": ("sm_aat_{a16}", "sm_pat_{a16}", "sm_sat_{a16}"),
    "shippo": ("shippo_live_{h40}", "shippo_test_{h40}"),
    "shopify": ("shpat_{h32}", "shpca_{h32}", "shppa_{h32}", "shpss_{h32}"),
    "slack": ("xoxb-{d12}-{d13}-{a24}", "xoxp-{d12}-{d12}-{d12}-{h32}", "xapp-1-A{U10}-{d13}-{h64}"),
    "slack-config": ("xoxe.xoxp-1-{U166}", "xoxe-1-{U146}"),
    "snyk": ("snyk_uat.{h8}.{w60}",),
    "sonar": ("sqp_{h40}", "squ_{h40}", "sqa_{h40}"),
    "sourcegraph": ("sgp_{h16}_{h40}", "sgp_{h40}"),
    "square": ("EAAA{w60}", "sq0atp-{w22}", "sq0csp-{w43}"),
    "stripe": ("sk_live_{a24}", "rk_live_{a99}", "sk_test_{a24}", "whsec_{a32}"),
    "supabase": ("sbp_{h40}", "sb_secret_{w31}"),
    "tailscale": ("tskey-auth-{a17}-{a32}", "tskey-api-{a17}-{a32}"),
    "tavily": ("tvly-dev-{a32}", "tvly-{a32}"),
    "telegram": ("{d10}:AA{w33}",),
    "tencent": ("AKID{a32}",),
    "terraform": ("{a14}.atlasv1.{w64}",),
    "together": ("tgp_v1_{w43}",),
    "twilio": ("SK{h32}",),
    "twitter": ("AAAAAAAAAAAAAAAAAAAAA{a26}%3D{a50}",),
    "typeform": ("tfp_{a44}_{a14}",),
    "vault": ("hvs.{w95}", "hvb.{w140}", "s.{a24}"),
    "vercel": ("vcp_{a56}", "vck_{a56}"),
    "voyage": ("pa-{w43}",),
    "wakatime": ("waka_{u}",),
    "woocommerce": ("ck_{h40}", "cs_{h40}"),
    "xai": ("xai-{a80}",),
    "yandex": ("AQVN{w36}", "YCAJE{w35}", "t1.{w20}.{w86}", "y0_{w55}"),
    "zoho": ("1000.{h32}.{h32}",),
}  # fmt: skip

# Tokens that only their name makes secrets.
NAMED: dict[str, str] = {
    "algolia": "{h32}", "bitbucket": "{w64}", "bittrex": "{l32}", "codecov": "{l32}", "cohere": "{a40}",
    "coinbase": "{l64}", "confluent": "{a64}", "datadog": "{h40}", "deepgram": "{h40}", "discord_app": "{h64}",
    "droneci": "{a32}", "etsy": "{l24}", "fastly": "{w32}", "finnhub": "{l20}", "flickr": "{h32}",
    "freshbooks": "{h64}", "gitter": "{h40}", "heroku_app": "{u}", "intercom": "{a60}", "kraken": "{b86}==",
    "kucoin": "{h24}", "linkedin": "{a16}", "linode": "{h64}", "mattermost": "{l26}", "messagebird": "{a25}",
    "meraki": "{h40}", "nytimes": "{a32}", "okta_app": "00{w40}", "plaid_app": "{h30}", "privateai": "{l32}",
    "rapidapi": "{l50}", "sendbird": "{h40}", "snyk_app": "{u}", "squarespace": "{u}", "sumologic": "{a64}",
    "travis": "{a22}", "twitch": "{l30}", "twitter_app": "{a50}", "zendesk": "{h40}",
}  # fmt: skip

BARE: dict[str, str] = {
    "alone": "§",
    "in a sentence": "I gave it § and then it worked, so keep it.",
    "in quotes": 'it was "§" all along',
    "at a line's end": "the old one (§)\nis gone; the new one ends the line: §\nso look there",
}

# ¤ is the vendor in lower case, ¢ with a capital, £ in capitals.
ASSIGNED: dict[str, str] = {
    "INI": "[auth]\n¤Token = §\nuser = me",
    "an environment file": "PORT=80\n£_TOKEN=§\nDEBUG=1",
    "JSON": '{"user": "me", "¤_token": "§", "port": 80}',
    "JSON in JSON": '{"body": "{\\"¤_token\\": \\"§\\", \\"port\\": 80}"}',
    "JSON in JSON in JSON": '{"body": "{\\\\\\"¤_token\\\\\\": \\\\\\"§\\\\\\"}"}',
    "XML": "<config>\n  <¤Token>§</¤Token>\n</config>",
    "YAML": "auth:\n  ¤_token: §\n  port: 80\n",
    "a YAML block": "auth:\n  ¤_token: |\n    §\n  port: 80\n",
    "C#": 'private const string ¢Token = "§";',
    "Go": 'const ¤Token string = "§"',
    "Java": 'private static final String £_TOKEN = "§";',
    "Python": "¤_token: str = '§'",
    "Ruby": "config = { ¤_token: '§', :port => 80 }",
    "PHP": "$config['¤_token'] = '§';",
    "Rust": 'let ¤_token: &str = "§";',
    "JavaScript": "const ¤Token = `§`;",
    "TypeScript": 'readonly ¤Token: string = "§";',
    "make": "£_TOKEN ?= §\n\nrun:\n\techo",
    "Dockerfile": "FROM alpine\nARG £_TOKEN=§\nENV PORT=80",
    "Dockerfile with a space": "FROM alpine\nENV £_TOKEN §\nRUN true",
    "a shell": "export £_TOKEN='§' && npm publish",
    "PowerShell": '$env:£_TOKEN = "§"',
    "curl's header": "curl -sH 'Authorization: Bearer §' https://api.example.com/v1",
    "curl's user": "curl -u 'me:§' https://api.example.com/v1",
    "a URL's query": "GET https://api.example.com/v1?token=§&next=2",
    "a connection string": "Server=tcp:db.example.com;User Id=me;Password=§;Encrypt=true;",
    "a header": "POST /v1 HTTP/1.1\nX-¢-Token: §\nAccept: */*",
    "a cookie": "Set-Cookie: ¤_token=§; Path=/; HttpOnly",
    "Terraform": 'provider "¤" {\n  ¤_token = "§"\n}',
    "a Terraform variable": 'variable "¤_token" {\n  type    = string\n  default = "§"\n}',
    "a Kubernetes secret": "kind: Secret\nmetadata:\n  name: ¤\ndata:\n  ¤-token: §\n",
    ".netrc": "machine api.example.com\n  login me\n  password §\n",
}
_ENCODED = {"a Kubernetes secret": lambda token: base64.b64encode(token.encode()).decode()}


@dataclass(frozen=True, slots=True)
class Sample:
    """A secret, and those parts of it that are random."""

    kind: str
    text: str
    random: tuple[str, ...]

    @property
    def runs(self) -> list[str]:
        """Runs of its random characters, of which none may be left to see."""
        return [part[at : at + _SHOWN] for part in self.random for at in range(max(len(part) - _SHOWN + 1, 1))]

    def leaks_into(self, clean: str) -> bool:
        """Whether a run of its random characters is left to see."""
        return any(run in clean for run in self.runs)


def a_sample(kind: str, shape: str, chance: random.Random) -> Sample:
    """A token of this shape, different each time."""
    parts: list[str] = []

    def filled(field: re.Match[str]) -> str:
        if field[1] == "u":
            parts.append(str(UUID(int=chance.getrandbits(128), version=4)))
        else:
            parts.append("".join(chance.choices(_ALPHABETS[field[1]], k=int(field[2]))))
        return parts[-1]

    text = _FIELD.sub(filled, shape)
    return Sample(kind, text, tuple(part for part in parts if len(part) >= _SHOWN) or (max(parts, key=len),))


def samples(kind: str, chance: random.Random, count: int = 3) -> list[Sample]:
    """So many of a kind, of each of its shapes at least one."""
    shapes = SHAPES.get(kind) or (NAMED[kind],)
    return [a_sample(kind, shapes[number % len(shapes)], chance) for number in range(max(count, len(shapes)))]


def carried(sample: Sample, carrier: str) -> tuple[str, Sample]:
    """The sample in a carrier, and what of it must not be seen there."""
    encode: Callable[[str], str] = _ENCODED.get(carrier, str)
    token = encode(sample.text)
    shown = sample if token == sample.text else Sample(sample.kind, token, (token,))
    vendor = sample.kind.partition("-")[0]
    names = {"¤": vendor, "¢": vendor.capitalize(), "£": vendor.upper(), "§": token}
    template = BARE.get(carrier) or ASSIGNED[carrier]
    return re.sub("[¤¢£§]", lambda slot: names[slot[0]], template), shown


def percent_encoded(text: str) -> str:
    """As it stands in a URL."""
    return urllib.parse.quote(text, safe="")
