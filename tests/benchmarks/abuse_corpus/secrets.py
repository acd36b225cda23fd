"""abuse_secrets - synthetic test material for a secret redaction.

Everything here is made up.  Values come from explicit ``random.Random`` objects, so the same
seed always gives the same material; vendor prefixes are split in the source so that no literal of
this file looks like a secret to a scanner.

    KINDS[id]            -> Kind: id, label, family, names, telling, carriers, make(rng) -> Value
    CARRIERS[name]       -> Carrier: name, doc, wrap(rng, kind, value) -> text
    placed(seed, per=1)  -> (kind, carrier, text, parts)
    prose(seed, per=9)   -> (language, phrasing, text, value)
    benign(seed)         -> (category, language, line);  BENIGN_LABELS: the distinct lines alone
    benign_files()       -> paths of real text files of this machine

A ``Value`` is a ``str`` that knows which of its slices are random (secret); fixed text such as a
vendor's prefix, a user name or a host is no part of ``parts``.  ``kind.telling`` is true where
nothing but a name, label or position makes the value a secret.
"""
import base64
import json
import os
import re
import string
import sys
import zlib
from random import Random
from urllib.parse import quote

SEED = 20261122

HEX = "0123456789abcdef"
LOW = string.ascii_lowercase
UPP = string.ascii_uppercase
DIG = string.digits
ABC = LOW + UPP
AN = ABC + DIG
AN_LOW = LOW + DIG
AN_UPP = UPP + DIG
B64 = AN + "+/"
URL64 = AN + "-_"
BASE32 = UPP + "234567"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


# ------------------------------------------------------------------------------------ values
class R(str):
    """A random (secret) segment."""


class Value(str):
    """A secret as found, with its segments ((text, is_random), ...)."""

    def __new__(cls, segs):
        self = super().__new__(cls, "".join(t for t, _ in segs))
        self.segs = tuple(segs)
        return self


def V(*segs):
    return Value([(str(s), isinstance(s, R)) for s in segs if s != ""])


def segs_of(value):
    return value.segs if isinstance(value, Value) else ((str(value), True),)


def rs(rng, alphabet, n):
    """A random segment of n characters."""
    return R("".join(rng.choice(alphabet) for _ in range(n)))


def ident(rng, alphabet, n):
    """Random, but an identifier (no secret)."""
    return "".join(rng.choice(alphabet) for _ in range(n))


def rbytes(rng, n):
    return bytes(rng.getrandbits(8) for _ in range(n))


def b64(data):
    return base64.b64encode(data).decode()


def b64u(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def uuid4(rng):
    h = ident(rng, HEX, 32)
    return "%s-%s-4%s-%s%s-%s" % (h[:8], h[8:12], h[13:16], rng.choice("89ab"), h[17:20], h[20:32])


def base62_crc(body):
    n, out = zlib.crc32(body.encode()) & 0xFFFFFFFF, ""
    alphabet = DIG + UPP + LOW
    while n:
        n, r = divmod(n, 62)
        out = alphabet[r] + out
    return out.rjust(6, "0")


def mixed(rng, alphabet, n, need):
    """n characters of which at least one is from each string in need (not at either end)."""
    while True:
        s = "".join(rng.choice(alphabet) for _ in range(n))
        if all(any(c in group for c in s[1:-1]) for group in need):
            return R(s)


WORDS = ("anchor apple autumn beacon bridge canyon cedar cobalt copper coral delta ember falcon "
         "forest galaxy garden glacier harbor hazel horizon indigo island jasper juniper kestrel "
         "lagoon lantern maple marble meadow meteor mirror nebula ocean olive onyx orbit orchid "
         "panther pepper pilot planet prairie quartz raven ripple river saffron shadow silver "
         "summit sunset thunder timber topaz tundra valley velvet violet walnut willow winter "
         "zephyr").split()
HUMAN = ("Sommer Winter Herbst Fruehling Berlin Hamburg Bonjour Soleil Montagne Verano Madrid "
         "Lisboa Roma Napoli Amsterdam Warszawa Krakow Moskva Kyiv Istanbul Ankara Tokyo Sakura "
         "Seoul Dragon Monkey Tiger Coffee Banana Guitar Football Sunshine Welcome Kaffee Katze "
         "Schatz Fenster Elefant Passion Liberte Estrella Corazon Amore Gatto Fiets Kwiatek").split()
HOSTS = ("db.internal", "10.0.12.7", "db-prod-1.eu-central-1.rds.amazonaws.com", "localhost",
         "postgres", "cache.svc.cluster.local", "192.168.178.40", "mq.example.com",
         "staging-db.example.org", "redis-14221.c55.eu-west-1-1.ec2.cloud.redislabs.com")
USERS = ("admin", "app", "deploy", "root", "postgres", "svc_backup", "ci", "reporting", "anna",
         "jmueller", "web", "sa")
DBS = ("app", "shop", "analytics", "orders_prod", "crm", "keycloak", "test_db")
ORGS = ("acme", "northwind", "contoso", "initech", "octo-org", "bluefin", "widgetworks")
REPOS = ("api", "backend", "infra", "web-shop", "data-pipeline", "mobile", "billing")
SIGNS = "!@#$%^&*()-_=+?.,;:~/[]{}"
SIGNS_MILD = "!#%*+-_=?@^~.$&"


def password(rng, n=None, signs=None):
    """A generated password with digits and signs; begins with a letter, a digit or a mild sign."""
    n = n or rng.choice((10, 12, 12, 14, 16, 16, 18, 20, 20, 24, 28, 32))
    signs = signs or rng.choice((SIGNS, SIGNS_MILD, SIGNS_MILD, "!#-_.*"))
    while True:
        s = "".join(rng.choice(signs) if rng.random() < 0.18 else rng.choice(AN) for _ in range(n))
        if (any(c in DIG for c in s) and any(c in signs for c in s[1:]) and any(c in ABC for c in s)
                and s[0] in AN + "!*+_?~^/" and (s[0] in AN or rng.random() < 0.5)
                and s[-1] not in "$({[:,;=\\" and "${" not in s and "$(" not in s and "://" not in s
                and "{{" not in s and "=>" not in s):
            return s


def human_password(rng):
    while True:
        w, x = rng.choice(HUMAN), rng.choice(HUMAN)
        s = rng.choice((
            "%s%d%s" % (w, rng.randrange(1970, 2027), rng.choice("!#?*.$")),
            "%s%s%d" % (w, rng.choice("-_#!@+"), rng.randrange(10, 9999)),
            "%s%s%s%d" % (w, rng.choice("-_.&+#"), x, rng.randrange(1, 99)),
            "%d%s%s" % (rng.randrange(10, 999), w, rng.choice("!!#$%?") * rng.choice((1, 1, 2))),
            "%s%d%s%s" % (w.replace("a", "4").replace("e", "3").replace("o", "0"),
                          rng.randrange(1, 99), rng.choice("!$%&?"), x[:3].lower()),
        ))
        if len(s) >= 10:
            return s


def url_password(rng):
    """A password as it stands in a URL (percent-encoded or URL-safe)."""
    raw = rng.choice((
        lambda: ident(rng, AN, rng.choice((12, 16, 20, 24, 32))),
        lambda: ident(rng, AN + "-_.~", rng.choice((14, 18, 22))),
        lambda: password(rng, rng.choice((12, 14, 16, 20))),
        lambda: password(rng, rng.choice((12, 16)), "!*-_."),
    ))()
    if raw[-1] in "-_.~" or not any(c in DIG for c in raw):
        raw = raw[:-1] + rng.choice(DIG)
    return quote(raw, safe="!*-_.~")


# ------------------------------------------------------------------------------- private keys
def _lines(text, width=64):
    return [text[i:i + width] for i in range(0, len(text), width)]


def _pem(kind, data, fixed=24, width=64):
    """PEM block whose body is random after the first `fixed` characters (structure)."""
    dash = "-" * 5
    body = b64(data)
    segs = [dash + "BEGIN " + kind + dash + "\n"]
    for i, line in enumerate(_lines(body, width)):
        if i == 0 and fixed:
            segs += [line[:fixed], R(line[fixed:]), "\n"]
        elif i * width < fixed:
            cut = max(0, fixed - i * width)
            segs += [line[:cut], R(line[cut:]), "\n"]
        else:
            segs += [R(line), "\n"]
    segs.append(dash + "END " + kind + dash)
    return V(*segs)


def _der_len(n):
    if n < 128:
        return bytes([n])
    raw = n.to_bytes((n.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(raw)]) + raw


def _tlv(tag, body):
    return bytes([tag]) + _der_len(len(body)) + body


def _int(rng, bits):
    raw = bytearray(rbytes(rng, bits // 8))
    raw[0] |= 0x80
    raw[-1] |= 1
    return _tlv(2, b"\0" + bytes(raw))


def _rsa_der(rng, bits):
    half = bits // 2
    return _tlv(0x30, _tlv(2, b"\0") + _int(rng, bits) + _tlv(2, b"\1\0\1") + _int(rng, bits) +
                b"".join(_int(rng, half) for _ in range(5)))


RSA_ALG = bytes.fromhex("300d06092a864886f70d0101010500")
PRIV = "PRIVATE" + " KEY"


def k_rsa(rng):
    return _pem("RSA " + PRIV, _rsa_der(rng, rng.choice((2048, 2048, 4096))), 16)


def k_pkcs8(rng):
    return _pem(PRIV, _tlv(0x30, _tlv(2, b"\0") + RSA_ALG + _tlv(4, _rsa_der(rng, 2048))), 52)


def k_pkcs8_ed(rng):
    return _pem(PRIV, bytes.fromhex("302e020100300506032b657004220420") + rbytes(rng, 32), 22)


def k_pkcs8_enc(rng):
    head = bytes.fromhex("308204ff304906092a864886f70d01050d303c301b06092a864886f70d01050c300e0408")
    return _pem("ENCRYPTED " + PRIV, head + rbytes(rng, 1247), 48)


def k_ec(rng):
    der = (bytes.fromhex("30770201010420") + rbytes(rng, 32) + bytes.fromhex("a00a06082a8648ce3d030107")
           + bytes.fromhex("a14403420004") + rbytes(rng, 64))
    return _pem("EC " + PRIV, der, 12)


def _ssh_str(b):
    return len(b).to_bytes(4, "big") + b


def k_openssh(rng):
    pub, seed, chk = rbytes(rng, 32), rbytes(rng, 32), rbytes(rng, 4)
    comment = (rng.choice(USERS) + "@" + rng.choice(("laptop", "build-1", "mbp", "wks04"))).encode()
    body = (chk + chk + _ssh_str(b"ssh-ed25519") + _ssh_str(pub) + _ssh_str(seed + pub)
            + _ssh_str(comment))
    body += bytes(range(1, 1 + (-len(body)) % 8))
    data = (b"openssh-key-v1\0" + _ssh_str(b"none") + _ssh_str(b"none") + _ssh_str(b"")
            + (1).to_bytes(4, "big") + _ssh_str(_ssh_str(b"ssh-ed25519") + _ssh_str(pub)) + _ssh_str(body))
    # random: public key, check numbers, seed; fixed: the header, the type name in the middle
    dash, text = "-" * 5, b64(data)
    at = data.index(body)
    runs = [(data.index(pub), data.index(pub) + 32), (at, at + 8),
            (at + 8 + 15 + 4, at + 8 + 15 + 4 + 32), (at + 8 + 15 + 4 + 32 + 4, at + 8 + 15 + 4 + 32 + 4 + 64)]
    marks = [False] * len(text)
    for a, b in runs:
        for i in range(-(-a * 4 // 3) // 4 * 4 + (4 if a % 3 else 0), b // 3 * 4):
            marks[i] = True
    segs = [dash + "BEGIN OPENSSH " + PRIV + dash + "\n"]
    for i in range(0, len(text), 70):
        chunk, mk, j = text[i:i + 70], marks[i:i + 70], 0
        while j < len(chunk):
            k = j
            while k < len(chunk) and mk[k] == mk[j]:
                k += 1
            segs.append(R(chunk[j:k]) if mk[j] else chunk[j:k])
            j = k
        segs.append("\n")
    segs.append(dash + "END OPENSSH " + PRIV + dash)
    return V(*segs)


def k_openssh_rsa(rng):
    head = (b"openssh-key-v1\0" + _ssh_str(b"none") + _ssh_str(b"none") + _ssh_str(b"")
            + (1).to_bytes(4, "big") + (279).to_bytes(4, "big") + _ssh_str(b"ssh-rsa") + _ssh_str(b"\1\0\1"))
    return _pem("OPENSSH " + PRIV, head + rbytes(rng, 1700), len(head) // 3 * 4 + 12, 70)


def _crc24(data):
    crc = 0xB704CE
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc <<= 1
            if crc & 0x1000000:
                crc ^= 0x1864CFB
    return crc.to_bytes(3, "big")


def k_pgp(rng):
    data = bytes.fromhex("95058604") + rng.randrange(1500000000, 1790000000).to_bytes(4, "big") + b"\x01\x10\0" + rbytes(rng, 900)
    dash, block = "-" * 5, "PGP " + PRIV + " BLOCK"
    segs = [dash + "BEGIN " + block + dash + "\n" + rng.choice(("", "Version: GnuPG v2\n")) + "\n"]
    for i, line in enumerate(_lines(b64(data))):
        segs += [line[:16], R(line[16:]), "\n"] if i == 0 else [R(line), "\n"]
    segs.append("=" + b64(_crc24(data)) + "\n" + dash + "END " + block + dash)
    return V(*segs)


def k_putty(rng):
    segs = ["PuTTY-User-Key-" + "File-3: ssh-ed25519\nEncryption: none\nComment: eddsa-key-2025\n"
            "Public-Lines: 2\n", b64(bytes.fromhex("0000000b7373682d6564323535313900000020"))[:20],
            ident(rng, B64, 44), "\n", ident(rng, B64, 15) + "=\nPrivate-Lines: 1\n", R(b64(rbytes(rng, 36))),
            "\nPrivate-MAC: " + ident(rng, HEX, 64)]
    return V(*segs)


def k_gcp_sa(rng):
    project = rng.choice(ORGS) + "-" + rng.choice(("prod", "dev", "ml")) + "-" + str(rng.randrange(100000, 999999))
    mail = "%s@%s.iam.gserviceaccount.com" % (rng.choice(("ci-deployer", "backup", "terraform")), project)
    key = _pem(PRIV, _tlv(0x30, _tlv(2, b"\0") + RSA_ALG + _tlv(4, _rsa_der(rng, 2048))), 52)
    segs = ['{\n  "type": "service_account",\n  "project_id": "%s",\n  "private_key_id": "%s",\n  "private_key": "'
            % (project, ident(rng, HEX, 40))]
    for text, rnd in key.segs:
        text = text.replace("\n", "\\n")
        segs.append(R(text) if rnd else text)
    segs.append('\\n",\n  "client_email": "%s",\n  "client_id": "%s",\n  "auth_uri": "https://accounts.google.com/o/oauth2/auth",\n'
                '  "token_uri": "https://oauth2.googleapis.com/token"\n}' % (mail, ident(rng, DIG, 21)))
    return V(*segs)


# ------------------------------------------------------------------------------------- tokens
def simple(prefix, alphabet, n, suffix=""):
    """prefix + n (a number or (low, high)) random characters + suffix."""
    def make(rng):
        m = n if isinstance(n, int) else rng.randint(*n)
        # tokens of one case of letters or hex only always hold a digit in the middle
        need = [DIG] if any(c in DIG for c in alphabet) else []
        return V(prefix, mixed(rng, alphabet, m, need), suffix)
    return make


def hexkey(n):
    return simple("", HEX, n)


def k_aws_id(prefix):
    return lambda rng: V(prefix, rs(rng, BASE32, 16))


def aws_secret(rng):
    return V(R(mixed(rng, B64, 40, [DIG, UPP, LOW])))


def aws_secret_slash(rng):
    return V(R("/" + mixed(rng, B64, 39, [DIG, UPP, LOW])))


def aws_secret_plus(rng):
    return V(R(mixed(rng, B64, 40, [DIG, "+", "+/"])))


def aws_session(rng):
    return V("IQoJb3JpZ2lu" + "X2Vj", rs(rng, B64, rng.choice((356, 520, 640))), "==")


def aws_bedrock(rng):
    head = ("BedrockAPIKey-" + ident(rng, AN_LOW, 4) + "-at-" + ident(rng, DIG, 12) + ":").encode()
    sec = rbytes(rng, 48)
    while (len(head)) % 3:
        head = head[:-1] + b"0:"
    return V("AB" + "SK" + b64(head), R(b64(b64(sec).encode())))


def github(prefix):
    def make(rng):
        body = ident(rng, AN, 30)
        return V(prefix, R(body + base62_crc(body)))
    return make


def github_fine(rng):
    return V("github" + "_pat_", R("11" + ident(rng, AN_UPP, 9) + "0" + ident(rng, AN, 10) + "_" + ident(rng, AN, 59)))


def openai(prefix, n):
    return lambda rng: V(prefix, mixed(rng, URL64 if n > 20 else AN, n, [DIG]), "T3Blbk" + "FJ",
                         mixed(rng, URL64 if n > 20 else AN, n, [DIG]))


def anthropic(mid):
    return lambda rng: V("sk-" + "ant-" + mid + "-", mixed(rng, URL64, 93, [DIG]), "AA")


def slack_bot(rng):
    return V("xox" + "b-", ident(rng, "123456789", 12) + "-" + ident(rng, "123456789", 13) + "-", mixed(rng, AN, 24, [DIG]))


def slack_user(rng):
    return V("xox" + "p-", "-".join(ident(rng, "123456789", 12) for _ in range(3)) + "-", rs(rng, HEX, 32))


def slack_app(rng):
    return V("xa" + "pp-1-A", ident(rng, AN_UPP, 10) + "-" + ident(rng, "123456789", 13) + "-", rs(rng, HEX, 64))


def slack_hook(rng):
    return V("https://hooks.slack" + ".com/services/", "T" + ident(rng, AN_UPP, 10) + "/B" + ident(rng, AN_UPP, 10) + "/",
             mixed(rng, AN, 24, [DIG]))


def discord_hook(rng):
    return V("https://discord" + ".com/api/webhooks/", ident(rng, "123456789", 19) + "/", mixed(rng, URL64, 68, [DIG]))


def teams_hook(rng):
    return V("https://%s.webhook.office" % rng.choice(ORGS) + ".com/webhookb2/" + uuid4(rng) + "@" + uuid4(rng)
             + "/IncomingWebhook/", R(ident(rng, HEX, 32)), "/" + uuid4(rng))


def discord_bot(rng):
    user = b64u(str(rng.randrange(10 ** 17, 10 ** 19)).encode())
    return V(user + ".", ident(rng, URL64, 6), ".", mixed(rng, URL64, 27 if len(user) == 24 else 38, [DIG]))


def telegram(rng):
    return V(ident(rng, "123456789", rng.choice((9, 10))) + ":", "A" + "A", mixed(rng, URL64, 33, [DIG]))


def two(prefix, a1, n1, sep, a2, n2):
    return lambda rng: V(prefix, R(mixed(rng, a1, n1, [DIG]) + sep + mixed(rng, a2, n2, [DIG])))


def pypi(rng):
    body = b"\x02\x01\x08pypi.org\x02\x24" + uuid4(rng).encode()
    caveat = ('[2,["%s"]]' % uuid4(rng)).encode() if rng.random() < 0.5 else b'{"version": 1, "permissions": "user"}'
    body += b"\x00\x02" + bytes([len(caveat)]) + caveat + b"\x00\x00\x06\x20"
    text = b64u(body + rbytes(rng, 32))
    cut = -(-len(body) * 4 // 3)
    return V("py" + "pi-", text[:cut], R(text[cut:]))


def jwt(alg):
    def make(rng):
        head = {"alg": alg, "typ": "JWT"}
        if alg != "HS256":
            head["kid"] = ident(rng, HEX, 16)
        now = rng.randrange(1700000000, 1790000000)
        body = {"sub": str(rng.randrange(1000, 999999)), "name": rng.choice(USERS), "iat": now, "exp": now + 3600,
                "jti": uuid4(rng)}
        n = {"HS256": 43, "ES256": 86, "RS256": 342}[alg]
        h = b64u(json.dumps(head, separators=(",", ":")).encode())
        p = b64u(json.dumps(body, separators=(",", ":")).encode())
        return V(h + "." + p + ".", mixed(rng, URL64, n, [DIG]))
    return make


def supabase_jwt(rng):
    h = b64u(b'{"alg":"HS256","typ":"JWT"}')
    now = rng.randrange(1700000000, 1790000000)
    p = b64u(json.dumps({"iss": "supabase", "ref": ident(rng, LOW, 20), "role": "service_role", "iat": now,
                         "exp": now + 315360000}, separators=(",", ":")).encode())
    return V(h + "." + p + ".", mixed(rng, URL64, 43, [DIG]))


def sentry_org(rng):
    body = b64(json.dumps({"iat": rng.randrange(17 * 10 ** 8, 179 * 10 ** 7) + rng.randrange(10 ** 6) / 1e6,
                           "url": "https://sentry.io", "region_url": "https://de.sentry.io", "org": rng.choice(ORGS)},
                          separators=(",", ":")).encode())
    return V("sntr" + "ys_" + body + "_", mixed(rng, B64, 43, [DIG]))


def grafana_cloud(rng):
    head = b'{"o":"%d","n":"stack-%d-%s","k":"' % (rng.randrange(10 ** 5, 10 ** 6), rng.randrange(10 ** 5, 10 ** 6),
                                                    rng.choice(ORGS).encode())
    while len(head) % 3:
        head = head.replace(b'"n":"', b'"n":"x', 1)
    return V("gl" + "c_" + b64(head), R(b64(ident(rng, AN, 24).encode())), b64(b'","m":{"r":"eu"}}'))


def atlassian(rng):
    return V("ATA" + "TT3xFfGF0", mixed(rng, URL64, 171, [DIG]), "=" + ident(rng, "0123456789ABCDEF", 8))


def onepassword(rng):
    return V("A" + "3-", R("-".join(ident(rng, "23456789ABCDEFGHJKLMNPQRSTVWXYZ", n) for n in (6, 6, 5, 5, 5, 5))))


def onepassword_sa(rng):
    head = b'{"signInAddress":"my.1password.com","userAuth":{"method":"SRPg-4096","alg":"PBES2g-HS256","iterations":650000},"secretKey":"'
    head += b" " * (-len(head) % 3)
    return V("op" + "s_" + b64(head), mixed(rng, B64, 400, [DIG]))


def age_key(rng):
    return V("AGE-SECRET" + "-KEY-1", rs(rng, BECH32, 58))


def asana(rng):
    n = ident(rng, "123456789", 16)
    return V(rng.choice(("1/" + n, "2/%s/%s" % (n, ident(rng, "123456789", 16)))) + ":", rs(rng, HEX, 32))


def notion_new(rng):
    return V("nt" + "n_", R(ident(rng, DIG, 11) + ident(rng, AN, 35)))


def azure_storage(rng):
    return V(R(b64(rbytes(rng, 64))))


def azure_conn(rng):
    return V("DefaultEndpointsProtocol=https;AccountName=%s%s;AccountKey=" % (rng.choice(("stprod", "backup", "data")),
             ident(rng, DIG, 4)), R(b64(rbytes(rng, 64))), ";EndpointSuffix=core.windows.net")


def azure_bus(rng):
    return V("Endpoint=sb://%s-bus.servicebus.windows.net/;SharedAccessKeyName=Root" "ManageSharedAccessKey;SharedAccessKey="
             % rng.choice(ORGS), R(b64(rbytes(rng, 32))))


def azure_cosmos(rng):
    return V("AccountEndpoint=https://%s-cosmos.documents.azure.com:443/;AccountKey=" % rng.choice(ORGS),
             R(b64(rbytes(rng, 64))), ";")


def azure_sql(rng):
    return V("Server=tcp:%s-sql.database.windows.net,1433;Initial Catalog=%s;User ID=%s;Password="
             % (rng.choice(ORGS), rng.choice(DBS), rng.choice(USERS)),
             R(password(rng, rng.choice((12, 16, 20)), "!#*-_.^")), ";Encrypt=True;Connection Timeout=30;")


def mssql_conn(rng):
    return V("Server=%s;Database=%s;User Id=%s;Pwd=" % (rng.choice(HOSTS), rng.choice(DBS), rng.choice(USERS)),
             R(password(rng, rng.choice((12, 16, 20)), "!#*-_.^")), ";TrustServerCertificate=true")


def libpq_conn(rng):
    return V("host=%s port=5432 dbname=%s user=%s password=" % (rng.choice(HOSTS), rng.choice(DBS), rng.choice(USERS)),
             R(password(rng, rng.choice((12, 16, 20)), "!#*-_.^")), " sslmode=require")


def jdbc(rng):
    return V("jdbc:mysql://%s:3306/%s?user=%s&password=" % (rng.choice(HOSTS), rng.choice(DBS), rng.choice(USERS)),
             R(url_password(rng)), "&useSSL=true")


def azure_ad(rng):
    return V(R(ident(rng, AN + "_.", 3) + rng.choice(DIG) + "Q~" + ident(rng, AN + "_.-", 34)))


def azure_devops(rng):
    return V(R(mixed(rng, AN, 76, [DIG])), "AZ" + "DO", ident(rng, AN_LOW, 4))


def azure_sas(rng):
    return V("https://%sdata.blob.core.windows.net/%s?sv=2023-11-03&ss=b&srt=sco&sp=rl&se=2027-01-31T23:59:59Z&spr=https&sig="
             % (rng.choice(ORGS).replace("-", ""), rng.choice(("exports", "backup"))), R(quote(b64(rbytes(rng, 32)), safe="")))


def gcp_oauth(rng):
    return V("ya" + "29.", "a0A" , mixed(rng, URL64, rng.choice((160, 210)), [DIG]))


def gcp_refresh(rng):
    return V("1/" + "/0", ident(rng, DIG, 1) + "C" , mixed(rng, URL64, 97, [DIG]))


def square_token(rng):
    return V("EA" + "AA", mixed(rng, URL64, 60, [DIG]))


def mapbox(rng):
    body = b64u(json.dumps({"u": rng.choice(ORGS), "a": "cm" + ident(rng, AN_LOW, 23)}, separators=(",", ":")).encode())
    return V("s" + "k." + body + ".", mixed(rng, URL64, 22, [DIG]))


def fly(rng):
    return V("FlyV1 " + "fm" + "2_", mixed(rng, B64, 560, [DIG]))


def vault(rng):
    return V("hv" + "s.CAESI", mixed(rng, URL64, rng.choice((88, 90)), [DIG]))


def url_db(scheme, port, user=True, path=True, tail=""):
    def make(rng):
        host = rng.choice(HOSTS)
        return V("%s://%s:" % (scheme, rng.choice(USERS) if user else rng.choice(("", "default"))), R(url_password(rng)),
                 "@%s%s%s%s" % (host, ":%d" % port if port else "", "/" + rng.choice(DBS) if path else "/0", tail))
    return make


def url_mongo(rng):
    return V("mongodb+srv://%s:" % rng.choice(USERS), R(url_password(rng)), "@cluster%d.%s.mongodb.net/%s?retryWrites=true&w=majority"
             % (rng.randrange(9), ident(rng, AN_LOW, 5), rng.choice(DBS)))


def url_https(rng):
    return V("https://%s:" % rng.choice(USERS), R(url_password(rng)), "@%s/%s" % (rng.choice(
        ("nexus.example.com", "pypi.internal.example.com", "grafana.example.org", "artifacts.acme.io", "registry.example.net")),
        rng.choice(("repository/npm/", "simple", "api/v1/health", "v2/_catalog"))))


def url_redis_b64(rng):
    return V("redis://:", R(mixed(rng, AN + "+", 43, ["+", DIG])), "=@%s:6379" % rng.choice(HOSTS))


def url_snowflake(rng):
    return V("snowflake://%s:" % rng.choice(USERS), R(url_password(rng)), "@%s-ab%d/%s/public?warehouse=wh" % (
        rng.choice(("acmeorg", "xy12345")), rng.randrange(10000, 99999), rng.choice(DBS)))


def basic_auth(rng):
    user = rng.choice(USERS)
    head = user + ":"
    while len(head) % 3:
        user += rng.choice(LOW)
        head = user + ":"
    return V("Basic " + b64(head.encode()), R(b64((password(rng, rng.choice((12, 15, 18, 20)))).encode())))


def bearer(rng):
    return V("Bearer ", R(rng.choice(AN) + mixed(rng, AN + "-._", rng.choice((32, 40, 48, 64)), [DIG, UPP, LOW]) + rng.choice(AN)))


def docker_auth(rng):
    head = rng.choice(("deploybot:", "ci12345:", "svc:mirror:")).replace("svc:", "svc-")
    head = head if len(head) % 3 == 0 else (head[:-1] + "x" * (-len(head) % 3) + ":")
    return V(b64(head.encode()), R(b64(password(rng, 20, "-_.!").encode())))


def django_key(rng):
    return V(R(mixed(rng, "abcdefghijklmnopqrstuvwxyz0123456789!@#%^&*(-_=+)", 50, [DIG, "!@#%^&*(-_=+)"])))


def laravel_key(rng):
    return V("base64:", R(b64(rbytes(rng, 32))))


def b64key(n):
    return lambda rng: V(R(b64(rbytes(rng, n))))


def express_sid(rng):
    return V("s%3A", R(mixed(rng, URL64, 32, [DIG]) + "." + quote(mixed(rng, B64, 43, [DIG]), safe="")))


def newrelic_license(rng):
    return V(R(ident(rng, HEX, 32)), "FFFFN" + "RAL")


def hubspot(rng):
    return V("pat-" + rng.choice(("na1", "eu1")) + "-", R(uuid4(rng)))


def uuid_key(rng):
    return V(R(uuid4(rng)))


def pre_uuid(prefix):
    return lambda rng: V(prefix, R(uuid4(rng)))


def stripe(prefix):
    def make(rng):
        if rng.random() < 0.35:
            return V(prefix, mixed(rng, AN, 24, [DIG]))
        return V(prefix + "51", mixed(rng, AN, 97, [DIG]))
    return make


def letters_password(rng):
    return V(R("".join(rng.choice(WORDS) for _ in range(2))))


def circle(rng):
    return V("CCI" + "PAT_", R(ident(rng, AN, 22) + "_" + ident(rng, HEX, 40)))


def dropbox(rng):
    return V("s" + "l.u.", "A", mixed(rng, URL64, 180, [DIG]))


def docker_hub_new(rng):
    return V("dckr" + "_pat_", mixed(rng, URL64, 27, [DIG]))


def linkedin_like(n):
    return simple("", AN, n)


def htpasswd_like(rng):
    return V("$2y$" + "10$", mixed(rng, AN + "./", 53, [DIG]))


def wireguard(rng):
    return V(R(b64(rbytes(rng, 32))))


def totp_seed(rng):
    return V(R(ident(rng, BASE32, 32)))


# ---------------------------------------------------------------------------------- registry
class Kind:
    def __init__(self, id, label, make, names, family, telling, header, user, extra, without, sites):
        self.id, self.label, self.make, self.names = id, label, make, tuple(names)
        self.family, self.telling, self.header, self.user = family, telling, header, user
        self.extra, self.without, self.sites, self.carriers = extra, without, sites, ()

    def __repr__(self):
        return "<Kind %s>" % self.id


KINDS = {}


def K(id, label, make, names, family="token", header=None, user=None, extra="", without="", sites=None):
    assert id not in KINDS, id
    KINDS[id] = Kind(id, label, make, names.split(), family,
                     family in ("named", "password", "letters", "cookie", "named_id"), header, user,
                     extra.split(), without.split(), sites)


AUTH = "Authorization: Bearer {}"
GIT = "git_remote git_credentials netrc flag_p"
# --- clouds
K("aws_access_key_id", "AWS access key id", k_aws_id("AK" + "IA"), "AWS_ACCESS_KEY_ID", extra="aws_credentials",
  without="curl_H http_header flag_p url_query py_request stack_trace helm_set")
K("aws_temp_key_id", "AWS temporary access key id", k_aws_id("AS" + "IA"), "AWS_ACCESS_KEY_ID", extra="aws_credentials",
  without="curl_H http_header flag_p url_query py_request stack_trace helm_set")
K("aws_secret_access_key", "AWS secret access key", aws_secret, "AWS_SECRET_ACCESS_KEY", "named", extra="aws_credentials aws_pair aws_configure",
  without="curl_H http_header flag_p url_query py_request")
K("aws_secret_key_slash", "AWS secret access key", aws_secret_slash, "AWS_SECRET_ACCESS_KEY", "named", extra="aws_credentials aws_pair aws_configure",
  without="curl_H http_header flag_p url_query py_request")
K("aws_secret_key_plus", "AWS secret access key", aws_secret_plus, "AWS_SECRET_ACCESS_KEY", "named", extra="aws_credentials aws_pair aws_configure",
  without="curl_H http_header flag_p url_query py_request")
K("aws_session_token", "AWS session token", aws_session, "AWS_SESSION_TOKEN", extra="aws_credentials",
  without="parens_end md_table flag_p url_query concat_one_line", header="X-Amz-Security-Token: {}")
K("aws_bedrock_key", "Bedrock API key", aws_bedrock, "AWS_BEARER_TOKEN_BEDROCK", header=AUTH)
K("azure_storage_key", "Azure storage account key", azure_storage, "AZURE_STORAGE_KEY AZURE_STORAGE_ACCOUNT_KEY", "named", without="curl_H http_header url_query py_request")
K("azure_storage_connection", "Azure storage connection string", azure_conn, "AZURE_STORAGE_CONNECTION_STRING", "connstr")
K("azure_servicebus_connection", "Service Bus connection string", azure_bus, "SERVICEBUS_CONNECTION_STRING", "connstr")
K("azure_cosmos_connection", "Cosmos DB connection string", azure_cosmos, "COSMOS_CONNECTION_STRING", "connstr")
K("azure_sql_connection", "Azure SQL connection string", azure_sql, "SQL_CONNECTION_STRING", "connstr")
K("mssql_connection", "SQL Server connection string", mssql_conn, "DEFAULT_CONNECTION", "connstr")
K("libpq_connection", "libpq connection string", libpq_conn, "PG_DSN PG_CONNINFO", "connstr")
K("azure_ad_client_secret", "Entra client secret", azure_ad, "AZURE_CLIENT_SECRET ARM_CLIENT_SECRET", header=None, extra="flag_p_az")
K("azure_devops_pat", "Azure DevOps PAT", azure_devops, "AZURE_DEVOPS_EXT_PAT SYSTEM_ACCESSTOKEN", user="ado", extra="git_remote curl_u")
K("azure_sas_url", "Azure SAS URL", azure_sas, "BLOB_SAS_URL", "url")
K("azure_openai_key", "Azure OpenAI key", hexkey(32), "AZURE_OPENAI_API_KEY", "named", header="api-key: {}")
K("gcp_api_key", "Google API key", simple("AI" + "za", URL64, 35), "GOOGLE_API_KEY GEMINI_API_KEY GOOGLE_MAPS_API_KEY",
  header="x-goog-api-key: {}")
K("gcp_service_account", "GCP service account key file", k_gcp_sa, "GOOGLE_APPLICATION_CREDENTIALS_JSON GCP_SA_KEY", "jsonfile")
K("gcp_oauth_client_secret", "Google OAuth client secret", simple("GOC" + "SPX-", URL64, 28), "GOOGLE_CLIENT_SECRET")
K("gcp_access_token", "Google access token", gcp_oauth, "GOOGLE_OAUTH" + "_ACCESS_TOKEN", header=AUTH)
K("gcp_refresh_token", "Google refresh token", gcp_refresh, "GOOGLE_REFRESH_TOKEN")
K("alibaba_key_id", "Alibaba AccessKey id", simple("LT" + "AI5t", AN, 18), "ALIBABA_CLOUD_ACCESS_KEY_ID", without="curl_H http_header url_query py_request")
K("alibaba_secret", "Alibaba AccessKey secret", simple("", AN, 30), "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "named", without="curl_H http_header url_query py_request")
K("digitalocean_pat", "DigitalOcean token", simple("do" + "p_v1_", HEX, 64), "DIGITALOCEAN_TOKEN DO_TOKEN", header=AUTH)
K("digitalocean_oauth", "DigitalOcean OAuth token", simple("do" + "o_v1_", HEX, 64), "DIGITALOCEAN_ACCESS_TOKEN", header=AUTH)
K("heroku_api_key", "Heroku API key", uuid_key, "HEROKU_API_KEY", "named", header=AUTH, extra="netrc")
K("heroku_hrku", "Heroku API key", simple("HRK" + "U-AA", URL64, 58), "HEROKU_API_KEY", header=AUTH, extra="netrc")
K("cloudflare_token", "Cloudflare API token", simple("", URL64, 40), "CLOUDFLARE_API_TOKEN CF_API_TOKEN", "named", header=AUTH)
K("cloudflare_user_token", "Cloudflare API token", lambda rng: V("cf" + "ut_", R(mixed(rng, AN, 40, [DIG]) + ident(rng, HEX, 8))), "CLOUDFLARE_API_TOKEN", header=AUTH)
K("cloudflare_global_key", "Cloudflare global API key", hexkey(37), "CLOUDFLARE_API_KEY CF_API_KEY", "named", header="X-Auth-Key: {}")
K("cloudflare_origin_ca", "Cloudflare Origin CA key", two("v1" + ".0-", HEX, 24, "-", HEX, 146), "CLOUDFLARE_API_USER_SERVICE_KEY",
  header="X-Auth-User-Service-Key: {}", without="md_table parens_end")
K("fastly_token", "Fastly API token", simple("", URL64, 32), "FASTLY_API_TOKEN FASTLY_API_KEY", "named", header="Fastly-Key: {}")
K("netlify_token", "Netlify token", simple("nf" + "p_", AN, 36), "NETLIFY_AUTH_TOKEN", header=AUTH)
K("vercel_token", "Vercel token", simple("", AN, 24), "VERCEL_TOKEN", "named", header=AUTH)
K("supabase_access_token", "Supabase access token", simple("sb" + "p_", HEX, 40), "SUPABASE_ACCESS_TOKEN", header=AUTH)
K("supabase_secret_key", "Supabase secret key", two("sb_sec" + "ret_", URL64, 22, "_", URL64, 8), "SUPABASE_SECRET_KEY", header="apikey: {}")
K("supabase_service_role", "Supabase service_role key", supabase_jwt, "SUPABASE_SERVICE_ROLE_KEY", header="apikey: {}")
K("flyio_token", "Fly.io token", fly, "FLY_API_TOKEN", "connstr", without="flag_eq inline_env xml_attr md_table")
K("planetscale_token", "PlanetScale service token", simple("pscale" + "_tkn_", URL64, 43), "PLANETSCALE_SERVICE_TOKEN")
K("planetscale_password", "PlanetScale password", simple("pscale" + "_pw_", URL64, 43), "PLANETSCALE_DB_PASSWORD", extra="mysql_p")
K("neon_api_key", "Neon API key", simple("nap" + "i_", AN_LOW, 64), "NEON_API_KEY", header=AUTH)
K("render_api_key", "Render API key", simple("rn" + "d_", AN, 28), "RENDER_API_KEY", header=AUTH)
K("tailscale_key", "Tailscale auth key", two("tskey-" + "auth-", AN, 17, "-", AN, 32), "TS_AUTHKEY TAILSCALE_AUTHKEY")
# --- code hosting, packages, CI
K("github_pat", "GitHub personal access token", github("gh" + "p_"), "GITHUB_TOKEN GH_TOKEN", header="Authorization: token {}",
  extra=GIT + " npmrc gh_login", user="git", sites=("github.com", "ghcr.io"))
K("github_oauth", "GitHub OAuth token", github("gh" + "o_"), "GITHUB_TOKEN GH_OAUTH_TOKEN", header=AUTH, extra=GIT + " gh_hosts", user="x", sites=("github.com", "ghcr.io"))
K("github_user_server", "GitHub user-to-server token", github("gh" + "u_"), "COPILOT_TOKEN GITHUB_TOKEN", header=AUTH)
K("github_server_server", "GitHub Actions token", github("gh" + "s_"), "GITHUB_TOKEN ACTIONS_TOKEN", header=AUTH, extra=GIT, user="x-access-token", sites=("github.com", "ghcr.io"))
K("github_refresh", "GitHub refresh token", github("gh" + "r_"), "GITHUB_REFRESH_TOKEN", without="curl_H http_header py_request")
K("github_fine_grained", "fine-grained GitHub token", github_fine, "GITHUB_TOKEN GH_PAT", header=AUTH, extra=GIT + " npmrc gh_login", user="git", sites=("github.com", "ghcr.io"))
K("gitlab_pat", "GitLab personal access token", simple("gl" + "pat-", URL64, 20), "GITLAB_TOKEN GITLAB_PAT", header="PRIVATE-TOKEN: {}",
  extra=GIT + " npmrc", user="oauth2", sites=("gitlab.com", "registry.gitlab.com"))
K("gitlab_pat_routable", "GitLab personal access token", lambda rng: V("gl" + "pat-", R(ident(rng, URL64, 27)), ".01." + ident(rng, AN_LOW, 9)),
  "GITLAB_TOKEN", header="PRIVATE-TOKEN: {}", extra=GIT, user="oauth2", sites=("gitlab.com", "registry.gitlab.com"))
K("gitlab_deploy_token", "GitLab deploy token", simple("gl" + "dt-", URL64, 20), "CI_DEPLOY_PASSWORD GITLAB_DEPLOY_TOKEN", extra=GIT,
  user="gitlab+deploy-token-11", header="Deploy-Token: {}", sites=("gitlab.com", "registry.gitlab.com"))
K("gitlab_runner_token", "GitLab runner token", simple("gl" + "rt-", URL64, 20), "CI_SERVER_TOKEN RUNNER_TOKEN")
K("gitlab_job_token", "GitLab job token", two("gl" + "cbt-", AN_LOW, 3, "_", URL64, 20), "CI_JOB_TOKEN", header="JOB-TOKEN: {}", extra=GIT,
  user="gitlab-ci-token", sites=("gitlab.com", "registry.gitlab.com"))
K("gitlab_trigger_token", "GitLab trigger token", simple("gl" + "ptt-", HEX, 40), "TRIGGER_TOKEN")
K("gitlab_oauth_secret", "GitLab OAuth application secret", simple("gl" + "oas-", URL64, 64), "GITLAB_OAUTH_SECRET GITLAB_CLIENT_SECRET")
K("gitlab_feed_token", "GitLab feed token", simple("gl" + "ft-", URL64, 20), "GITLAB_FEED_TOKEN")
K("bitbucket_app_password", "Bitbucket app password", lambda rng: V("AT" + "BB", R(mixed(rng, AN, 24, [DIG]) + ident(rng, "0123456789ABCDEF", 8))),
  "BITBUCKET_APP_PASSWORD", extra="git_remote git_credentials curl_u", user="jmueller", sites=("bitbucket.org",))
K("npm_token", "npm token", github("np" + "m_"), "NPM_TOKEN NODE_AUTH_TOKEN", header=AUTH, extra="npmrc", sites=("registry.npmjs.org",))
K("pypi_token", "PyPI token", pypi, "PYPI_TOKEN TWINE_PASSWORD UV_PUBLISH_TOKEN", extra="pypirc flag_p_twine", user="__token__",
  without="curl_H http_header url_query py_request")
K("rubygems_key", "RubyGems API key", simple("rubyg" + "ems_", HEX, 48), "GEM_HOST_API_KEY RUBYGEMS_API_KEY", header="Authorization: {}", extra="gem_credentials")
K("crates_io_token", "crates.io token", simple("ci" + "o", AN, 32), "CARGO_REGISTRY_TOKEN", header="Authorization: {}", extra="cargo_credentials")
K("docker_hub_pat", "Docker Hub token", docker_hub_new, "DOCKERHUB_TOKEN DOCKER_PASSWORD", extra="flag_p curl_u", user="acmebot", sites=("docker.io",))
K("docker_config_auth", "Docker registry auth", docker_auth, "DOCKER_AUTH", "dockerauth")
K("nuget_key", "NuGet API key", simple("oy" + "2", AN_LOW, 43), "NUGET_API_KEY", header="X-NuGet-ApiKey: {}")
K("artifactory_key", "Artifactory API key", simple("AK" + "Cp", AN, 69), "ARTIFACTORY_API_KEY", header="X-JFrog-Art-Api: {}")
K("circleci_pat", "CircleCI token", circle, "CIRCLE_TOKEN CIRCLECI_TOKEN", header="Circle-Token: {}")
K("buildkite_token", "Buildkite token", simple("bk" + "ua_", HEX, 40), "BUILDKITE_API_TOKEN", header=AUTH)
K("sonarqube_token", "SonarQube token", simple("sq" + "u_", HEX, 40), "SONAR_TOKEN", header=AUTH, extra="curl_u_token")
K("snyk_token", "Snyk token", uuid_key, "SNYK_TOKEN", "named", header="Authorization: token {}")
K("codecov_token", "Codecov token", uuid_key, "CODECOV_TOKEN", "named", without="curl_H http_header py_request")
K("terraform_cloud_token", "Terraform Cloud token", lambda rng: V(R(mixed(rng, AN, 14, [DIG])), ".atlas" + "v1.", mixed(rng, AN, 67, [DIG])),
  "TF_TOKEN_APP_TERRAFORM_IO TFE_TOKEN", header=AUTH, extra="terraformrc")
K("vault_token", "Vault token", vault, "VAULT_TOKEN", header="X-Vault-Token: {}")
K("vault_token_legacy", "Vault token", simple("s" + ".", AN, 24), "VAULT_TOKEN", "named", header="X-Vault-Token: {}")
K("doppler_token", "Doppler personal token", simple("dp" + ".pt.", AN, 43), "DOPPLER_TOKEN", header=AUTH, extra="curl_u_token")
K("doppler_service_token", "Doppler service token", lambda rng: V("dp" + ".st." + rng.choice(("dev", "prd", "stg")) + ".", mixed(rng, AN, 43, [DIG])),
  "DOPPLER_TOKEN", header=AUTH)
K("pulumi_token", "Pulumi access token", simple("pu" + "l-", HEX, 40), "PULUMI_ACCESS_TOKEN", header="Authorization: token {}")
K("infracost_key", "Infracost API key", simple("ic" + "o-", AN, 32), "INFRACOST_API_KEY", header="x-api-key: {}")
K("onepassword_secret_key", "1Password secret key", onepassword, "OP_SECRET_KEY", without="curl_H http_header url_query py_request")
K("onepassword_service_account", "1Password service account token", onepassword_sa, "OP_SER" + "VICE_ACCOUNT_TOKEN",
  without="md_table parens_end flag_p url_query curl_H http_header py_request")
K("age_secret_key", "age key", age_key, "SOPS_AGE_KEY", without="curl_H http_header url_query py_request", extra="age_file")
# --- AI
K("openai_legacy", "OpenAI key", openai("s" + "k-", 20), "OPENAI_API_KEY", header=AUTH)
K("openai_project", "OpenAI project key", openai("sk-" + "proj-", 74), "OPENAI_API_KEY", header=AUTH)
K("openai_service_account", "OpenAI service account key", openai("sk-" + "svcacct-", 74), "OPENAI_API_KEY", header=AUTH)
K("openai_admin", "OpenAI admin key", openai("sk-" + "admin-", 58), "OPENAI_ADMIN_KEY", header=AUTH)
K("anthropic_api_key", "Anthropic API key", anthropic("api03"), "ANTHROPIC_API_KEY CLAUDE_API_KEY", header="x-api-key: {}")
K("anthropic_admin_key", "Anthropic admin key", anthropic("admin01"), "ANTHROPIC_ADMIN_KEY", header="x-api-key: {}")
K("anthropic_oauth_token", "Claude Code OAuth token", anthropic("oat01"), "CLAUDE_CODE_OAUTH_TOKEN ANTHROPIC_AUTH_TOKEN", header=AUTH)
K("huggingface_token", "Hugging Face token", simple("h" + "f_", ABC, 34), "HF_TOKEN HUGGING_FACE_HUB_TOKEN", header=AUTH,
  extra="git_remote", user="user", sites=("huggingface.co",))
K("cursor_key", "Cursor API key", simple("cr" + "sr_", HEX, 64), "CURSOR_API_KEY", header=AUTH)
K("groq_key", "Groq key", simple("gs" + "k_", AN, 52), "GROQ_API_KEY", header=AUTH)
K("replicate_token", "Replicate token", simple("r" + "8_", AN, 37), "REPLICATE_API_TOKEN", header=AUTH)
K("perplexity_key", "Perplexity key", simple("pp" + "lx-", AN, 48), "PERPLEXITY_API_KEY PPLX_API_KEY", header=AUTH)
K("xai_key", "xAI key", simple("xa" + "i-", AN, 80), "XAI_API_KEY", header=AUTH)
K("mistral_key", "Mistral API key", simple("", AN, 32), "MISTRAL_API_KEY", "named", header=AUTH)
K("cohere_key", "Cohere API key", simple("", AN, 40), "COHERE_API_KEY CO_API_KEY", "named", header=AUTH)
K("elevenlabs_key", "ElevenLabs key", simple("s" + "k_", HEX, 48), "ELEVENLABS_API_KEY", header="xi-api-key: {}")
K("langsmith_key", "LangSmith key", two("lsv2" + "_pt_", HEX, 32, "_", HEX, 10), "LANGSMITH_API_KEY LANGCHAIN_API_KEY", header="x-api-key: {}")
K("wandb_key", "Weights & Biases API key", hexkey(40), "WANDB_API_KEY", "named", extra="netrc", without="curl_H http_header py_request")
K("openrouter_key", "OpenRouter key", simple("sk-" + "or-v1-", HEX, 64), "OPENROUTER_API_KEY", header=AUTH)
K("deepseek_key", "DeepSeek key", simple("s" + "k-", HEX, 32), "DEEPSEEK_API_KEY", header=AUTH)
K("together_key", "Together API key", hexkey(64), "TOGETHER_API_KEY", "named", header=AUTH)
K("fireworks_key", "Fireworks key", simple("f" + "w_", AN, 24), "FIREWORKS_API_KEY", header=AUTH)
K("cerebras_key", "Cerebras key", simple("cs" + "k-", AN_LOW, 48), "CEREBRAS_API_KEY", header=AUTH)
K("nvidia_key", "NVIDIA API key", simple("nva" + "pi-", URL64, 64), "NVIDIA_API_KEY", header=AUTH)
K("pinecone_key", "Pinecone key", two("pc" + "sk_", AN, 6, "_", AN, 63), "PINECONE_API_KEY", header="Api-Key: {}")
K("tavily_key", "Tavily key", simple("tv" + "ly-dev-", AN, 32), "TAVILY_API_KEY", header=AUTH)
K("firecrawl_key", "Firecrawl key", simple("f" + "c-", HEX, 32), "FIRECRAWL_API_KEY", header=AUTH)
K("langfuse_secret", "Langfuse secret key", pre_uuid("sk-" + "lf-"), "LANGFUSE_SECRET_KEY", extra="curl_u")
K("deepgram_key", "Deepgram API key", hexkey(40), "DEEPGRAM_API_KEY", "named", header="Authorization: Token {}")
K("prefect_key", "Prefect API key", simple("pn" + "u_", AN, 36), "PREFECT_API_KEY", header=AUTH)
# --- communication
K("slack_bot_token", "Slack bot token", slack_bot, "SLACK_BOT_TOKEN SLACK_TOKEN", header=AUTH)
K("slack_user_token", "Slack user token", slack_user, "SLACK_USER_TOKEN", header=AUTH)
K("slack_app_token", "Slack app-level token", slack_app, "SLACK_APP_TOKEN", header=AUTH)
K("slack_config_token", "Slack configuration token", simple("xoxe.xox" + "p-1-", AN, 163), "SLACK_CONFIG_TOKEN", header=AUTH)
K("slack_refresh_token", "Slack refresh token", simple("xox" + "e-1-", AN, 146), "SLACK_REFRESH_TOKEN")
K("slack_webhook", "Slack webhook", slack_hook, "SLACK_WEBHOOK_URL", "url", extra="curl_url")
K("slack_signing_secret", "Slack signing secret", hexkey(32), "SLACK_SIGNING_SECRET", "named", without="curl_H http_header url_query py_request")
K("teams_webhook", "Teams webhook", teams_hook, "TEAMS_WEBHOOK_URL", "url", extra="curl_url")
K("discord_bot_token", "Discord bot token", discord_bot, "DISCORD_TOKEN DISCORD_BOT_TOKEN", header="Authorization: Bot {}")
K("discord_webhook", "Discord webhook", discord_hook, "DISCORD_WEBHOOK_URL", "url", extra="curl_url")
K("telegram_bot_token", "Telegram bot token", telegram, "TELEGRAM_BOT_TOKEN", extra="telegram_url", without="curl_H http_header py_request")
K("twilio_auth_token", "Twilio auth token", hexkey(32), "TWILIO_AUTH_TOKEN", "named", extra="curl_u", user="AC", without="curl_H http_header py_request")
K("twilio_api_key", "Twilio API key SID", simple("S" + "K", HEX, 32), "TWILIO_API_KEY", extra="curl_u_twilio", without="curl_H http_header py_request")
K("twilio_api_secret", "Twilio API secret", simple("", AN, 32), "TWILIO_API_SECRET", "named", without="curl_H http_header py_request")
K("sendgrid_key", "SendGrid key", two("S" + "G.", URL64, 22, ".", URL64, 43), "SENDGRID_API_KEY", header=AUTH)
K("mailgun_key", "Mailgun key", simple("ke" + "y-", HEX, 32), "MAILGUN_API_KEY", extra="curl_u", user="api", without="curl_H http_header py_request")
K("mailgun_key_new", "Mailgun API key", lambda rng: V(R("%s-%s-%s" % (ident(rng, HEX, 32), ident(rng, HEX, 8), ident(rng, HEX, 8)))),
  "MAILGUN_API_KEY", "named", extra="curl_u", user="api", without="curl_H http_header py_request")
K("mailchimp_key", "Mailchimp key", lambda rng: V(rs(rng, HEX, 32), "-us" + str(rng.randrange(1, 22))), "MAILCHIMP_API_KEY", header=AUTH)
K("brevo_key", "Brevo key", two("xkeys" + "ib-", HEX, 64, "-", AN, 16), "BREVO_API_KEY SENDINBLUE_API_KEY", header="api-key: {}")
K("resend_key", "Resend key", two("r" + "e_", AN, 8, "_", AN, 24), "RESEND_API_KEY", header=AUTH)
K("postmark_token", "Postmark server token", uuid_key, "POSTMARK_SERVER_TOKEN", "named", header="X-Postmark-Server-Token: {}")
# --- payments, commerce
K("stripe_live", "Stripe secret key", stripe("sk" + "_live_"), "STRIPE_SECRET_KEY STRIPE_API_KEY", header=AUTH, extra="curl_u_token")
K("stripe_test", "Stripe test key", stripe("sk" + "_test_"), "STRIPE_SECRET_KEY", header=AUTH, extra="curl_u_token")
K("stripe_restricted", "Stripe restricted key", stripe("rk" + "_live_"), "STRIPE_RESTRICTED_KEY", header=AUTH)
K("stripe_webhook_secret", "Stripe webhook signing secret", simple("whs" + "ec_", AN, 32), "STRIPE_WEBHOOK_SECRET", without="curl_H http_header url_query py_request")
K("shopify_access_token", "Shopify access token", simple("shp" + "at_", HEX, 32), "SHOPIFY_ACCESS_TOKEN", header="X-Shopify-Access-Token: {}")
K("shopify_shared_secret", "Shopify shared secret", simple("shp" + "ss_", HEX, 32), "SHOPIFY_API_SECRET", without="curl_H http_header url_query py_request")
K("shopify_custom_token", "Shopify custom app token", simple("shp" + "ca_", HEX, 32), "SHOPIFY_ACCESS_TOKEN", header="X-Shopify-Access-Token: {}")
K("square_access_token", "Square access token", square_token, "SQUARE_ACCESS_TOKEN", header=AUTH)
K("square_oauth_secret", "Square OAuth secret", simple("sq0" + "csp-", URL64, 43), "SQUARE_CLIENT_SECRET")
K("plaid_access_token", "Plaid access token", pre_uuid("access-" + "production-"), "PLAID_ACCESS_TOKEN", without="curl_H http_header py_request")
K("easypost_key", "EasyPost key", simple("EZ" + "AK", AN, 54), "EASYPOST_API_KEY", extra="curl_u_token")
K("duffel_token", "Duffel token", simple("duf" + "fel_live_", URL64, 43), "DUFFEL_ACCESS_TOKEN", header=AUTH)
# --- data, monitoring
K("databricks_token", "Databricks token", simple("da" + "pi", HEX, 32), "DATABRICKS_TOKEN", header=AUTH)
K("snowflake_url", "Snowflake URL", url_snowflake, "SNOWFLAKE_URL", "url", without="curl_url")
K("snowflake_password", "Snowflake password", lambda rng: V(R(password(rng))), "SNOWFLAKE_PASSWORD", "password", without="mysql_p sshpass ssh_prompt curl_u netrc sql_user")
K("datadog_api_key", "Datadog API key", hexkey(32), "DD_API_KEY DATADOG_API_KEY", "named", header="DD-API-KEY: {}")
K("datadog_app_key", "Datadog application key", hexkey(40), "DD_APP_KEY DD_APPLICATION_KEY", "named", header="DD-APPLICATION-KEY: {}")
K("newrelic_user_key", "New Relic user key", simple("NR" + "AK-", AN_UPP, 27), "NEW_RELIC_API_KEY", header="Api-Key: {}")
K("newrelic_license_key", "New Relic license key", newrelic_license, "NEW_RELIC_LICENSE_KEY", "named", header="Api-Key: {}")
K("sentry_org_token", "Sentry organization token", sentry_org, "SENTRY_AUTH_TOKEN", header=AUTH, without="md_table")
K("sentry_user_token", "Sentry user token", simple("sntr" + "yu_", HEX, 64), "SENTRY_AUTH_TOKEN", header=AUTH)
K("grafana_service_account", "Grafana service account token", lambda rng: V("gl" + "sa_", R(ident(rng, AN, 32) + "_" + ident(rng, HEX, 8))),
  "GRAFANA_TOKEN GRAFANA_SERVICE_ACCOUNT_TOKEN", header=AUTH)
K("grafana_cloud_token", "Grafana Cloud token", grafana_cloud, "GRAFANA_CLOUD_TOKEN GRAFANA_CLOUD_API_KEY", header=AUTH)
K("pagerduty_key", "PagerDuty API key", simple("u" + "+", AN + "_-", 18), "PAGERDUTY_TOKEN PAGERDUTY_API_KEY", "named", header="Authorization: Token token={}",
  without="url_query")
K("posthog_key", "PostHog personal API key", simple("ph" + "x_", AN, 43), "POSTHOG_PERSONAL_API_KEY", header=AUTH)
K("launchdarkly_sdk_key", "LaunchDarkly SDK key", pre_uuid("sd" + "k-"), "LAUNCHDARKLY_SDK_KEY", header="Authorization: {}")
K("algolia_admin_key", "Algolia admin key", hexkey(32), "ALGOLIA_ADMIN_KEY ALGOLIA_API_KEY", "named", header="X-Algolia-API-Key: {}")
K("dynatrace_token", "Dynatrace token", lambda rng: V("dt0" + "c01." + ident(rng, BASE32, 24) + ".", rs(rng, BASE32, 64)), "DYNATRACE_API_TOKEN DT_API_TOKEN",
  header="Authorization: Api-Token {}")
# --- work tools
K("atlassian_token", "Atlassian API token", atlassian, "ATLASSIAN_API_TOKEN JIRA_API_TOKEN CONFLUENCE_TOKEN", extra="curl_u", user="anna@example.com", without="md_table")
K("linear_key", "Linear key", simple("lin" + "_api_", AN, 40), "LINEAR_API_KEY", header="Authorization: {}")
K("notion_token", "Notion token", notion_new, "NOTION_TOKEN NOTION_API_KEY", header=AUTH)
K("notion_token_old", "Notion integration token", simple("sec" + "ret_", AN, 43), "NOTION_TOKEN", header=AUTH)
K("figma_token", "Figma token", simple("fi" + "gd_", URL64, 40), "FIGMA_TOKEN FIGMA_API_KEY", header="X-Figma-Token: {}")
K("airtable_pat", "Airtable token", lambda rng: V("pa" + "t" + ident(rng, AN, 14) + ".", rs(rng, HEX, 64)), "AIRTABLE_TOKEN AIRTABLE_API_KEY", header=AUTH)
K("asana_pat", "Asana token", asana, "ASANA_ACCESS_TOKEN ASANA_PAT", header=AUTH)
K("postman_key", "Postman key", two("PM" + "AK-", HEX, 24, "-", HEX, 34), "POSTMAN_API_KEY", header="X-API-Key: {}")
K("hubspot_token", "HubSpot token", hubspot, "HUBSPOT_ACCESS_TOKEN HUBSPOT_TOKEN", header=AUTH)
K("contentful_pat", "Contentful token", simple("CF" + "PAT-", URL64, 43), "CONTENTFUL_MANAGEMENT_TOKEN", header=AUTH)
K("okta_token", "Okta API token", simple("0" + "0", URL64, 40), "OKTA_API_TOKEN OKTA_TOKEN", "named", header="Authorization: SSWS {}")
K("dropbox_token", "Dropbox token", dropbox, "DROPBOX_ACCESS_TOKEN", header=AUTH)
K("mapbox_secret_token", "Mapbox secret token", mapbox, "MAPBOX_SECRET_TOKEN MAPBOX_DOWNLOADS_TOKEN")
K("typeform_token", "Typeform token", two("tf" + "p_", AN, 44, "_", AN, 14), "TYPEFORM_TOKEN", header=AUTH)
# --- private keys
K("ssh_ed25519_key", "SSH key", k_openssh, "SSH_PRIVATE_KEY DEPLOY_KEY", "pem")
K("ssh_rsa_key", "SSH key", k_openssh_rsa, "SSH_PRIVATE_KEY DEPLOY_KEY", "pem")
K("rsa_private_key", "RSA key", k_rsa, "JWT_PRIVATE_KEY GITHUB_APP_PRIVATE_KEY", "pem")
K("pkcs8_private_key", "private key", k_pkcs8, "PRIVATE_KEY TLS_PRIVATE_KEY", "pem")
K("pkcs8_ed25519_key", "private key", k_pkcs8_ed, "SIGNING_PRIVATE_KEY APNS_PRIVATE_KEY", "pem")
K("pkcs8_encrypted_key", "encrypted private key", k_pkcs8_enc, "SNOWFLAKE_PRIVATE_KEY", "pem")
K("ec_private_key", "EC key", k_ec, "EC_PRIVATE_KEY ES256_PRIVATE_KEY", "pem")
K("pgp_private_key", "PGP private key", k_pgp, "GPG_PRIVATE_KEY SIGNING_KEY", "pem")
K("putty_private_key", "PuTTY key", k_putty, "PPK_PRIVATE_KEY", "pem", without="env_line export json_escaped xml_element toml")
# --- tokens by form
K("jwt_hs256", "JWT", jwt("HS256"), "ACCESS_TOKEN JWT_TOKEN ID_TOKEN", header=AUTH, extra="cookie_header")
K("jwt_rs256", "JWT", jwt("RS256"), "ACCESS_TOKEN ID_TOKEN KUBE_TOKEN", header=AUTH, without="md_table parens_end")
K("jwt_es256", "JWT", jwt("ES256"), "ACCESS_TOKEN SUPABASE_JWT", header=AUTH)
K("basic_auth_header", "basic auth", basic_auth, "AUTHORIZATION BASIC_AUTH", "header")
K("bearer_header", "bearer token", bearer, "AUTHORIZATION AUTH_HEADER", "header")
K("openshift_token", "OpenShift token", simple("sha" + "256~", URL64, 43), "OC_TOKEN OPENSHIFT_TOKEN", header=AUTH)
# --- URLs
K("url_postgres", "database URL", url_db("postgresql", 5432), "DATABASE_URL POSTGRES_URL", "url")
K("url_mysql", "database URL", url_db("mysql", 3306), "DATABASE_URL MYSQL_URL", "url")
K("url_redis", "Redis URL", url_db("redis", 6379, user=False, path=False), "REDIS_URL CELERY_BROKER_URL", "url")
K("url_redis_b64", "Redis URL", url_redis_b64, "REDIS_URL", "url")
K("url_rediss", "Redis URL", url_db("rediss", 6380, user=False, path=False), "REDIS_TLS_URL", "url")
K("url_mongodb_srv", "MongoDB URL", url_mongo, "MONGODB_URI MONGO_URL", "url")
K("url_amqp", "RabbitMQ URL", url_db("amqp", 5672), "AMQP_URL RABBITMQ_URL", "url")
K("url_https", "registry URL", url_https, "REGISTRY_URL PIP_INDEX_URL", "url", extra="curl_url")
K("url_smtp", "SMTP URL", url_db("smtps", 465, path=False), "SMTP_URL MAILER_DSN", "url")
K("url_jdbc", "JDBC URL", jdbc, "JDBC_URL SPRING_DATASOURCE_URL", "url")
# --- only a name tells
K("named_hex32", "API key", hexkey(32), "API_KEY WEATHER_API_KEY X_API_KEY INTERNAL_API_KEY", "named", header="X-API-Key: {}")
K("named_hex64", "secret key", hexkey(64), "SECRET_KEY JWT_SECRET SESSION_SECRET ENCRYPTION_KEY", "named", without="curl_H http_header url_query py_request")
K("named_base64_32", "secret", b64key(32), "JWT_SECRET NEXTAUTH_SECRET COOKIE_SECRET APP_SECRET ENCRYPTION_KEY", "named", without="curl_H http_header url_query py_request")
K("named_base64_64", "signing key", b64key(64), "JWT_SIGNING_KEY HMAC_SECRET", "named", without="curl_H http_header url_query py_request")
K("named_alnum40", "access token", simple("", AN, 40), "ACCESS_TOKEN SERVICE_TOKEN AUTH_TOKEN", "named", header=AUTH)
K("named_uuid_key", "API key", uuid_key, "API_KEY PARTNER_API_KEY", "named", header="X-API-Key: {}")
K("client_secret_48", "client secret", simple("", AN, 48), "CLIENT_SECRET OAUTH_CLIENT_SECRET KEYCLOAK_CLIENT_SECRET", "named", without="curl_H http_header url_query py_request", extra="form_body")
K("client_secret_32", "client secret", simple("", AN, 32), "CLIENT_SECRET OIDC_CLIENT_SECRET", "named", without="curl_H http_header url_query py_request", extra="form_body")
K("django_secret_key", "Django SECRET_KEY", django_key, "SECRET_KEY DJANGO_SECRET_KEY", "named", without="curl_H http_header url_query flag_p xml_attr md_table stack_trace terminal_break terminal_break_early wrapped_mail concat_two_lines py_request")
K("rails_secret_key_base", "secret_key_base", hexkey(128), "SECRET_KEY_BASE", "named", without="curl_H http_header url_query md_table py_request")
K("laravel_app_key", "Laravel APP_KEY", laravel_key, "APP_KEY", "named", without="curl_H http_header url_query py_request")
K("webhook_signing_secret", "webhook secret", simple("", AN, 40), "WEBHOOK_SECRET GITHUB_WEBHOOK_SECRET WEBHOOK_SIGNING_SECRET", "named", without="curl_H http_header url_query py_request")
K("svix_webhook_secret", "webhook signing secret", lambda rng: V("whs" + "ec_", R(b64(rbytes(rng, 24)))), "CLERK_WEBHOOK_SECRET SVIX_WEBHOOK_SECRET", without="curl_H http_header url_query py_request")
K("wireguard_key", "WireGuard private key", wireguard, "WG_PRIVATE_KEY", "named", without="curl_H http_header url_query py_request", extra="wireguard_conf")
K("totp_seed", "TOTP secret", totp_seed, "TOTP_SECRET MFA_SECRET", "named", without="curl_H http_header url_query py_request", extra="otpauth")
K("confluent_secret", "Confluent API secret", simple("", B64, 64), "CONFLUENT_API_SECRET KAFKA_API_SECRET", "named", without="curl_H http_header url_query py_request")
# --- passwords, cookies
K("password_generated", "password", lambda rng: V(R(password(rng))), "DB_PASSWORD POSTGRES_PASSWORD MYSQL_ROOT_PASSWORD ADMIN_PASSWORD SMTP_PASSWORD REDIS_PASSWORD LDAP_BIND_PASSWORD", "password")
K("password_human", "password", lambda rng: V(R(human_password(rng))), "DB_PASSWORD ADMIN_PASSWORD APP_PASSWORD MAIL_PASSWORD", "password")
K("password_alnum", "password", lambda rng: V(R(mixed(rng, AN, rng.choice((12, 16, 20, 24)), [DIG, UPP, LOW]))), "DB_PASS PGPASSWORD DB_PWD KEYSTORE_PASSWORD MYSQL_PWD", "password")
K("passphrase_words", "passphrase", lambda rng: V(R("-".join(rng.sample(WORDS, 4)) + "-" + str(rng.randrange(10, 99)))),
  "SSH_PASSPHRASE RESTIC_PASSWORD BORG_PASSPHRASE VAULT_PASSWORD", "password", without="mysql_p curl_u sql_user")
K("password_letters", "password", letters_password, "DB_PASS DB_PASSWORD ADMIN_PASSWORD", "letters")
K("gmail_app_password", "app password", lambda rng: V(R(ident(rng, LOW, 16))), "SMTP_PASSWORD GMAIL_APP_PASSWORD MAIL_PASS", "letters")
K("cookie_session_django", "session cookie", simple("", AN_LOW, 32), "sessionid", "cookie")
K("cookie_express_sid", "session cookie", express_sid, "connect.sid", "cookie")
K("cookie_php", "session cookie", simple("", AN_LOW, 26), "PHPSESSID", "cookie")
K("cookie_gitlab", "session cookie", hexkey(32), "_gitlab_session", "cookie")
K("cookie_jsession", "session cookie", lambda rng: V(R(ident(rng, "0123456789ABCDEF", 32))), "JSESSIONID", "cookie")
K("cookie_auth_token", "auth cookie", simple("", URL64, 64), "auth_token access_token __Secure-next-auth.session-token", "cookie")


# ================================================================================== carriers
class S(str):
    """A secret piece of a text under construction (the rest is plain str)."""


def lit(pieces, f):
    """Encode every piece on its own (an encoding of single characters)."""
    return [S(f(p)) if isinstance(p, S) else f(p) for p in pieces]


def indent(pieces, prefix, first=True):
    out = lit(pieces, lambda p: p.replace("\n", "\n" + prefix))
    return ([prefix] if first else []) + out


def broken(pieces, width, glue="\n", first=None):
    """Break the running text every `width` characters (the first line after `first`)."""
    out, col, limit = [], 0, first or width
    for p in pieces:
        kind, i = type(p) if isinstance(p, S) else str, 0
        while i < len(p):
            if p[i] == "\n":
                out.append("\n")
                i, col = i + 1, 0
                continue
            if col == limit:
                out.append(glue)
                col, limit = 0, width
            nl = p.find("\n", i)
            end = min(i + limit - col, len(p) if nl < 0 else nl)
            out.append(kind(p[i:end]))
            col, i = col + end - i, end
    return out


def b64_pieces(pieces):
    """base64 of the whole; what encodes a secret byte is secret."""
    data, marks = b"", []
    for p in pieces:
        raw = p.encode()
        data += raw
        marks += [isinstance(p, S)] * len(raw)
    text, out = b64(data), []
    for i in range(0, len(text), 4):
        hot = any(marks[i // 4 * 3:i // 4 * 3 + 3])
        if out and isinstance(out[-1], S) == hot:
            out[-1] = S(out[-1] + text[i:i + 4]) if hot else out[-1] + text[i:i + 4]
        else:
            out.append(S(text[i:i + 4]) if hot else text[i:i + 4])
    return out


def json_esc(s):
    return json.dumps(s, ensure_ascii=False)[1:-1]


def xml_esc(s):
    return s.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


GENERIC = ("VALUE", "TOKEN", "KEY", "CFG_A", "CREDENTIAL", "TEST_VALUE", "CURRENT")


class G:
    """What a carrier works with: a random source, the kind, the value, fitting names."""

    def __init__(self, rng, kind, value):
        self.rng, self.kind, self.value = rng, kind, value
        names = kind.names or ("TOKEN",)
        if not kind.telling and kind.family == "token" and rng.random() < 0.2:
            names = GENERIC
        self.N = rng.choice(names)
        self.n = self.N.lower()
        words = [w for w in re.split(r"[_.\-]+", self.n) if w]
        self.words = words
        self.c = words[0] + "".join(w.capitalize() for w in words[1:])
        self.P = "".join(w.capitalize() for w in words)
        self.k = "-".join(words)
        self.dot = ".".join(words)
        self.label = kind.label

    def pick(self, *a):
        return self.rng.choice(a)

    def v(self, f=None):
        out = [S(t) if r else t for t, r in segs_of(self.value)]
        return lit(out, f) if f else out

    @property
    def text(self):
        return str(self.value)

    def sh(self, quote_always=False):
        """As a shell word."""
        if quote_always or re.search(r"[^\w@%+=:,./-]", self.text) or self.text.startswith("~"):
            return ["'"] + self.v() + ["'"]
        if self.rng.random() < 0.25:
            return ['"'] + self.v() + ['"']
        return self.v()

    def yaml(self):
        t = self.text
        unsafe = (re.match(r"[!&*\-?@%{}\[\]|>,#`:=~.+0-9\"']", t) or ": " in t or " #" in t or "{" in t or "[" in t
                  or "," in t or t.endswith(":") or "}" in t)
        q = self.pick('"', "'") if unsafe else self.pick("", "", '"', "'")
        return [q] + self.v() + [q]

    def q(self, quote='"'):
        return [quote] + self.v() + [quote]

    def ts(self):
        r = self.rng
        return "2026-%02d-%02dT%02d:%02d:%02d" % (r.randrange(1, 12), r.randrange(1, 29), r.randrange(24),
                                                   r.randrange(60), r.randrange(60))

    def org(self):
        return self.pick(*ORGS)

    def repo(self):
        return self.pick(*REPOS)

    def header(self):
        """(name, pieces of the value) of the kind's HTTP header."""
        if self.kind.family == "header":
            return "Authorization", self.v()
        h = self.kind.header or "Authorization: Bearer {}"
        name, rest = h.split(": ", 1)
        a, b = rest.split("{}")
        return name, [a] + self.v() + [b]

    def url(self):
        return "https://api.%s.com/v%d/%s" % (self.words[0] if len(self.words[0]) > 2 else "example", self.pick(1, 2, 3),
                                              self.pick("me", "models", "projects", "users", "status"))


class Carrier:
    def __init__(self, name, doc, build):
        self.name, self.doc, self.build = name, doc, build

    def pieces(self, rng, kind, value):
        kind = KINDS[kind] if isinstance(kind, str) else kind
        return [p for p in self.build(G(rng, kind, value)) if p != ""]

    def wrap(self, rng, kind, value):
        return "".join(self.pieces(rng, kind, value))


CARRIERS = {}


def carrier(*groups):
    def deco(f):
        name = f.__name__[2:]
        assert name not in CARRIERS, name
        CARRIERS[name] = Carrier(name, f.__doc__ or name.replace("_", " "), f)
        for group in groups:
            GROUPS.setdefault(group, []).append(name)
        return f
    return deco


GROUPS = {}
# groups: self = tokens that tell themselves; named = a name must tell; pw = passwords; let = letters only;
#         url, conn = connection strings; pem; jsonf = key files; head = whole header values; cookie


# ------------------------------------------------------------------------------------ text
@carrier("self", "url")
def c_bare(g):
    """alone on a line"""
    return [g.pick("", "\n", "> ", "  ")] + g.v() + [g.pick("", "\n")]


@carrier("self", "named", "pw", "url", "conn")
def c_sentence(g):
    """in a sentence"""
    lab = g.label
    a, b = g.pick(("the %s is " % lab, ""), ("Please use the %s " % lab, " for the staging deploy."),
                  ("i rotated the %s, the new one is: " % lab, " - update the CI please"),
                  ("%s: " % lab, ""), ("my %s is " % lab, ", why does it give 401?"))
    return [a] + g.v() + [b]


@carrier("self", "url")
def c_sentence_plain(g):
    """in a sentence without a word that tells"""
    a, b = g.pick(("try it with ", " and tell me what comes back"), ("I get a 401 with ", " since yesterday."),
                  ("this one: ", ""), ("use ", " please"), ("set it to ", ", then restart"), ("hier: ", " – bitte eintragen"))
    return [a] + g.v() + [b]


@carrier("self", "named", "pw", "url", "conn")
def c_quotes(g):
    """in quotes"""
    q1, q2 = g.pick(('"', '"'), ("'", "'"), ("“", "”"), ("«", "»"), ("„", "“"))
    if g.kind.telling or g.rng.random() < 0.5:
        return ["The %s is " % g.label, q1] + g.v() + [q2, g.pick(".", "", ", right?")]
    return [g.pick("Replace the old value with ", "It says ", "I pasted "), q1] + g.v() + [q2, "."]


@carrier("self", "named", "pw", "url")
def c_parens_end(g):
    """in parentheses at the end of a sentence"""
    lab = g.pick(g.label + ": ", g.label + " ", "%s=" % g.N) if g.kind.telling else g.pick("", g.label + ": ", "currently ")
    return [g.pick("I still get a 403 with the new key (", "Then log in with the one from the vault (",
                   "The staging service uses another one (") + lab] + g.v() + [").", g.pick("", " Can you check?")]


@carrier("self", "named", "pw", "url", "conn")
def c_code_span(g):
    """in a Markdown code span"""
    if g.kind.telling:
        return [g.pick("Add `%s=" % g.N, "Set `%s: " % g.n, "The %s is `" % g.label)] + g.v() + [g.pick("` to your `.env`.", "`.")]
    return [g.pick("Use `", "The key `", "It worked with `")] + g.v() + [g.pick("` for now.", "` was revoked?", "`.")]


@carrier("self", "named", "pw", "url")
def c_md_table(g):
    """in a Markdown table"""
    tick = g.pick("", "`")
    return ["| Variable | Value | Notes |\n|---|---|---|\n| NODE_ENV | production | |\n| %s | %s" % (g.N, tick)] + g.v() \
        + ["%s | %s |" % (tick, g.pick("rotate in May", "staging", ""))]


@carrier("self", "named", "pw", "url", "conn")
def c_chat_label(g):
    """label and value on lines of a chat"""
    return [g.pick("here you go\n", "", "hi,\n\n") + g.label + g.pick(":\n", ": ", " = ", ":\n\n    ")] + g.v() + [g.pick("", "\n\nthx")]


@carrier("self", "named", "pw", "url", "conn", "let")
def c_md_fence(g):
    """in a fenced block"""
    return ["```%s\n%s=" % (g.pick("", "sh", "bash", "env", "ini"), g.N)] + g.v() + ["\n```"]


@carrier("self", "named", "pw", "url", "conn", "pem", "jsonf", "let")
def c_read_tool(g):
    """a file with line numbers as an agent's Read tool shows it"""
    if g.kind.family in ("pem", "jsonf"):
        body = g.v()
    else:
        body = ["# local settings\nPORT=3000\n%s=" % g.N] + g.v() + ["\nLOG_LEVEL=debug"]
    arrow, n, out = g.pick("→", "\t"), 1, []
    out.append("%6d%s" % (n, arrow))
    for p in body:
        if isinstance(p, S):
            out.append(p)
            continue
        for i, part in enumerate(p.split("\n")):
            if i:
                n += 1
                out.append("\n%6d%s" % (n, arrow))
            out.append(part)
    return out


@carrier("self", "named", "pw", "url", "conn", "pem", "jsonf", "let")
def c_transcript_json(g):
    """a tool result in a transcript's JSON line"""
    if g.kind.family in ("pem", "jsonf"):
        inner = ["$ cat key\n"] + g.v() + ["\n"]
    else:
        inner = ["NODE_ENV=production\n%s=" % g.N] + g.v() + ["\nPORT=8080\n"]
    return ['{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_01%s","type":"tool_result","content":"'
            % ident(g.rng, AN, 22)] + lit(inner, json_esc) + ['"}]},"timestamp":"%s.000Z"}' % g.ts()]


@carrier("self", "named", "pw", "url", "head")
def c_codex_call(g):
    """a shell call of an agent: JSON inside JSON"""
    if g.kind.family == "head" or (g.kind.header and g.rng.random() < 0.6):
        name, val = g.header()
        cmd = ["curl -s -H '%s: " % name] + val + ["' " + g.url()]
    else:
        cmd = ["%s=" % g.N] + g.sh(True) + [" ./deploy.sh staging"]
    args = ['{"command":["bash","-lc","'] + lit(cmd, json_esc) + ['"],"workdir":"/srv/app"}']
    return ['{"type":"function_call","name":"shell","arguments":"'] + lit(args, json_esc) + ['","call_id":"call_%s"}' % ident(g.rng, AN, 24)]


# ----------------------------------------------------------------------------- environment
@carrier("self", "named", "pw", "url", "conn", "let")
def c_env_line(g):
    """.env line"""
    q = g.pick("", "", '"', "'")
    if " " in g.text and not q:
        q = '"'
    return [g.pick("", "DEBUG=false\n", "# production\n") + "%s=%s" % (g.N, q)] + g.v() + [q + g.pick("", "\nLOG_LEVEL=info")]


@carrier("self", "named", "pw", "url", "conn")
def c_env_spaced(g):
    """.env line with spaces around the sign, lower case"""
    return ["%s = " % g.pick(g.n, g.N)] + g.v()


@carrier("self", "named", "pw", "url", "conn", "let")
def c_export(g):
    """export in a shell"""
    return [g.pick("", "$ ", "~/src/app % ") + "export %s=" % g.N] + g.sh()


@carrier("self", "named", "pw", "url", "conn")
def c_setx_trace(g):
    """trace of set -x"""
    return ["%s %s%s=" % (g.pick("+", "++", "+ :1:"), g.pick("export ", "", ""), g.N)] + \
        (["'"] + g.v() + ["'"] if re.search(r"[^\w@%+=:,./-]", g.text) else g.v()) + ["\n+ exec node server.js"]


@carrier("self", "named", "pw", "url", "conn")
def c_inline_env(g):
    """variable before a command"""
    return [g.pick("", "$ ", "! ") + "%s=" % g.N] + g.sh() + [" " + g.pick("npm run deploy", "python manage.py migrate", "cargo publish",
                                                               "terraform apply -auto-approve", "./run.sh --dry-run")]


@carrier("self", "named", "pw", "url", "conn")
def c_printenv(g):
    """output of printenv"""
    return ["HOME=/root\nPATH=/usr/local/bin:/usr/bin\n%s=" % g.N] + g.v() + ["\nPWD=/app\nSHLVL=1"]


@carrier("self", "named", "pw", "url", "conn")
def c_powershell(g):
    """PowerShell"""
    return [g.pick("$env:%s = " % g.N, "$%s = " % g.c, "PS C:\\app> $env:%s=" % g.N)] + g.q(g.pick("'", '"') if "$" not in g.text else "'")


@carrier("self", "named", "pw", "url")
def c_fish_set(g):
    """fish shell"""
    return ["set -%s %s " % (g.pick("x", "gx", "Ux"), g.N)] + g.sh()


@carrier("self", "named", "pw", "url")
def c_windows_set(g):
    """cmd.exe"""
    return [g.pick("set %s=" % g.N, "setx %s " % g.N, "C:\\app> set %s=" % g.N)] + g.v()


@carrier("self", "named", "pw", "url", "conn")
def c_dockerfile(g):
    """Dockerfile"""
    return ["FROM node:20-alpine\n" + g.pick("ENV %s=" % g.N, "ARG %s=" % g.N, "ENV %s " % g.N)] + g.q(g.pick('"', "")) + ["\nCMD [\"node\", \"index.js\"]"]


@carrier("self", "named", "pw", "url", "conn")
def c_compose(g):
    """docker compose"""
    if g.rng.random() < 0.5:
        return ["services:\n  app:\n    image: app:1.4.2\n    environment:\n      - %s=" % g.N] + g.v() + ["\n      - TZ=Europe/Berlin"]
    return ["services:\n  app:\n    environment:\n      TZ: UTC\n      %s: " % g.N] + g.yaml()


@carrier("self", "named", "pw", "url", "conn")
def c_systemd(g):
    """systemd unit"""
    return ["[Service]\nEnvironment=\"%s=" % g.N] + g.v() + ['"\nExecStart=/usr/bin/app']


# ---------------------------------------------------------------------------- config files
@carrier("self", "named", "pw", "url", "conn")
def c_yaml(g):
    """YAML"""
    return ["%s:\n  endpoint: https://api.example.com\n  %s: " % (g.words[0], g.pick(g.n, g.c, g.k))] + g.yaml() + ["\n  timeout: 30"]


@carrier("self", "named", "pw", "url", "conn", "pem", "jsonf")
def c_yaml_block(g):
    """YAML block scalar"""
    ind = g.pick("  ", "    ", "      ")
    return ["%s: %s\n" % (g.pick(g.n, g.c, g.k), g.pick("|", ">-", "|-") if g.kind.family not in ("pem", "jsonf") else g.pick("|", "|-"))] \
        + indent(g.v(), ind) + ["\nport: 443"]


@carrier("self", "named", "pw", "url", "conn", "pem", "cookie")
def c_json(g):
    """JSON"""
    sp = g.pick(" ", " ", "")
    return ['{\n  "name": "app",\n  "%s":%s"' % (g.pick(g.n, g.c, g.N, g.k), sp)] + g.v(json_esc) + ['",\n  "retries": 3\n}']


@carrier("self", "named", "pw", "url", "conn", "pem", "head", "cookie")
def c_json_escaped(g):
    """JSON inside a JSON string"""
    inner = ['{"%s":%s"' % (g.pick(g.n, g.c), g.pick("", " "))] + g.v(json_esc) + ['","region":"eu"}']
    return ['{"event":"config.updated","payload":"'] + lit(inner, json_esc) + ['"}']


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_toml(g):
    """TOML"""
    if g.kind.family == "pem":
        return ['[tls]\n%s = """\n' % g.n] + g.v() + ['\n"""']
    return ["[%s]\n%s = " % (g.words[0], g.pick(g.n, g.k))] + g.q(g.pick('"', "'"))


@carrier("self", "named", "pw", "url", "conn", "let")
def c_ini(g):
    """INI"""
    return ["[%s]\n%s%s" % (g.pick("default", "client", "production"), g.n, g.pick("=", " = "))] + g.v() + ["\ntimeout = 20"]


@carrier("self", "named", "pw", "url", "conn")
def c_properties(g):
    """Java properties"""
    return ["%s%s%s" % (g.pick("", "spring.", "app."), g.pick(g.dot, g.k), g.pick("=", " = ", ": "))] + g.v()


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_xml_element(g):
    """XML element"""
    tag = g.pick(g.c, g.k, g.n, g.P)
    return ["<%s>" % tag] + g.v(xml_esc) + ["</%s>" % tag]


@carrier("self", "named", "pw", "url", "conn")
def c_xml_attr(g):
    """XML attribute"""
    if g.rng.random() < 0.5:
        return ['<add key="%s" value="' % g.pick(g.P, g.N)] + g.v(xml_esc) + ['" />']
    return ['<connector id="main" %s="' % g.c] + g.v(xml_esc) + ['" timeout="30"/>']


@carrier("self", "named", "pw", "url", "conn")
def c_plist(g):
    """property list"""
    return ["<key>%s</key>\n\t<string>" % g.pick(g.P, g.N, g.c)] + g.v(xml_esc) + ["</string>"]


@carrier("self", "named", "pw", "url", "conn")
def c_terraform(g):
    """terraform"""
    if g.rng.random() < 0.5:
        return ['variable "%s" {\n  type    = string\n  default = "' % g.n] + g.v() + ['"\n}']
    return ['provider "%s" {\n  %s = "' % (g.words[0], g.n)] + g.v() + ['"\n}']


@carrier("self", "named", "pw", "url", "conn", "let")
def c_tfvars(g):
    """terraform.tfvars"""
    return ["region  = \"eu-central-1\"\n%s = " % g.n] + g.q()


@carrier("self", "named", "pw", "url", "conn")
def c_k8s_stringdata(g):
    """Kubernetes Secret, stringData"""
    return ["apiVersion: v1\nkind: Secret\nmetadata:\n  name: app-secrets\ntype: Opaque\nstringData:\n  %s: " % g.pick(g.N, g.k)] + g.yaml()


@carrier("self", "named", "pw", "url", "conn", "pem", "jsonf")
def c_k8s_data(g):
    """Kubernetes Secret with base64 data"""
    key = {"pem": g.pick("ssh-privatekey", "tls.key"), "jsonf": "key.json"}.get(g.kind.family) or g.pick(g.N, g.k)
    return ["apiVersion: v1\nkind: Secret\nmetadata:\n  name: app-secrets\ntype: Opaque\ndata:\n  %s: " % key] + b64_pieces(g.v()) + [g.pick("", "\n  LOG_LEVEL: aW5mbw==")]


@carrier("self", "named", "pw", "url")
def c_k8s_get_json(g):
    """kubectl get secret -o json"""
    return ['{\n    "apiVersion": "v1",\n    "data": {\n        "%s": "' % g.pick(g.N, g.k)] + b64_pieces(g.v()) + ['"\n    },\n    "kind": "Secret"\n}']


@carrier("self", "named", "pw", "url")
def c_ansible(g):
    """Ansible task"""
    return ["- name: configure app\n  ansible.builtin.template:\n    src: app.j2\n  vars:\n    %s: " % g.n] + g.yaml()


# ------------------------------------------------------------------------------------ code
def code_v(g, q='"'):
    return [q] + g.v(json_esc if q == '"' else None) + [q]


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_py_assign(g):
    """Python"""
    if g.kind.family == "pem":
        return ['%s = """' % g.n] + g.v() + ['"""\n']
    return [g.pick("import os\n\n", "") + g.pick(g.n, g.N, "self." + g.n, "os.environ[\"%s\"]" % g.N) + " = "] + code_v(g, g.pick('"', "'"))


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_js_assign(g):
    """JavaScript"""
    if g.kind.family == "pem":
        return ["const %s = `" % g.c] + g.v() + ["`;"]
    return [g.pick("const ", "let ", "var ", "window.", "process.env.") + g.c + " = "] + code_v(g, g.pick('"', "'")) + [";"]


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_go_assign(g):
    """Go"""
    if g.kind.family == "pem":
        return ["var %s = `" % g.c] + g.v() + ["`"]
    return [g.pick("%s := " % g.c, "const %s = " % g.c, "var %s = " % g.c, "\tos.Setenv(\"%s\", " % g.N)] + code_v(g)


@carrier("self", "named", "pw", "url", "conn")
def c_rust_assign(g):
    """Rust"""
    return [g.pick("let %s = " % g.n, "const %s: &str = " % g.N, "let %s: String = " % g.n)] + code_v(g) + [g.pick(";", ".to_string();")]


@carrier("self", "named", "pw", "url", "conn", "let")
def c_php_assign(g):
    """PHP"""
    return [g.pick("$%s = " % g.c, "$%s = " % g.n, "define('%s', " % g.N)] + code_v(g, "'") + [";"]


@carrier("self", "named", "pw", "url", "conn")
def c_csharp_assign(g):
    """C#"""
    return [g.pick("var %s = " % g.c, "private const string %s = " % g.P, "string %s = " % g.c)] + code_v(g) + [";"]


@carrier("self", "named", "pw", "url", "conn")
def c_java_assign(g):
    """Java"""
    return [g.pick("String %s = " % g.c, "private static final String %s = " % g.N)] + code_v(g) + [";"]


@carrier("self", "named", "pw", "url", "conn")
def c_ruby_assign(g):
    """Ruby"""
    return [g.pick("%s = " % g.n, "ENV['%s'] = " % g.N, "config.%s = " % g.n)] + code_v(g, "'")


@carrier("self", "named", "pw", "url", "conn", "let")
def c_dict_entry(g):
    """entry of a dict, hash or object"""
    a, b = g.pick(('config = {\n    "debug": False,\n    "%s": ' % g.n, ",\n}"), ("  '%s' => " % g.n, ","), ("  %s: " % g.c, ","),
                  ("{'host': 'x', '%s': " % g.n, "}"), (":%s => " % g.n, ","))
    return [a] + code_v(g, g.pick('"', "'")) + [b]


@carrier("self", "named", "pw", "url", "conn")
def c_func_arg(g):
    """argument of a call"""
    a, b = g.pick(("client = Client(%s=" % g.n, ", timeout=10)"), ("new Client({ %s: " % g.c, " })"),
                  ("connect(host, user, %s=" % g.n, ")"), (".With%s(" % g.P, ")"), ("os.environ.setdefault('%s', " % g.N, ")"),
                  ("client.set%s(" % g.P, ");"))
    return [a] + code_v(g, g.pick('"', "'")) + [b]


@carrier("self", "named", "pw", "url", "conn")
def c_typed_assign(g):
    """assignment with a type"""
    a, b = g.pick(("%s: str = " % g.n, ""), ("const %s: string = " % g.c, ";"), ("val %s: String = " % g.c, ""), ("let %s: String = " % g.c, ""),
                  ("%s: Optional[str] = " % g.n, ""), ("%s: Final = " % g.N, ""))
    return [a] + code_v(g) + [b]


@carrier("self", "head")
def c_js_template(g):
    """JavaScript template string"""
    if g.kind.family == "header" or g.kind.header:
        name, val = g.header()
        return ["headers: { '%s': `" % name] + val + ["` },"]
    return ["const url = `${base}/v1/items?%s=" % g.c] + g.v() + ["&page=${page}`;"]


@carrier("self", "named", "head")
def c_py_request(g):
    """call of a HTTP library with a header"""
    name, val = g.header()
    a, b = g.pick(('requests.get("%s", headers={"%s": "' % (g.url(), name), '"})'), ('fetch("%s", { headers: { "%s": "' % (g.url(), name), '" } })'),
                  ('req.Header.Set("%s", "' % name, '")'), ('$headers = @{ "%s" = "' % name, '" }'))
    return [a] + val + [b]


def _split_at(g, n=2):
    """Pieces of the value, cut into n strings of at least 8 characters where it is long enough."""
    size = len(g.text)
    lo = min(8, size // 3)
    head = len(g.v()[0]) if not isinstance(g.v()[0], S) and len(g.v()[0]) < size // 2 else 0
    first = max(lo, min(head + 4, size // 2))
    for _ in range(200):
        cuts = sorted(g.rng.randrange(first, size - lo + 1) for _ in range(n - 1))
        edges = [0] + cuts + [size]
        if all(b - a >= lo for a, b in zip(edges, edges[1:])):
            break
    else:
        cuts = [size // 2]
    out, pos, cur = [], 0, []
    todo = list(cuts)
    for p in g.v():
        while todo and pos + len(p) > todo[0]:
            k = todo.pop(0) - pos
            cur.append(type(p)(p[:k]))
            out.append(cur)
            cur, p, pos = [], type(p)(p[k:]), pos + k
        cur.append(p)
        pos += len(p)
    return out + [cur]


def _joined(g, parts, glue):
    out = []
    for i, p in enumerate(parts):
        out += ([glue] if i else []) + p
    return out


@carrier("self", "named", "url")
def c_concat_one_line(g):
    """string concatenation on one line"""
    q = g.pick('"', "'")
    name = g.pick("const %s = " % g.c, "%s = " % g.n, "String %s = " % g.c, "var %s = " % g.c)
    return [name + q] + _joined(g, _split_at(g, g.pick(2, 2, 3)), q + g.pick(" + ", "+", " . ") + q) + [q, g.pick("", ";")]


@carrier("self", "named", "url")
def c_concat_two_lines(g):
    """string concatenation over two lines"""
    q = g.pick('"', "'")
    return ["%s = %s" % (g.pick("const " + g.c, g.n, "String " + g.c), q)] + \
        _joined(g, _split_at(g), g.pick(q + " +\n    " + q, q + "\n    + " + q, q + " \\\n    + " + q)) + [q, g.pick("", ";")]


@carrier("self", "named", "url")
def c_implicit_concat(g):
    """implicit concatenation (Python, C)"""
    q = g.pick('"', "'")
    return ["%s = (\n    %s" % (g.pick(g.n, g.N), q)] + _joined(g, _split_at(g), q + "\n    " + q) + [q + "\n)"]


@carrier("self", "named")
def c_shell_continued(g):
    """backslash at the line's end inside a shell word"""
    return ["export %s=" % g.N] + _joined(g, _split_at(g), "\\\n")


# ----------------------------------------------------------------------------------- shell
def _flag(g):
    w = g.words
    if g.kind.family in ("password", "letters"):
        return g.pick("--password", "--passwd", "--db-password", "--admin-password", "--pass")
    if g.kind.family in ("url", "connstr"):
        return g.pick("--url", "--database-url", "--dsn", "--connection-string")
    tail = w[-1] if w[-1] in ("token", "key", "secret", "pat") else "token"
    return g.pick("--" + g.k, "--%s" % {"key": "api-key", "pat": "token"}.get(tail, tail) if not g.kind.telling or tail != "secret" else "--client-secret")


@carrier("self", "named", "pw", "url", "conn")
def c_flag_space(g):
    """--flag value"""
    return [g.pick("", "$ ") + "%s %s " % (g.pick("tool login", "./deploy.sh", "cli auth", "npx sync"), _flag(g))] + g.sh() + [g.pick("", " --region eu", " -v")]


@carrier("self", "named", "pw", "url", "conn")
def c_flag_eq(g):
    """--flag=value"""
    return [g.pick("", "$ ") + "%s %s=" % (g.pick("tool login", "./deploy.sh", "helm upgrade app ./chart", "npx sync"), _flag(g))] + g.sh() + [g.pick("", " --wait")]


@carrier("self", "named", "pw")
def c_helm_set(g):
    """helm --set"""
    return ["helm upgrade --install app ./chart --set image.tag=1.2.3 --set %s.%s=" % (g.pick("auth", "secrets", "config"), g.c)] + g.v()


@carrier("self", "named", "pw", "url")
def c_kubectl_literal(g):
    """kubectl create secret --from-literal"""
    return ["kubectl create secret generic app --from-literal=%s=" % g.pick(g.N, g.k)] + g.sh()


@carrier("self", "named", "pw", "url", "conn")
def c_docker_build_arg(g):
    """docker build --build-arg"""
    return ["docker build --build-arg %s=" % g.N] + g.sh() + [" -t app:latest ."]


@carrier("self", "named", "pw", "url", "conn", "let")
def c_docker_run_env(g):
    """docker run -e"""
    return ["docker run -d -p 8080:80 %s %s=" % (g.pick("-e", "--env"), g.N)] + g.sh() + [" app:latest"]


@carrier("self", "named", "head")
def c_curl_H(g):
    """curl with a header"""
    name, val = g.header()
    q = g.pick('"', "'")
    return [g.pick("", "$ ") + "curl -s%s %s %s%s: " % (g.pick("", "S", " -X POST"), g.pick("-H", "-H", "--header"), q, name)] + val + [q + " " + g.url()]


@carrier("self", "named", "pw")
def c_curl_data(g):
    """curl with a JSON body"""
    return ["curl -X POST https://api.example.com/login -H 'Content-Type: application/json' -d '{\"user\":\"anna\",\"%s\":\"" % g.pick(g.n, g.c)] + g.v() + ["\"}'"]


@carrier("pw")
def c_curl_u(g):
    """curl -u user:value"""
    user = g.kind.user or g.pick(*USERS)
    user = "AC" + ident(g.rng, HEX, 32) if user == "AC" else user
    return ["curl %s " % g.pick("-u", "--user", "-su")] + (["'%s:" % user] + g.v() + ["'"] if re.search(r"[^\w@%+=:,./-]", g.text) else
            ["%s:" % user] + g.v()) + [" https://%s/api/%s" % (g.pick("jenkins.example.com", "nexus.acme.io", "api.example.org"), g.pick("v1/status", "json"))]


@carrier()
def c_curl_u_token(g):
    """curl -u value: (the token is the user)"""
    return ["curl https://api.example.com/v1/charges -u "] + g.v() + [": -d amount=2000"]


@carrier()
def c_curl_u_twilio(g):
    """curl -u key:secret"""
    return ["curl -u "] + g.v() + [":", S(ident(g.rng, AN, 32)), " https://api.twilio.com/2010-04-01/Accounts.json"]


@carrier()
def c_curl_url(g):
    """curl to a URL that is the secret"""
    return ["curl -s -X POST -H 'Content-type: application/json' --data '{\"text\":\"deployed\"}' "] + g.sh(True)


@carrier("pw")
def c_flag_p(g):
    """-p X of programs that take a password so"""
    user = g.kind.user or g.pick(*USERS)
    site = g.kind.sites[-1] if g.kind.sites else g.pick("registry.example.com", "harbor.acme.io")
    if g.kind.family == "token" or g.rng.random() < 0.4:
        return ["docker login %s%s -u %s %s " % (g.pick("", "-e none "), site, user, g.pick("-p", "--password"))] + g.sh()
    a, b = g.pick(("mongosh -u %s -p " % user, " --authenticationDatabase admin"), ("oc login -u %s -p " % user, " https://api.ocp.example.com:6443"),
                  ("redis-cli -h %s -a " % g.pick(*HOSTS), " ping"), ("ldapsearch -x -D cn=%s,dc=example,dc=org -w " % user, " -b dc=example,dc=org"),
                  ("sqlcmd -S %s -U %s -P " % (g.pick(*HOSTS), user), " -Q 'select 1'"), ("az login -u %s@example.com -p " % user, ""),
                  ("podman login -u %s -p " % user, " quay.io"), ("mysqladmin -u %s --password=" % user, " status"),
                  ("htpasswd -bc .htpasswd %s " % user, ""), ("smbclient //nas/share -U %s%%" % user, ""),
                  ("cqlsh -u %s -p " % user, " 10.0.3.4"), ("clickhouse-client --user %s --password " % user, ""))
    return [a] + g.sh() + [b]


@carrier()
def c_flag_p_az(g):
    """az login --service-principal"""
    return ["az login --service-principal -u %s %s " % (uuid4(g.rng), g.pick("-p", "--password"))] + g.sh() + [" --tenant " + uuid4(g.rng)]


@carrier()
def c_flag_p_twine(g):
    """twine upload -p"""
    return ["twine upload -u __token__ -p "] + g.v() + [" dist/*"]


@carrier("pw")
def c_sshpass(g):
    """sshpass -p"""
    return ["sshpass -p"] + [g.pick(" ", " ", "")] + g.sh() + [" %s" % g.pick("ssh -o StrictHostKeyChecking=no deploy@10.0.0.5 uptime",
                                                              "scp app.tar.gz root@web01:/srv/", "rsync -az ./ pi@192.168.178.22:/srv/app")]


@carrier("pw")
def c_mysql_p(g):
    """mysql -pX"""
    return ["%s -h %s -u %s -p" % (g.pick("mysql", "mysqldump", "mariadb"), g.pick(*HOSTS), g.pick(*USERS))] + \
        (["'"] + g.v() + ["'"] if re.search(r"[^\w@%+=:,./-]", g.text) else g.v()) + [" " + g.pick(*DBS)]


@carrier("pw")
def c_ssh_prompt(g):
    """typed at a prompt of the terminal"""
    return [g.pick("deploy@10.0.0.5's password: ", "[sudo] password for anna: ", "Password: ", "Enter password: ", "Password for user postgres: ")] + g.v()


@carrier("pw")
def c_echo_pipe(g):
    """echo X | program"""
    return ["echo "] + g.sh(True) + [" | " + g.pick("sudo -S apt-get update", "docker login -u acmebot --password-stdin", "passwd --stdin anna",
                                                    "gpg --batch --passphrase-fd 0 -d backup.gpg")]


@carrier("pw")
def c_chpasswd(g):
    """user:password for chpasswd"""
    return ["echo '%s:" % g.pick("root", "deploy", "anna")] + g.v() + ["' | chpasswd"]


@carrier("pw")
def c_sql_user(g):
    """SQL that sets a password"""
    a, b = g.pick(("CREATE USER %s WITH PASSWORD '" % g.pick(*USERS), "';"), ("ALTER ROLE %s WITH LOGIN PASSWORD '" % g.pick(*USERS), "';"),
                  ("CREATE USER '%s'@'%%' IDENTIFIED BY '" % g.pick(*USERS), "';"), ("ALTER LOGIN sa WITH PASSWORD = N'", "';"),
                  ("GRANT ALL ON %s.* TO 'app'@'localhost' IDENTIFIED BY '" % g.pick(*DBS), "';"))
    return [a] + g.v() + [b]


@carrier("pw")
def c_pw_short(g):
    """pw: in notes"""
    return [g.pick("user: %s\n" % g.pick(*USERS), "host %s\n" % g.pick(*HOSTS), "") + g.pick("pw: ", "pwd: ", "pass: ", "PW ", "pw=", "Pass = ", "passwd: ")] + g.v()


@carrier("pw")
def c_user_slash(g):
    """user / password in notes"""
    return [g.pick("login: ", "Login with ", "credentials: ", "creds ") + g.pick(*USERS) + g.pick(" / ", ":", " / ")] + g.v()


@carrier("self", "named", "pw")
def c_heredoc(g):
    """here document"""
    return ["cat > .env <<'EOF'\n%s=" % g.N] + g.v() + ["\nEOF"]


# ----------------------------------------------------------------------------- web and logs
@carrier("self", "named", "head")
def c_http_header(g):
    """HTTP request as logged"""
    name, val = g.header()
    p = g.pick("", "> ")
    return [p + "GET /v1/me HTTP/1.1\n" + p + "Host: api.example.com\n" + p + g.pick(name, name.lower()) + ": "] + val + ["\n"]


@carrier("self", "named", "pw", "url", "conn")
def c_log_line(g):
    """log line"""
    a, b = g.pick((" INFO  [main] c.a.Config - loaded %s=" % g.n, " from environment"), (" DEBUG config: {%s: " % g.c, ", retries: 3}"),
                  (' level=debug msg="auth" %s=' % g.n, " attempt=2"), (" [warn] %s=" % g.N, ""), (" app[1423]: using %s " % g.k.replace("-", " ") if not g.kind.telling else " app[1423]: %s: " % g.n, ""))
    return [g.ts() + "Z" + a] + g.v() + [b]


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_gha_log(g):
    """GitHub Actions log"""
    stamp = g.ts() + ".%07dZ " % g.rng.randrange(10 ** 7)
    if g.kind.family == "pem":
        return [stamp + "##[group]Run cat key.pem\n" + stamp] + lit(g.v(), lambda p: p.replace("\n", "\n" + stamp))
    return [stamp + "##[group]Run npm publish\n" + stamp + "shell: /usr/bin/bash -e {0}\n" + stamp + "env:\n" + stamp + "  %s: " % g.N] + g.v() + ["\n" + stamp + "##[endgroup]"]


@carrier("self", "named")
def c_url_query(g):
    """query of a URL"""
    key = g.pick("access_token", "token", "api_key", "key", "apikey") if not g.kind.telling else g.pick("access_token", "api_key", "apikey", "apiKey")
    return [g.pick("GET ", "https://", "url: https://") + "api.example.com/v1/items?page=2&%s=" % key if g.rng.random() < 0.6 else "https://maps.example.com/js?%s=" % key] \
        + g.v(lambda p: quote(p, safe="-_.~")) + [g.pick("", "&lang=de", " 200 12ms")]


@carrier("self", "named")
def c_stack_trace(g):
    """stack trace"""
    r = g.rng.random()
    if r < 0.35:
        return ['Traceback (most recent call last):\n  File "/app/main.py", line %d, in <module>\n    client = Client(%s="' % (g.rng.randrange(9, 300), g.n)] + g.v() \
            + ['")\nTypeError: unexpected keyword argument']
    if r < 0.7:
        return ["requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://api.example.com/v1/me?%s=" % g.pick("api_key", "access_token")] \
            + g.v(lambda p: quote(p, safe="-_.~"))
    if g.kind.telling:
        return ["Error: Incorrect API key provided: "] + g.v() + [".\n    at request (/app/node_modules/client/index.js:42:11)"]
    return ["Error: Invalid credentials: "] + g.v() + ["\n    at login (/app/src/auth.ts:%d:13)\n    at async main (/app/src/index.ts:7:3)" % g.rng.randrange(10, 200)]


@carrier("self", "named", "pw", "url")
def c_assert_diff(g):
    """failed assertion of a test"""
    if g.kind.telling:
        return ["E       AssertionError: assert {'%s': '" % g.n] + g.v() + ["'} == {}"]
    return ["E       AssertionError: assert '"] + g.v() + ["' == 'dummy'"]


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_diff_plus(g):
    """added lines of a diff"""
    if g.kind.family == "pem":
        return ["@@ -0,0 +1,28 @@\n"] + indent(g.v(), "+")
    return ["@@ -3,6 +3,7 @@\n NODE_ENV=production\n+%s" % g.pick("%s=" % g.N, "%s: " % g.n, "  \"%s\": \"" % g.c)] + g.v() + ["\n PORT=3000"]


@carrier("self", "named", "pw", "url", "conn", "pem")
def c_diff_minus(g):
    """removed lines of a diff"""
    if g.kind.family == "pem":
        return ["deleted file mode 100600\n"] + indent(g.v(), "-")
    return ["@@ -3,7 +3,7 @@\n-%s=" % g.N] + g.v() + ["\n+%s=${%s}" % (g.N, g.N)]


@carrier("self", "named", "pw", "url")
def c_grep_output(g):
    """output of grep"""
    return ["%s:%d:%s" % (g.pick(".env.local", "src/config.ts", "deploy/values.yaml", "docker-compose.yml"), g.rng.randrange(1, 300), g.pick("%s=" % g.N, "  %s: " % g.n))] + g.v()


@carrier("self", "named", "pw")
def c_html_input(g):
    """value of a HTML input"""
    return ['<input type="hidden" name="%s" value="' % g.pick(g.n, g.k)] + g.v(xml_esc) + ['">']


@carrier()
def c_form_body(g):
    """body of a form post"""
    return ["grant_type=client_credentials&client_id=web-app&client_secret="] + g.v(lambda p: quote(p, safe="-_.~")) + ["&scope=openid"]


# ----------------------------------------------------------------------------- known files
@carrier("pw")
def c_netrc(g):
    """.netrc"""
    host = g.kind.sites[0] if g.kind.sites else g.pick("api.heroku.com", "nexus.example.com", "api.wandb.ai")
    sep = g.pick(" ", "\n  ")
    return ["machine %s%slogin %s%spassword " % (host, sep, g.kind.user or g.pick(*USERS), sep)] + g.v()


@carrier()
def c_npmrc(g):
    """.npmrc"""
    host = {"github.com": "npm.pkg.github.com", "gitlab.com": "gitlab.com/api/v4/packages/npm"}.get((g.kind.sites or ("registry.npmjs.org",))[0], "registry.npmjs.org")
    return ["@%s:registry=https://%s/\n//%s/:_authToken=" % (g.org(), host, host)] + g.v() + [g.pick("", "\nalways-auth=true")]


@carrier()
def c_pypirc(g):
    """.pypirc"""
    return ["[distutils]\nindex-servers = pypi\n\n[pypi]\nusername = __token__\npassword = "] + g.v()


@carrier()
def c_gem_credentials(g):
    """~/.gem/credentials"""
    return ["---\n:rubygems_api_key: "] + g.v()


@carrier()
def c_cargo_credentials(g):
    """~/.cargo/credentials.toml"""
    return ["[registry]\ntoken = \""] + g.v() + ['"']


@carrier()
def c_terraformrc(g):
    """.terraformrc"""
    return ['credentials "app.terraform.io" {\n  token = "'] + g.v() + ['"\n}']


@carrier()
def c_aws_credentials(g):
    """~/.aws/credentials"""
    return ["[%s]\n%s = " % (g.pick("default", "prod"), g.n)] + g.v() + ["\nregion = eu-central-1"]


@carrier()
def c_aws_pair(g):
    """both AWS keys, as the console shows them"""
    kid = "AK" + "IA" + ident(g.rng, BASE32, 16)
    return g.pick(["User name,Access key ID,Secret access key\ndeploy,%s," % kid], ["Access key ID: %s\nSecret access key: " % kid],
                  ["aws_access_key_id=%s\naws_secret_access_key=" % kid], ['"AccessKeyId": "%s",\n"SecretAccessKey": "' % kid]) + g.v()


@carrier()
def c_aws_configure(g):
    """aws configure"""
    return ["$ aws configure\nAWS Access Key ID [None]: %s\nAWS Secret Access Key [None]: " % ("AK" + "IA" + ident(g.rng, BASE32, 16))] + g.v() + ["\nDefault region name [None]: eu-west-1"]


@carrier()
def c_git_remote(g):
    """git remote with the token in the URL"""
    user, host = g.kind.user or "x", (g.kind.sites or ("dev.azure.com",))[0]
    a, b = g.pick(("origin\thttps://%s:" % user, "@%s/%s/%s.git (fetch)" % (host, g.org(), g.repo())),
                  ("git clone https://%s:" % user, "@%s/%s/%s.git" % (host, g.org(), g.repo())),
                  ("git remote set-url origin https://%s:" % user, "@%s/%s/%s.git" % (host, g.org(), g.repo())),
                  ("fatal: unable to access 'https://%s:" % user, "@%s/%s/%s.git/': The requested URL returned error: 403" % (host, g.org(), g.repo())),
                  ("\turl = https://", "@%s/%s/%s.git" % (host, g.org(), g.repo())))
    return [a] + g.v() + [b]


@carrier()
def c_git_credentials(g):
    """~/.git-credentials"""
    return ["https://%s:" % (g.kind.user or "x")] + g.v() + ["@%s" % (g.kind.sites or ("github.com",))[0]]


@carrier()
def c_gh_hosts(g):
    """gh's hosts.yml"""
    return ["github.com:\n    user: octo\n    oauth_token: "] + g.v() + ["\n    git_protocol: https"]


@carrier()
def c_gh_login(g):
    """gh auth login --with-token"""
    return ["echo "] + g.v() + [" | gh auth login --with-token"]


@carrier()
def c_age_file(g):
    """keys.txt of age"""
    return ["# created: 2026-02-11T09:12:44+01:00\n# public key: age1%s\n" % ident(g.rng, BECH32.lower(), 58)] + g.v()


@carrier()
def c_wireguard_conf(g):
    """WireGuard configuration"""
    return ["[Interface]\nAddress = 10.8.0.2/24\nPrivateKey = "] + g.v() + ["\n\n[Peer]\nAllowedIPs = 0.0.0.0/0"]


@carrier()
def c_otpauth(g):
    """otpauth URL"""
    return ["otpauth://totp/Acme:anna?secret="] + g.v() + ["&issuer=Acme"]


@carrier()
def c_telegram_url(g):
    """Telegram API URL"""
    return ["https://api.telegram.org/bot"] + g.v() + ["/sendMessage?chat_id=1234&text=hi"]


@carrier("dockerauth")
def c_docker_config(g):
    """~/.docker/config.json"""
    return ['{\n\t"auths": {\n\t\t"https://index.docker.io/v1/": {\n\t\t\t"auth": "'] + g.v() + ['"\n\t\t}\n\t}\n}']


@carrier("dockerauth")
def c_docker_config_line(g):
    """config.json on one line"""
    return ['{"auths":{"ghcr.io":{"auth":"'] + g.v() + ['"}}}']


@carrier("dockerauth")
def c_docker_config_env(g):
    """DOCKER_AUTH_CONFIG"""
    return ["DOCKER_AUTH_CONFIG='{\"auths\":{\"registry.example.com\":{\"auth\":\""] + g.v() + ["\"}}}'"]


# --------------------------------------------------------------------------------- cookies
@carrier("cookie")
def c_cookie_header(g):
    """Cookie header"""
    name = g.N if g.kind.family == "cookie" else "access_token"
    return [g.pick("Cookie: ", "cookie: ", "> Cookie: ", "Cookie: theme=dark; ") + name + "="] + g.v() + [g.pick("", "; lang=de")]


@carrier("cookie")
def c_set_cookie(g):
    """Set-Cookie header"""
    return [g.pick("Set-Cookie: ", "< set-cookie: ") + g.N + "="] + g.v() + ["; Path=/; HttpOnly; Secure; SameSite=Lax"]


@carrier("cookie")
def c_curl_cookie(g):
    """curl with a cookie"""
    return ["curl %s '%s=" % (g.pick("-b", "--cookie", "-sb"), g.N)] + g.v() + ["' https://app.example.com/profile"]


@carrier("cookie")
def c_curl_H_cookie(g):
    """curl with a cookie header"""
    return ["curl 'https://app.example.com/api/me' -H 'accept: */*' -H 'cookie: theme=dark; %s=" % g.N] + g.v() + ["' --compressed"]


@carrier("cookie")
def c_py_cookies(g):
    """cookies of a HTTP library"""
    return ['requests.get(url, cookies={"%s": "' % g.N] + g.v() + ['"})']


# ------------------------------------------------------------------------ broken, encoded
def _lead(g):
    if g.kind.telling or g.rng.random() < 0.5:
        return g.pick("%s=" % g.N, "export %s=" % g.N, "%s: " % g.n)
    return g.pick("", "token: ", "curl -H 'Authorization: Bearer ", "use ", "$ export %s=" % g.N)


def _padded(lead, pos):
    """The lead, filled up so that the terminal is at least 40 columns wide."""
    n = 40 - len(lead) - pos
    if n <= 0:
        return lead
    filler = ("anna@build-01:~/projects/shop-backend/deploy$ " if re.match(r"[\w$]+ ?[\w=]*=|curl|export|\$", lead)
              else "please look into yesterday evening's log and ")
    return filler[-n:] + lead


@carrier("self", "named", "url")
def c_terminal_break(g):
    """broken by the terminal's line end, well inside the random part"""
    lead, size = _lead(g), len(g.text)
    head = len(g.v()[0]) if not isinstance(g.v()[0], S) else 0
    low = min(max(head + 8, 8), size - 6)
    pos = g.rng.randrange(low, max(low + 1, size - 7))
    if pos > 150:                                   # more than one line end
        pos = g.rng.randrange(30, 120)
    lead = _padded(lead, pos)
    return broken([lead] + g.v() + [g.pick("", "\n")], len(lead) + pos)


@carrier("self")
def c_terminal_break_early(g):
    """broken by the terminal's line end inside the prefix or right after it"""
    lead = _lead(g)
    head = len(g.v()[0]) if not isinstance(g.v()[0], S) else 0
    pos = g.rng.randrange(max(2, min(head, 12)), min(max(head, 4), 30) + 5)
    lead = _padded(lead, pos)
    return broken([lead] + g.v(), len(lead) + pos)


@carrier("self", "named", "url")
def c_wrapped_mail(g):
    """quoted-printable mail with soft line ends"""
    lead = g.pick("Hi, the new %s is " % g.label, "%s: " % g.label, "%s=" % g.N)
    size = len(g.text)
    head = len(g.v()[0]) if not isinstance(g.v()[0], S) else 0
    low = min(max(min(head, 40) + 4, 8), max(1, size - 6))
    pos = g.rng.randrange(low, max(low + 1, min(size - 7, 68)))
    enc = lambda p: p.replace("=", "=3D")
    pieces = lit([lead] + g.v() + [g.pick("", " Regards, Anna")], enc)
    first = len(enc(lead)) + pos
    # never break inside an =3D
    flat = "".join(pieces)
    while flat[first - 1:first] == "=" or flat[first - 2:first - 1] == "=" and flat[first - 2:first + 1] == "=3D":
        first += 1
    out = broken(pieces, 75, glue="=\n", first=first)
    return out


@carrier("self", "named", "url", "pw")
def c_env_base64(g):
    """base64 of a whole .env"""
    env = ["NODE_ENV=production\nPORT=%d\n%s=" % (g.rng.randrange(3000, 9000), g.N)] + g.v() + ["\nLOG_LEVEL=info\n"]
    text = b64_pieces(env)
    form = g.rng.randrange(4)
    if form == 0:
        return ["$ base64 -w0 .env\n"] + text
    if form == 1:
        return ["$ base64 .env\n"] + broken(text, 76)
    if form == 2:
        return ["ENV_FILE_B64="] + text
    return ["echo "] + text + [" | base64 -d > .env"]


@carrier("self", "named", "url")
def c_b64_env_value(g):
    """base64 of the value in a variable"""
    return ["%s_B64=" % g.N] + b64_pieces(g.v())


# ----------------------------------------------------------------------------- key blocks
@carrier("pem", "jsonf")
def c_cat_file(g):
    """cat of a key file"""
    f = {"jsonf": "service-account.json"}.get(g.kind.family) or g.pick("~/.ssh/id_ed25519", "key.pem", "/etc/ssl/private/tls.key")
    return ["$ cat %s\n" % f] + g.v() + ["\n$ "]


@carrier("pem", "jsonf")
def c_key_bare(g):
    """the block alone"""
    return g.v()


@carrier("pem", "jsonf")
def c_key_heredoc(g):
    """here document"""
    return ["cat > %s <<'EOF'\n" % g.pick("/tmp/key", "sa.json", "~/.ssh/id_rsa")] + g.v() + ["\nEOF\nchmod 600 key"]


@carrier("pem")
def c_key_env_escaped(g):
    r""".env line with \n"""
    return ['%s="' % g.N] + g.v(json_esc) + ['\\n"']


@carrier("pem")
def c_key_env_multiline(g):
    """.env value over several lines"""
    return ['%s="' % g.N] + g.v() + ['"\nPORT=3000']


@carrier("pem")
def c_key_terraform(g):
    """terraform here document"""
    return ["  private_key = <<-EOT\n"] + indent(g.v(), "    ") + ["\n  EOT"]


@carrier("pem")
def c_key_concat(g):
    """lines as joined strings"""
    return ['String key = "'] + lit(g.v(), lambda p: p.replace("\n", '\\n" +\n    "')) + ['\\n";']


@carrier("pem")
def c_key_quoted(g):
    """quoted in a mail"""
    return ["Anna wrote:\n"] + indent(g.v(), "> ")


@carrier("pem", "jsonf")
def c_key_b64(g):
    """base64 of the file"""
    return [g.pick("%s_B64=", "%s_BASE64: ") % g.N] + b64_pieces(g.v())


@carrier("pem")
def c_key_cut(g):
    """cut off before the end line (output of head)"""
    t = g.v()
    n = max(3, len(t) - 3)
    return ["$ head -n 20 key.pem\n"] + t[:n]


@carrier("jsonf")
def c_json_env(g):
    """minified in a variable"""
    return ["%s='" % g.N] + lit(g.v(), lambda p: p.replace("\n  ", "").replace("\n", "")) + ["'"]


@carrier("jsonf")
def c_json_diff(g):
    """added by a diff"""
    return ["+++ b/sa.json\n"] + indent(g.v(), "+")


# ------------------------------------------------------------------------------ the pairs
FAMILY_GROUP = {"token": "self", "named": "named", "password": "pw", "letters": "let", "url": "url", "connstr": "conn",
                "pem": "pem", "jsonfile": "jsonf", "header": "head", "cookie": "cookie", "dockerauth": "dockerauth"}
LONG = 150       # values longer than this aren't typed into tables or put into parentheses


def _assign():
    for kind in KINDS.values():
        names = list(GROUPS[FAMILY_GROUP[kind.family]])
        names += [x for x in kind.extra if x not in names]
        if kind.family == "token" and kind.header is None:
            names = [n for n in names if n not in ("curl_H", "http_header", "js_template", "py_request", "url_query")]
        sample = str(kind.make(Random("sample|" + kind.id)))
        if len(sample) > LONG:
            names = [n for n in names if n not in ("md_table", "parens_end", "quotes", "helm_set")]
        if kind.family == "letters":
            names = [n for n in names if n in ("env_line", "export", "docker_run_env", "md_fence", "read_tool", "transcript_json", "printenv")]
        kind.carriers = tuple(n for n in names if n not in kind.without)


_assign()


def parts_of(pieces):
    """The strings of which no 8 characters in a row may survive."""
    seen = []
    for p in pieces:
        if isinstance(p, S) and len(p) >= 8 and str(p) not in seen:
            seen.append(str(p))
    return tuple(seen)


def placed(seed=SEED, per=36):
    """Yields (kind, carrier, text, parts).  `per` = how many carriers are drawn for each kind (None: all of
    them once).  The carriers only this kind has (.npmrc, git remote ...) are always among them, twice; passwords
    are put into every carrier twice, kinds with few carriers into each of them three times."""
    for kind in KINDS.values():
        draw = Random("%s|%s|carriers" % (seed, kind.id))
        own = [n for n in kind.carriers if n in kind.extra]
        if per is None or per >= len(kind.carriers) or kind.family == "password":
            chosen = kind.carriers
        else:
            rest = [n for n in kind.carriers if n not in own]
            keep = set(own) | set(draw.sample(rest, max(0, per - len(own))))
            chosen = [n for n in kind.carriers if n in keep]
        for name in chosen:
            times = (1 if per is None else 2 if name in own or kind.family == "password" else
                     3 if len(kind.carriers) < 12 else 1)
            done = attempt = 0
            while done < times and attempt < 60:
                rng = Random("%s|%s|%s|%d" % (seed, kind.id, name, attempt))
                attempt += 1
                pieces = CARRIERS[name].pieces(rng, kind, kind.make(rng))
                parts = parts_of(pieces)
                if parts:
                    done += 1
                    yield kind.id, name, "".join(pieces), parts


# ===================================================================================== prose
# {v} the password, {u} a user, {h} a host or service
PHRASES = {
    "en": ["the password is {v}", "password: {v}", "pw: {v}", "login with {u} / {v}", "use password {v} for the staging db",
           "log in as {u} with password {v} and check the orders page", "user {u}, pass {v}", "the new password for {h} is {v}, please don't commit it",
           "My password is '{v}' but it still says access denied", "credentials: {u}:{v}", "pwd = {v}", "Username: {u}\nPassword: {v}",
           "I changed the root password to {v} on {h}", "connect to {h} as {u} (password {v})", "passphrase: {v}", "The passcode is {v}."],
    "de": ["das Passwort ist {v}", "Passwort: {v}", "PW: {v}", "mit dem Passwort {v} anmelden", "Zugangsdaten: {u} / {v}",
           "melde dich mit {u} und dem Passwort {v} an", "das neue Passwort für {h} lautet {v}", "Kennwort: {v}", "Benutzer: {u}\nKennwort: {v}",
           "nimm Passwort {v} für die Testdatenbank", "Login {u}, Passwort {v}", "Passwort lautet: {v}", "ich habe das Kennwort auf {v} geändert",
           "Das WLAN-Passwort ist {v}.", "logge dich bitte mit {u}/{v} ein", "Passwort (neu): {v}"],
    "fr": ["le mot de passe est {v}", "mot de passe : {v}", "mdp : {v}", "mdp: {v}", "connecte-toi avec {u} / {v}", "utilise le mot de passe {v} pour la base de test",
           "identifiant : {u}\nmot de passe : {v}", "le nouveau mot de passe de {h} est {v}", "mon mot de passe c'est {v}, ça ne marche pas",
           "connexion avec l'utilisateur {u} et le mot de passe {v}", "j'ai changé le mot de passe en {v}", "Mot de passe = {v}"],
    "es": ["la contraseña es {v}", "contraseña: {v}", "Clave: {v}", "entra con {u} / {v}", "usa la contraseña {v} para la base de pruebas",
           "usuario: {u}\ncontraseña: {v}", "la nueva contraseña de {h} es {v}", "inicia sesión con el usuario {u} y la contraseña {v}",
           "mi contraseña es \"{v}\" pero no funciona", "cambié la clave a {v}", "pass: {v}", "La clave del wifi es {v}."],
    "pt": ["a senha é {v}", "senha: {v}", "Senha: {v}", "entre com {u} / {v}", "use a senha {v} para o banco de testes", "usuário: {u}\nsenha: {v}",
           "a nova senha do {h} é {v}", "faça login com o usuário {u} e a senha {v}", "a palavra-passe é {v}", "palavra-passe: {v}", "mudei a senha para {v}",
           "minha senha é '{v}' e não funciona"],
    "it": ["la password è {v}", "password: {v}", "la password di {h} è {v}", "entra con {u} / {v}", "usa la password {v} per il db di staging",
           "utente: {u}\npassword: {v}", "accedi con l'utente {u} e la password {v}", "parola d'ordine: {v}", "la nuova password è {v}, non salvarla",
           "ho cambiato la password in {v}", "pwd: {v}", "la mia password è \"{v}\""],
    "nl": ["het wachtwoord is {v}", "wachtwoord: {v}", "ww: {v}", "log in met {u} / {v}", "gebruik wachtwoord {v} voor de testdatabase",
           "gebruiker: {u}\nwachtwoord: {v}", "het nieuwe wachtwoord van {h} is {v}", "inloggen met gebruiker {u} en wachtwoord {v}",
           "mijn wachtwoord is '{v}' maar het werkt niet", "ik heb het wachtwoord veranderd in {v}", "Wachtwoord = {v}"],
    "pl": ["hasło to {v}", "hasło: {v}", "haslo: {v}", "zaloguj się jako {u} / {v}", "użyj hasła {v} do bazy testowej", "użytkownik: {u}\nhasło: {v}",
           "nowe hasło do {h} to {v}", "zaloguj się użytkownikiem {u} i hasłem {v}", "moje hasło to \"{v}\", ale nie działa", "zmieniłem hasło na {v}", "Hasło do wifi: {v}"],
    "ru": ["пароль {v}", "пароль: {v}", "Пароль — {v}", "логин {u}, пароль {v}", "используй пароль {v} для тестовой базы", "логин: {u}\nпароль: {v}",
           "новый пароль от {h}: {v}", "зайди под {u} с паролем {v}", "мой пароль \"{v}\", но не пускает", "поменял пароль на {v}", "пасс: {v}", "Пароль от вайфая такой: {v}"],
    "uk": ["пароль {v}", "пароль: {v}", "Пароль — {v}", "логін {u}, пароль {v}", "використовуй пароль {v} для тестової бази", "логін: {u}\nпароль: {v}",
           "новий пароль від {h}: {v}", "зайди під {u} з паролем {v}", "мій пароль \"{v}\", але не пускає", "змінив пароль на {v}", "Пароль до вайфаю: {v}"],
    "tr": ["şifre {v}", "şifre: {v}", "parola: {v}", "Şifre = {v}", "{u} / {v} ile giriş yap", "test veritabanı için {v} şifresini kullan", "kullanıcı: {u}\nşifre: {v}",
           "{h} için yeni şifre: {v}", "{u} kullanıcısı ve {v} parolası ile bağlan", "şifrem '{v}' ama çalışmıyor", "şifreyi {v} yaptım", "Parolamız: {v}"],
    "zh": ["密码是{v}", "密码：{v}", "密码: {v}", "用户名 {u} 密码 {v}", "用 {u} / {v} 登录", "测试库的密码是 {v}，请连接一下", "账号：{u}\n密码：{v}", "{h} 的新密码为 {v}",
           "请使用密码 {v} 登录后台", "口令：{v}", "我的密码是“{v}”，还是登录不了", "密码改成了 {v}", "密碼：{v}", "密碼是 {v}"],
    "ja": ["パスワードは{v}です", "パスワード：{v}", "パスワード: {v}", "PW：{v}", "{u} / {v} でログインしてください", "ユーザー名：{u}\nパスワード：{v}", "{h} の新しいパスワードは {v} です",
           "テスト用DBはパスワード {v} を使ってください", "ID: {u} / パスワード: {v}", "パスワードを{v}に変更しました", "私のパスワードは「{v}」ですが、ログインできません", "パスは {v} です"],
    "ko": ["비밀번호는 {v} 입니다", "비밀번호: {v}", "비번: {v}", "비번은 {v}", "{u} / {v} 로 로그인해 주세요", "아이디: {u}\n비밀번호: {v}", "{h} 새 비밀번호는 {v}",
           "테스트 DB는 비밀번호 {v} 를 사용하세요", "암호: {v}", "제 비밀번호는 '{v}' 인데 로그인이 안 돼요", "비밀번호를 {v}로 바꿨어요", "패스워드: {v}"],
    "ar": ["كلمة المرور هي {v}", "كلمة المرور: {v}", "كلمة السر: {v}", "الباسورد {v}", "سجل الدخول بـ {u} / {v}", "المستخدم: {u}\nكلمة المرور: {v}",
           "كلمة المرور الجديدة لـ {h} هي {v}", "استخدم كلمة المرور {v} لقاعدة بيانات الاختبار", "الرقم السري: {v}", "غيرت كلمة السر إلى {v}", "باسورد: {v}"],
    "hi": ["पासवर्ड {v} है", "पासवर्ड: {v}", "पासवर्ड है {v}", "{u} / {v} से लॉगिन करें", "यूज़र: {u}\nपासवर्ड: {v}", "{h} का नया पासवर्ड {v} है", "टेस्ट डेटाबेस के लिए पासवर्ड {v} इस्तेमाल करो",
           "मेरा पासवर्ड '{v}' है लेकिन काम नहीं कर रहा", "पासवर्ड बदलकर {v} कर दिया", "कूटशब्द: {v}", "यूज़रनेम {u}, पासवर्ड {v}"],
}
LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "pt": "Portuguese", "it": "Italian", "nl": "Dutch", "pl": "Polish",
             "ru": "Russian", "uk": "Ukrainian", "tr": "Turkish", "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "ar": "Arabic", "hi": "Hindi"}
PHRASINGS = {"%s.%02d" % (lang, i): p for lang, ps in PHRASES.items() for i, p in enumerate(ps, 1)}
SERVICES = ("jenkins", "grafana", "staging", "wp-admin", "gitlab", "db01", "10.0.0.12", "nas", "phpMyAdmin", "keycloak")


def prose_value(rng):
    """8 to 20 characters with a digit or a sign; ends with a letter, a digit or a sign no sentence ends with."""
    while True:
        form = rng.random()
        if form < 0.40:
            v = password(rng, rng.randint(8, 20), rng.choice((SIGNS_MILD, "!#-_", SIGNS)))
        elif form < 0.70:
            v = human_password(rng)
        elif form < 0.84:
            v = ident(rng, AN, rng.randint(8, 20))
        elif form < 0.92:
            v = rng.choice(HUMAN) + rng.choice("!#_@$&*+") + rng.choice(HUMAN)
        elif form < 0.97:
            v = rng.choice(WORDS) + str(rng.randrange(100, 99999))
        else:
            v = ident(rng, AN_LOW, 4) + "-" + ident(rng, AN_LOW, 4) + "-" + ident(rng, AN_LOW, 4)
        if (8 <= len(v) <= 20 and v[-1] not in ".,;:?!/)]}~-=(" and v[0] in AN + "!#*+_$@" and any(not c.isalpha() for c in v)
                and not re.fullmatch(r"[\d.]+", v) and "${" not in v and "://" not in v):
            return v


def prose(seed=SEED, per=8):
    """Yields (language, phrasing id, text, value): a password as people type it to a colleague or an agent."""
    for pid, phrase in PHRASINGS.items():
        lang = pid.split(".")[0]
        for i in range(per):
            rng = Random("%s|prose|%s|%d" % (seed, pid, i))
            value = prose_value(rng)
            text = phrase.replace("{u}", rng.choice(USERS)).replace("{h}", rng.choice(SERVICES)).replace("{v}", value)
            if "\n" not in text and not re.match(r"^\W*\w{1,12}\s*[:：=]", text) and rng.random() < 0.3 and lang not in ("ar",):
                text = rng.choice(("ok, ", "fyi ", "- ", "> ", "@anna ")) + text
            yield lang, pid, text, value


# ==================================================================================== benign
# per language: password, new, current, repeat, forgot, user name, API key, access token, secret, enter, required,
#   min. length, mismatch, changed, wrong, expired, show, reset mail, invalid token, rule, where the key is, once
UI_KEYS = ("password new_password current_password confirm_password forgot_password username api_key access_token "
           "secret_key enter_password password_required password_min_length password_mismatch password_changed "
           "password_wrong token_expired show_password reset_link_sent token_invalid password_rule api_key_help token_once").split()
UI = {
    "en": ["Password", "New password", "Current password", "Confirm password", "Forgot your password?", "Username", "API key", "Access token", "Secret key",
           "Enter your password", "Password is required", "Password must be at least 8 characters long", "Passwords do not match", "Your password was changed",
           "Wrong user name or password", "The token has expired", "Show password", "We sent you a link to reset your password", "Invalid token",
           "The password must contain a digit and a special character", "You find your API key in the settings", "The token is shown only once"],
    "de": ["Passwort", "Neues Passwort", "Aktuelles Passwort", "Passwort bestätigen", "Passwort vergessen?", "Benutzername", "API-Schlüssel", "Zugriffs" "token",
           "Geheimer Schlüssel", "Passwort eingeben", "Passwort ist ein Pflichtfeld", "Passwort muss mindestens 8 Zeichen lang sein", "Die Passwörter stimmen nicht überein",
           "Ihr Passwort wurde geändert", "Benutzername oder Passwort falsch", "Das Token ist abgelaufen", "Passwort anzeigen",
           "Wir haben Ihnen einen Link zum Zurücksetzen des Passworts geschickt", "Ungültiges Token", "Das Passwort muss eine Ziffer und ein Sonderzeichen enthalten",
           "Den API-Schlüssel finden Sie in den Einstellungen", "Das Token wird nur einmal angezeigt"],
    "fr": ["Mot de passe", "Nouveau mot de passe", "Mot de passe actuel", "Confirmer le mot de passe", "Mot de passe oublié ?", "Nom d'utilisateur", "Clé API", "Jeton d'accès",
           "Clé secrète", "Saisissez votre mot de passe", "Le mot de passe est obligatoire", "Le mot de passe doit contenir au moins 8 caractères",
           "Les mots de passe ne correspondent pas", "Votre mot de passe a été modifié", "Identifiant ou mot de passe incorrect", "Le jeton a expiré", "Afficher le mot de passe",
           "Un lien de réinitialisation du mot de passe vous a été envoyé", "Jeton invalide", "Le mot de passe doit contenir un chiffre et un caractère spécial",
           "Votre clé API se trouve dans les paramètres", "Le jeton n'est affiché qu'une seule fois"],
    "es": ["Contraseña", "Nueva contraseña", "Contraseña actual", "Confirmar contraseña", "¿Olvidó su contraseña?", "Nombre de usuario", "Clave de API", "Token de acceso",
           "Clave secreta", "Introduzca su contraseña", "La contraseña es obligatoria", "La contraseña debe tener al menos 8 caracteres", "Las contraseñas no coinciden",
           "Su contraseña ha sido cambiada", "Usuario o contraseña incorrectos", "El token ha caducado", "Mostrar contraseña",
           "Le enviamos un enlace para restablecer la contraseña", "Token no válido", "La contraseña debe contener un número y un carácter especial",
           "Encontrará su clave de API en la configuración", "El token se muestra una sola vez"],
    "pt": ["Senha", "Nova senha", "Senha atual", "Confirmar senha", "Esqueceu a senha?", "Nome de usuário", "Chave de API", "Token de acesso", "Chave secreta", "Digite sua senha",
           "A senha é obrigatória", "A senha deve ter no mínimo 8 caracteres", "As senhas não coincidem", "Sua senha foi alterada", "Usuário ou senha incorretos",
           "O token expirou", "Mostrar senha", "Enviamos um link para redefinir sua senha", "Token inválido", "A senha deve conter um número e um caractere especial",
           "Sua chave de API está nas configurações", "O token é mostrado apenas uma vez"],
    "it": ["Password", "Nuova password", "Password attuale", "Conferma password", "Password dimenticata?", "Nome utente", "Chiave API", "Token di accesso", "Chiave segreta",
           "Inserisci la password", "La password è obbligatoria", "La password deve contenere almeno 8 caratteri", "Le password non coincidono", "La password è stata modificata",
           "Nome utente o password errati", "Il token è scaduto", "Mostra password", "Ti abbiamo inviato un link per reimpostare la password", "Token non valido",
           "La password deve contenere una cifra e un carattere speciale", "La chiave API si trova nelle impostazioni", "Il token viene mostrato una sola volta"],
    "nl": ["Wachtwoord", "Nieuw wachtwoord", "Huidig wachtwoord", "Wachtwoord bevestigen", "Wachtwoord vergeten?", "Gebruikersnaam", "API-sleutel", "Toegangstoken",
           "Geheime sleutel", "Voer uw wachtwoord in", "Wachtwoord is verplicht", "Wachtwoord moet minimaal 8 tekens bevatten", "Wachtwoorden komen niet overeen",
           "Uw wachtwoord is gewijzigd", "Gebruikersnaam of wachtwoord onjuist", "Het token is verlopen", "Wachtwoord tonen",
           "We hebben een link gestuurd om uw wachtwoord te herstellen", "Ongeldig token", "Het wachtwoord moet een cijfer en een speciaal teken bevatten",
           "U vindt uw API-sleutel in de instellingen", "Het token wordt maar één keer getoond"],
    "pl": ["Hasło", "Nowe hasło", "Obecne hasło", "Potwierdź hasło", "Nie pamiętasz hasła?", "Nazwa użytkownika", "Klucz API", "Token dostępu", "Tajny klucz", "Wpisz hasło",
           "Hasło jest wymagane", "Hasło musi mieć co najmniej 8 znaków", "Hasła nie są zgodne", "Twoje hasło zostało zmienione", "Błędna nazwa użytkownika lub hasło",
           "Token wygasł", "Pokaż hasło", "Wysłaliśmy link do zresetowania hasła", "Nieprawidłowy token", "Hasło musi zawierać cyfrę i znak specjalny",
           "Klucz API znajdziesz w ustawieniach", "Token jest wyświetlany tylko raz"],
    "ru": ["Пароль", "Новый пароль", "Текущий пароль", "Подтвердите пароль", "Забыли пароль?", "Имя пользователя", "Ключ API", "Токен доступа", "Секретный ключ",
           "Введите пароль", "Пароль обязателен", "Пароль должен содержать не менее 8 символов", "Пароли не совпадают", "Ваш пароль изменён", "Неверное имя пользователя или пароль",
           "Срок действия токена истёк", "Показать пароль", "Мы отправили ссылку для сброса пароля", "Недействительный токен",
           "Пароль должен содержать цифру и специальный символ", "Ключ API находится в настройках", "Токен показывается только один раз"],
    "uk": ["Пароль", "Новий пароль", "Поточний пароль", "Підтвердьте пароль", "Забули пароль?", "Ім'я користувача", "Ключ API", "Токен доступу", "Секретний ключ",
           "Введіть пароль", "Пароль обов'язковий", "Пароль має містити щонайменше 8 символів", "Паролі не збігаються", "Ваш пароль змінено", "Неправильне ім'я користувача або пароль",
           "Термін дії токена минув", "Показати пароль", "Ми надіслали посилання для скидання пароля", "Недійсний токен", "Пароль має містити цифру та спеціальний символ",
           "Ключ API знаходиться в налаштуваннях", "Токен показується лише один раз"],
    "tr": ["Şifre", "Yeni şifre", "Mevcut şifre", "Şifreyi onayla", "Şifrenizi mi unuttunuz?", "Kullanıcı adı", "API anahtarı", "Erişim belirteci", "Gizli anahtar",
           "Şifrenizi girin", "Şifre zorunludur", "Şifre en az 8 karakter olmalıdır", "Şifreler eşleşmiyor", "Şifreniz değiştirildi", "Kullanıcı adı veya şifre hatalı",
           "Belirtecin süresi doldu", "Şifreyi göster", "Şifre sıfırlama bağlantısı gönderildi", "Geçersiz belirteç", "Şifre bir rakam ve bir özel karakter içermelidir",
           "API anahtarınızı ayarlarda bulabilirsiniz", "Belirteç yalnızca bir kez gösterilir"],
    "zh": ["密码", "新密码", "当前密码", "确认密码", "忘记密码？", "用户名", "API 密钥", "访问令牌", "密钥", "请输入密码", "密码不能为空", "密码长度不能少于8位", "两次输入的密码不一致",
           "密码修改成功", "用户名或密码错误", "令牌已过期", "显示密码", "我们已发送重置密码的链接", "无效的令牌", "密码必须包含数字和特殊字符", "您可以在设置中找到 API 密钥", "令牌只显示一次"],
    "ja": ["パスワード", "新しいパスワード", "現在のパスワード", "パスワードの確認", "パスワードをお忘れですか？", "ユーザー名", "APIキー", "アクセストークン", "シークレットキー", "パスワードを入力してください",
           "パスワードは必須です", "パスワードは8文字以上で入力してください", "パスワードが一致しません", "パスワードを変更しました", "ユーザー名またはパスワードが違います", "トークンの有効期限が切れています",
           "パスワードを表示", "パスワード再設定用のリンクを送信しました", "無効なトークンです", "パスワードには数字と記号を含めてください", "APIキーは設定画面で確認できます", "トークンは" "一度だけ表示されます"],
    "ko": ["비밀번호", "새 비밀번호", "현재 비밀번호", "비밀번호 확인", "비밀번호를 잊으셨나요?", "사용자 이름", "API 키", "액세스 토큰", "비밀 키", "비밀번호를 입력하세요", "비밀번호는 필수입니다",
           "비밀번호는 8자 이상이어야 합니다", "비밀번호가 일치하지 않습니다", "비밀번호가 변경되었습니다", "아이디 또는 비밀번호가 올바르지 않습니다", "토큰이 만료되었습니다", "비밀번호 표시",
           "비밀번호 재설정 링크를 보냈습니다", "유효하지 않은 토큰입니다", "비밀번호는 숫자와 특수 문자를 포함해야 합니다", "API 키는 설정에서 확인할 수 있습니다", "토큰은 한 번만 표시됩니다"],
    "ar": ["كلمة المرور", "كلمة المرور الجديدة", "كلمة المرور الحالية", "تأكيد كلمة المرور", "هل نسيت كلمة المرور؟", "اسم المستخدم", "مفتاح API", "رمز الوصول", "المفتاح السري",
           "أدخل كلمة المرور", "كلمة المرور مطلوبة", "يجب ألا تقل كلمة المرور عن 8 أحرف", "كلمتا المرور غير متطابقتين", "تم تغيير كلمة المرور", "اسم المستخدم أو كلمة المرور غير صحيحة",
           "انتهت صلاحية الرمز", "إظهار كلمة المرور", "أرسلنا رابطا لإعادة تعيين كلمة المرور", "رمز غير صالح", "يجب أن تحتوي كلمة المرور على رقم ورمز خاص",
           "تجد مفتاح API في الإعدادات", "يظهر الرمز مرة واحدة فقط"],
    "hi": ["पासवर्ड", "नया पासवर्ड", "वर्तमान पासवर्ड", "पासवर्ड की पुष्टि करें", "पासवर्ड भूल गए?", "उपयोगकर्ता नाम", "एपीआई कुंजी", "एक्सेस टोकन", "गुप्त कुंजी", "अपना पासवर्ड दर्ज करें",
           "पासवर्ड आवश्यक है", "पासवर्ड कम से कम 8 अक्षरों का होना चाहिए", "पासवर्ड मेल नहीं खाते", "आपका पासवर्ड बदल दिया गया है", "उपयोगकर्ता नाम या पासवर्ड गलत है",
           "टोकन की अवधि समाप्त हो गई है", "पासवर्ड दिखाएँ", "हमने पासवर्ड रीसेट करने का लिंक भेजा है", "अमान्य टोकन", "पासवर्ड में एक अंक और एक विशेष चिह्न होना चाहिए",
           "एपीआई कुंजी सेटिंग्स में मिलेगी", "टोकन केवल एक बार दिखाया जाता है"],
}
SAYINGS = {
    "en": ["The password is case-sensitive.", "the password is stored in the vault", "use the password from 1Password", "I forgot the password, can you reset it?",
           "the token is valid for 24 hours", "never commit a password or a token", "Password: see the vault", "login with your Google account", "ask Anna for the password",
           "the API key is missing", "Passwords are hashed with bcrypt (cost 12)", "which password does the staging db use?"],
    "de": ["Das Passwort ist abgelaufen.", "das Passwort steht im Tresor", "mit dem Passwort anmelden", "mit dem Passwort aus KeePass anmelden", "Passwort: siehe Tresor",
           "Bitte kein Passwort einchecken.", "Das Token ist 24 Stunden gültig.", "Passwort wird verschlüsselt gespeichert", "frag Anna nach dem Passwort", "Kennwort alle 90 Tage ändern"],
    "fr": ["Le mot de passe est sensible à la casse.", "le mot de passe est dans le coffre", "mot de passe : voir le coffre", "connecte-toi avec ton mot de passe habituel",
           "Le jeton est valable 24 heures.", "ne jamais versionner un mot de passe", "demande le mot de passe à Anna", "le mot de passe est incorrect"],
    "es": ["La contraseña distingue mayúsculas y minúsculas.", "la contraseña está en la bóveda", "contraseña: ver la bóveda", "El token es válido durante 24 horas.",
           "nunca subas una contraseña al repositorio", "pide la contraseña a Anna", "la contraseña es incorrecta", "inicia sesión con tu contraseña"],
    "pt": ["A senha diferencia maiúsculas de minúsculas.", "a senha está no cofre", "senha: ver o cofre", "O token é válido por 24 horas.", "nunca envie uma senha para o repositório",
           "peça a senha para a Anna", "a senha está errada", "entre com a sua senha"],
    "it": ["La password distingue tra maiuscole e minuscole.", "la password è nel vault", "password: vedi il vault", "Il token è valido per 24 ore.", "non committare mai una password",
           "chiedi la password ad Anna", "la password è sbagliata", "accedi con la tua password"],
    "nl": ["Het wachtwoord is hoofdlettergevoelig.", "het wachtwoord staat in de kluis", "wachtwoord: zie de kluis", "Het token is 24 uur geldig.", "commit nooit een wachtwoord",
           "vraag Anna om het wachtwoord", "het wachtwoord is onjuist", "log in met je wachtwoord"],
    "pl": ["Hasło rozróżnia wielkość liter.", "hasło jest w sejfie", "hasło: patrz sejf", "Token jest ważny 24 godziny.", "nigdy nie commituj hasła", "zapytaj Annę o hasło",
           "hasło jest nieprawidłowe", "zaloguj się swoim hasłem"],
    "ru": ["Пароль чувствителен к регистру.", "пароль лежит в хранилище", "пароль: смотри хранилище", "Токен действителен 24 часа.", "никогда не коммить пароль",
           "спроси пароль у Анны", "пароль неверный", "войдите со своим паролем"],
    "uk": ["Пароль чутливий до регістру.", "пароль лежить у сховищі", "пароль: дивись сховище", "Токен дійсний 24 години.", "ніколи не коміть пароль", "запитай пароль в Анни",
           "пароль неправильний", "увійдіть зі своїм паролем"],
    "tr": ["Şifre büyük/küçük harfe duyarlıdır.", "şifre kasada duruyor", "şifre: kasaya bakın", "Belirteç 24 saat geçerlidir.", "şifreyi asla commit etmeyin", "şifreyi Anna'ya sor",
           "şifre yanlış", "kendi şifrenle giriş yap"],
    "zh": ["密码区分大小写。", "密码保存在密码管理器里", "密码：请联系管理员", "令牌有效期为24小时。", "不要把密码提交到仓库", "密码找 Anna 要", "密码是错误的", "请使用自己的密码登录"],
    "ja": ["パスワードは大文字と小文字を区別します。", "パスワードは金庫に保存されています", "パスワード：管理者に確認してください", "トークンの有効期間は24時間です。", "パスワードをコミットしないでください",
           "パスワードはアンナさんに聞いてください", "パスワードは間違っています", "自分のパスワードでログインしてください"],
    "ko": ["비밀번호는 대소문자를 구분합니다.", "비밀번호는 금고에 있습니다", "비밀번호: 관리자에게 문의하세요", "토큰은 24시간 동안 유효합니다.", "비밀번호를 커밋하지 마세요", "비밀번호는 안나에게 물어보세요",
           "비밀번호가 틀렸습니다", "본인 비밀번호로 로그인하세요"],
    "ar": ["كلمة المرور حساسة لحالة الأحرف.", "كلمة المرور محفوظة في الخزنة", "كلمة المرور: راجع المسؤول", "الرمز صالح لمدة 24 ساعة.", "لا تضع كلمة المرور في المستودع",
           "اسأل المسؤول عن كلمة المرور", "كلمة المرور خاطئة", "سجل الدخول بكلمة المرور الخاصة بك"],
    "hi": ["पासवर्ड में बड़े और छोटे अक्षर अलग माने जाते हैं।", "पासवर्ड तिजोरी में है", "पासवर्ड: व्यवस्थापक से पूछें", "टोकन 24 घंटे तक मान्य है।", "पासवर्ड कभी कमिट न करें",
           "पासवर्ड अन्ना से पूछो", "पासवर्ड गलत है", "अपने पासवर्ड से लॉगिन करें"],
}

I18N = (
    ("json", lambda k, c, s, en: '  "auth.%s": "%s",' % (c, json_esc(s))),
    ("json_flat", lambda k, c, s, en: '    "%s": "%s",' % (k, json_esc(s))),
    ("json_en_key", lambda k, c, s, en: '  "%s": "%s",' % (json_esc(en), json_esc(s))),
    ("yaml", lambda k, c, s, en: "    %s: %s" % (k, '"%s"' % s if re.search(r"[:?'#]|^[¿]", s) else s)),
    ("po", lambda k, c, s, en: 'msgstr "%s"' % s),
    ("po_id", lambda k, c, s, en: 'msgid "%s" msgstr "%s"' % (en, s)),
    ("properties", lambda k, c, s, en: "login.%s=%s" % (k.replace("_", "."), s)),
    ("properties_colon", lambda k, c, s, en: "form.%s.label: %s" % (c, s)),
    ("java", lambda k, c, s, en: 'messages.put("%s", "%s");' % (k, s)),
    ("swift", lambda k, c, s, en: '"login.%s" = "%s";' % (k, s)),
    ("android", lambda k, c, s, en: '<string name="%s">%s</string>' % (k, s.replace("'", "\\'"))),
    ("xliff", lambda k, c, s, en: '<trans-unit id="%s"><source>%s</source><target>%s</target></trans-unit>' % (k, en, s)),
    ("php", lambda k, c, s, en: "'%s' => '%s'," % (k, s.replace("'", "\\'"))),
    ("ts", lambda k, c, s, en: "  %s: '%s'," % (c, s.replace("'", "\\'"))),
    ("label", lambda k, c, s, en: '<label for="%s">%s</label>' % (k, s)),
    ("placeholder", lambda k, c, s, en: '<input type="password" name="%s" placeholder="%s">' % (k, s)),
    ("form", lambda k, c, s, en: "%s:" % s),
    ("form_star", lambda k, c, s, en: "%s: *" % s),
    ("form_line", lambda k, c, s, en: "%s: ______________" % s),
    ("masked", lambda k, c, s, en: "%s: ********" % s),
    ("md_row", lambda k, c, s, en: "| `%s` | string | %s |" % (k, s)),
    ("exception", lambda k, c, s, en: 'raise ValidationError("%s")' % s),
    ("toast", lambda k, c, s, en: "toast.error('%s');" % s.replace("'", "\\'")),
    ("test", lambda k, c, s, en: 'await expect(page.getByLabel("%s")).toBeVisible();' % s),
    ("qt", lambda k, c, s, en: "<message><source>%s</source><translation>%s</translation></message>" % (en, s)),
    ("aria", lambda k, c, s, en: '<button aria-label="%s" title="%s"></button>' % (s, s)),
)

CODE_NAMES = ("password", "token", "api_key", "secret", "client_secret", "access_token", "db_password", "passphrase", "auth_token", "private_key", "refresh_token")
CODE = {
    "python": ("{n} = get_{n}()", '{n} = os.environ["{N}"]', '{n} = os.getenv("{N}", "")', "{n}: str", "{n}: str | None = None", "{n}: Optional[str] = Field(default=None)",
               "self.{n} = {n}", "def login(user: str, {n}: str) -> bool:", "if not {n}:", "    {n}={n},", 'raise ValueError("{n} is required")',
               'parser.add_argument("--{k}", help="{h} for the service")', 'logger.debug("{n} refreshed for %s", user)', '{n} = config.get("{n}")',
               '{n} = getpass.getpass("{H}: ")', "assert {n} is not None", "{n} = request.form['{n}']", "{n} = settings.{N}", "return {n}.strip()",
               "{n}_hash = hash_value({n})", "{n} = secrets.token_urlsafe(32)", "{n}: SecretStr", 'print(f"{n}: {{{n}[:4]}}…")', "{n} = kwargs.pop('{n}', None)",
               "client = Client({n}={n})", "{n}_file = Path('/run/secrets/{n}')", "class {P}Field(forms.CharField):"),
    "javascript": ("const {c} = process.env.{N};", "{c}: string;", "{c}?: string | null", "const {{ {c} }} = req.body;", "{c}: process.env.{N},", "if (!{c}) return null;",
                   "onChange={{e => set{P}(e.target.value)}}", "{c}: z.string().min(8),", '{c}: "",', "{c}: null,", "const [{c}, set{P}] = useState('');",
                   "export type {P} = string;", "{c}: Joi.string().required(),", "await user.update({{ {c}: hash }});", "headers: {{ Authorization: `Bearer ${{{c}}}` }},",
                   "function validate{P}({c}: string): boolean {{", "localStorage.removeItem('{c}');", "{c}: config.get('{c}'),", "import {{ {c} }} from './config';"),
    "typed": ('{P} string `json:"{n}"`', '{c} := os.Getenv("{N}")', "{P}: cfg.{P},", "private String {c};", "this.{c} = {c};", "public String get{P}() {{",
              '@Value("${{app.{k}}}")', "pub {n}: String,", 'let {n} = std::env::var("{N}")?;', "public string {P} {{ get; set; }}", "val {c}: String?",
              "{c}: String = UUID.randomUUID().toString()", "func (c *Client) Set{P}(v string) {{", "protected ${c};", "$this->{c} = ${c};", "char *{n} = NULL;",
              "std::string {n}_;", "let {c}: String", "var {c} = Configuration[\"{P}\"];", "{n} = ENV.fetch('{N}')", "attr_accessor :{n}"),
    "shell": ('export {N}="${N}"', "{N}=${{{N}:?not set}}", '--{k} "${N}"', "{N}=$(vault kv get -field={n} secret/app)", "{N}=", '{N}=""', "read -r -s {N}", "unset {N}",
              "{N}=<your-{k}>", "{N}=********", "{N}=xxxxxxxx", "{N}=...", 'test -n "${N}" || exit 1', "{N}=$(cat /run/secrets/{n})", "-e {N}", "--build-arg {N}",
              "--{k}-file /run/secrets/{n}", "{N}=your_{n}_here", "curl -H \"Authorization: Bearer ${N}\" https://api.example.com", "docker run -e {N}=${N} app",
              "$env:{N} = Read-Host -AsSecureString", "--{k}=${{{N}}}", "gh secret set {N} < {n}.txt", "grep -rn '{n}' src/ | head", "{N}: unbound variable"),
    "config": ("{n}: ${{{N}}}", "{n}: {{{{ .Values.{c} }}}}", "{N}: ${{{{ secrets.{N} }}}}", '{n}: ""', "{n}: ~", "{n}: null", "{c}SecretRef:", "existingSecret: app-{k}",
               "key: {k}", "name: {k}", "{n} = var.{n}", 'variable "{n}" {{', "{n} = random_password.main.result", "{n}: !Ref {P}", "{n} = ${{env:{N}}}",
               "spring.datasource.{k}=${{{N}}}", '"{n}": "{{{{{n}}}}}",', '"{n}": "<redacted>",', '"{n}": {{"type": "string", "minLength": 8}},', "{n}: {{ type: string }}",
               "#{n}:", "; {n} =", "{n} = %(ENV_{N})s", "{n}: '{{{{ vault_{n} }}}}'", '<{k}>${{{n}}}</{k}>', "{n}_length = 32", "{n}_ttl: 3600", "{n}Expiry: 15m",
               '"{c}": "string",', "{n}: str (required)", "{n}_rotation_days = 90", "valueFrom: {{ secretKeyRef: {{ name: app, key: {k} }} }}"),
    "sql": ("{n} VARCHAR(255) NOT NULL,", "ALTER TABLE users ADD COLUMN {n}_hash CHAR(60);", "{n}_expires_at TIMESTAMP WITH TIME ZONE", "SELECT id, {n} FROM users WHERE id = ?",
            "INSERT INTO users (name, {n}) VALUES (?, ?)", "CREATE INDEX idx_{n} ON sessions ({n});", "`{n}` varchar(64) DEFAULT NULL COMMENT '{h}',", "UPDATE users SET {n} = :{n} WHERE id = :id",
            "ALTER USER app PASSWORD :'{n}';", "COMMENT ON COLUMN users.{n} IS '{h}';"),
    "html_css": ('<input type="password" name="{n}" id="{n}" autocomplete="current-password">', ".{k}-field {{ color: #3a7bd5; margin: 0 }}", "--{k}-border: 1px solid #ccc;",
                 '<div class="{k}-hint" data-testid="{k}-hint"></div>', "#{k} {{ padding: 4px 8px; }}", '<input v-model="form.{n}" type="password">', "<th>{H}</th>",
                 '<label for="{n}">{H}</label>', 'input[name="{n}"]:focus {{ outline: 2px solid #0af }}', "<td>{n}</td><td>string</td>"),
    "commit": ("fix: reset {n} after logout (#{i})", "feat(auth): rotate {n} every 30 days", "docs: explain how to set {N}", "chore: move {n} to the vault", "Merge pull request #{i} from anna/{k}-refresh",
               "test: {n} must not be logged", "- [ ] rotate the {h} (see #{i})", "TODO: read {n} from the keyring", "## {H}", "### Where do I find my {h}?",
               "Set `{N}` in your environment.", "The {h} is read from `{N}`.", "`{n}` (string, required): the {h}", "    :param {n}: the {h} of the user", " * @param {c} the {h}",
               "{H}: must not be empty", "missing {h}", "Error: {n} not found in environment", "WARN {n} is deprecated, use {n}_file", "{H} rotated successfully.", "{H} (optional)", "{n}=None"),
}
PLAIN = """docker run -p 8080:80 nginx
docker run -p 127.0.0.1:5432:5432 postgres:16
docker run --rm -it -p 3000:3000 -v $PWD:/app node:20
mkdir -p a/b
mkdir -p src/components/auth/password
ssh -p 2222 host
ssh -p 22022 deploy@web01.example.com
scp -P 2222 app.tar.gz host:/srv/
rsync -e "ssh -p 2222" -az ./ host:/srv/app
psql -h localhost -p 5433 -U app
mysql -u root -p
mysql -h db -u app -p shop
mysqldump -u root -p shop > shop.sql
redis-cli -h cache -p 6380 ping
nmap -p 1-65535 10.0.0.0/24
cp -pr a b
git log -p --stat
git add -p src/auth
pytest -p no:cacheprovider -q
tar -xpf backup.tar
unzip -p app.zip config.yml
kubectl patch svc app -p '{"spec":{"type":"NodePort"}}'
npx -p typescript tsc --noEmit
sudo -u postgres psql
docker login -u acmebot --password-stdin
docker login ghcr.io -u octo -p "$GITHUB_TOKEN"
gh auth login --with-token < token.txt
gh auth status
sshpass -f ~/.pass ssh host
sshpass -e ssh deploy@host
sshpass -p "$SSH_PASS" ssh deploy@host
curl -u "$USER:$PASS" https://nexus.example.com/
curl -u anna https://nexus.example.com/
curl -H "Authorization: Bearer $TOKEN" https://api.example.com
curl -H 'Authorization: Bearer <token>' https://api.example.com
Authorization: Bearer <access_token>
Authorization: Basic <credentials>
WWW-Authenticate: Basic realm="Nexus Repository Manager"
WWW-Authenticate: Bearer error="invalid_token"
password = get_password()
token: Token
password: ${DB_PASSWORD}
deploy --password "$PASS"
secret = "<yours>"
token = next(tokens)
for token in tokenizer.encode(text):
tokens = text.split()
max_tokens=4096
"max_tokens": 8192,
"usage": {"input_tokens": 12345, "output_tokens": 678}
total tokens: 48,213
tokens used: 128000 / 200000
Token limit reached (200000)
context window 200k tokens
const token = lexer.nextToken();
case TokenKind.StringLiteral:
enum TokenType { PASSWORD, SECRET, KEY }
self.token_type = "Bearer"
token_type: bearer
"token_type": "Bearer", "expires_in": 3600
grant_type=password
grant_type=refresh_token
"grant_type": "client_credentials"
auth_method: password
PasswordAuthentication no
PermitRootLogin prohibit-password
PubkeyAuthentication yes
passwordPolicy: { minLength: 12, requireDigits: true }
password_min_length = 12
password-reset-token-ttl: 3600
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = []
spring.security.oauth2.client.registration.github.client-id=web-app
passwordEncoder.matches(raw, user.getPassword())
bcrypt.compare(password, user.passwordHash)
password_verify($password, $row['hash'])
if password != confirm_password:
user.set_password(form.cleaned_data["password"])
postgres://${DB_USER}:${DB_PASSWORD}@db:5432/app
postgresql://user:<password>@localhost/app
mongodb+srv://<user>:<password>@cluster0.example.mongodb.net/
redis://localhost:6379/0
https://github.com/acme/api.git
git@github.com:acme/api.git
ssh://git@gitlab.example.com:2222/acme/api.git
jdbc:postgresql://localhost:5432/app
amqp://localhost:5672
https://example.com/reset-password?token=<token>
https://docs.github.com/en/authentication/keeping-your-account-and-data-secure
https://app.example.com/settings/tokens
/etc/passwd
/etc/ssl/private/server.key
/run/secrets/db_password
/usr/share/doc/passwd/README
/home/anna/.ssh/id_ed25519.pub
/var/lib/postgresql/data/pg_hba.conf
~/.config/gh/hosts.yml
/api/v1/users/{id}/password
/auth/realms/master/protocol/openid-connect/token
src/auth/password_reset/token_generator.py
node_modules/@babel/parser/lib/tokenizer.js
0 3 * * * /usr/local/bin/backup.sh --password-file /etc/backup.pass
*/5 * * * * root /usr/lib/token-refresh >/dev/null 2>&1
30 2 * * 0 certbot renew --quiet
host    all   all   10.0.0.0/8   scram-sha-256
local   all   postgres   peer
gpg: encrypted with 4096-bit RSA key
Enter passphrase for key '/home/anna/.ssh/id_ed25519':
Enter passphrase (empty for no passphrase):
[sudo] password for anna:
deploy@10.0.0.5's password:
Password:
Enter password:
Sorry, try again.
sudo: 3 incorrect password attempts
Permission denied (publickey,password).
remote: Support for password authentication was removed on August 13, 2021.
fatal: Authentication failed for 'https://github.com/acme/api.git/'
npm ERR! code ENEEDAUTH
error: no token found, please run `cargo login`
Error: Request failed with status code 401
FATAL: password authentication failed for user "app"
Access denied for user 'root'@'localhost' (using password: YES)
Access denied for user 'root'@'localhost' (using password: NO)
NOAUTH Authentication required.
WRONGPASS invalid username-password pair or user is disabled.
invalid_grant: Token has been expired or revoked.
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
SyntaxError: Unexpected token } in JSON at position 12
yaml: line 12: found character that cannot start any token
syntax error near unexpected token `('
parse error: unexpected token: keyword 'end'
csrf token missing or incorrect
CSRF verification failed.
<meta name="csrf-token" content="{{ csrf_token() }}">
{% csrf_token %}
<input type="hidden" name="_token" value="{{ csrf_token() }}">
key: value
"key": "value"
primary key (id)
foreign key (user_id) references users (id)
sort_key = lambda x: x[1]
for key, value in data.items():
keyboard: de-latin1
public_key: ssh-ed25519
secretName: wildcard-tls
imagePullSecrets: [{ name: regcred }]
kind: Secret
kind: ExternalSecret
kubectl get secret app -o yaml
kubectl create secret generic app --from-env-file=.env
kubectl describe secret regcred
ansible-vault encrypt_string --stdin-name db_password
aws secretsmanager get-secret-value --secret-id prod/db
aws sts get-caller-identity
arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db
gcloud secrets versions access latest --secret=db-password
az keyvault secret show --vault-name kv --name db-password
op read op://Private/github/token
pass show work/jenkins
vault kv get -field=password secret/app
bw get password jenkins
security find-generic-password -s jenkins -w
secret_santa = random.sample(names, len(names))
The secret to fast builds is caching.
Key features: search, filters, export
Pass: 42, Fail: 0
PASS src/auth/token.test.ts
passed 128 tests in 3.41s
pass the value as an argument
bypass: true
passport.use(new LocalStrategy(verify))
compass: north
passwd: password updated successfully
passwd: all authentication tokens updated successfully.
useradd -m -s /bin/bash deploy
chage -l anna
pw: forgotten, see the vault
PW: wird per Post geschickt
pwd
/srv/app$ pwd
PWD=/srv/app
OLDPWD=/home/anna
cd "$PWD"
user: anna, password: (unchanged)
password: [hidden]
password: (none)
Password: n/a
API key: not set
token: undefined
password=True
use_password: false
enable_password_login = false
password_login_enabled: true
requirepass ""
# password_file /etc/mosquitto/passwd
auth: none
no password needed
password-less sudo
passwordless login
one-time password (OTP)
Version: 1.24.0-rc.3+build.20260214
node v20.11.1, npm 10.2.4
python 3.11.7 (main, Dec  8 2023, 18:56:58) [GCC 11.4.0]
!function(e,t){"object"==typeof exports?module.exports=t():e.x=t()}(this,function(){return 1});
var e=t.password,n=t.token;return e&&n?r(e,n):null}
,a=o.secret||null,c=i.key,u=function(e){return e.token},
a{color:#06c}a:hover{text-decoration:none}.pw{width:100%;background:#f7f7f9}
@media (max-width:600px){.password-hint{display:none}}
color: #e3b0c4; background: #98fc1c;
font-family: "Inter", system-ui, -apple-system, sans-serif;
LANG=de_DE.UTF-8
TZ=Europe/Berlin
PORT=3000
NODE_ENV=production
DB_USER=app
DB_NAME=shop
DB_HOST=db.internal""".split("\n")


def _hashes(rng, i):
    """Lines with random text that is no secret."""
    h = lambda n: ident(rng, HEX, n)
    b = lambda n: b64(rbytes(rng, n))
    pkg = rng.choice(("lodash", "react", "express", "left-pad", "typescript", "vite", "@babel/core", "undici"))
    crate = rng.choice(("serde", "tokio", "rand", "syn", "libc", "regex"))
    ver = "%d.%d.%d" % (rng.randrange(20), rng.randrange(30), rng.randrange(30))
    return (
        ("commit", "commit %s" % h(40)), ("commit", "%s fix: password reset mail (#%d)" % (h(7), i)), ("commit", "HEAD is now at %s Rotate token cache" % h(8)),
        ("commit", "index %s..%s 100644" % (h(7), h(7))), ("commit", "Merge: %s %s" % (h(9), h(9))), ("commit", "From %s Mon Sep 17 00:00:00 2001" % h(40)),
        ("commit", "   %s..%s  main -> main" % (h(7), h(7))), ("commit", "uses: actions/checkout@%s # v4.1.1" % h(40)), ("commit", '"gitHead": "%s",' % h(40)),
        ("commit", "submodule path 'lib/auth': checked out '%s'" % h(40)), ("commit", "git cherry-pick %s" % h(40)), ("commit", "git show %s --stat" % h(12)),
        ("uuid", "request_id=%s status=200" % uuid4(rng)), ("uuid", "id: %s" % uuid4(rng)), ("uuid", '"runId":"%s",' % uuid4(rng)), ("uuid", "UUID=%s / ext4 defaults 0 1" % uuid4(rng)),
        ("uuid", '"uuid": "%s",' % uuid4(rng)), ("uuid", "GET /api/orders/%s 200 14ms" % uuid4(rng)), ("uuid", "traceparent: 00-%s-%s-01" % (h(32), h(16))),
        ("checksum", "    --hash=sha256:%s \\" % h(64)), ("checksum", 'checksum = "%s"' % h(64)), ("checksum", "%s  app-%s.tar.gz" % (h(64), ver)),
        ("checksum", "golang.org/x/crypto v0.%d.0 h1:%s" % (rng.randrange(40), b(32))), ("checksum", "FROM node:20@sha256:%s" % h(64)), ("checksum", "Digest: sha256:%s" % h(64)),
        ("checksum", "%s  %s" % (h(32), "README.md")), ("checksum", 'sha256 "%s"' % h(64)), ("checksum", "{file = \"%s-%s-py3-none-any.whl\", hash = \"sha256:%s\"}," % (crate, ver, h(64))),
        ("integrity", '      "integrity": "sha512-%s",' % b(64)), ("integrity", "  integrity sha512-%s" % b(64)), ("integrity", "resolution: {integrity: sha512-%s}" % b(64)),
        ("integrity", '<script src="/app.js" integrity="sha384-%s" crossorigin="anonymous"></script>' % b(48)), ("integrity", "  resolved \"https://registry.yarnpkg.com/%s/-/x-%s.tgz#%s\"" % (pkg, ver, h(40))),
        ("integrity", "  checksum: 10c0/%s" % h(128)),
        ("image", '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA%s" alt="">' % b(60 + i % 30 * 3)), ("image", "background: url(data:image/gif;base64,R0lGODlhAQABAIAAAA%s);" % b(24)),
        ("image", "src: url(data:font/woff2;base64,d09GMgABAAAAA%s) format('woff2');" % b(90)), ("image", "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ%s" % b(45)),
        ("asset", "dist/assets/index-%s.js   142.31 kB │ gzip: 45.90 kB" % ident(rng, URL64.replace("_", "").replace("-", ""), 8)), ("asset", 'ETag: W/"%s"' % h(32)), ("asset", "/static/css/main.%s.css" % h(8)),
        ("asset", "cache-key: node-modules-%s" % h(64)), ("docker", "%s   nginx:1.25   \"/docker-entrypoint.…\"   2 hours ago   Up 2 hours" % h(12)), ("docker", " => => sha256:%s 3.41MB / 3.41MB" % h(64)),
        ("docker", "Successfully built %s" % h(12)), ("cloud", "i-0%s  t3.micro  running" % h(16)), ("cloud", "arn:aws:kms:eu-central-1:%s:key/%s" % (ident(rng, DIG, 12), uuid4(rng))),
        ("cloud", "subnet-0%s available" % h(16)), ("cloud", "projects/acme-prod/locations/europe-west3/operations/%s" % uuid4(rng)),
        ("public_key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI%s anna@laptop" % ident(rng, B64, 43)), ("public_key", "256 SHA256:%s anna@laptop (ED25519)" % b(32)[:43]),
        ("public_key", "gpg: Good signature from key ID %s" % ident(rng, "0123456789ABCDEF", 16)), ("public_key", "Primary key fingerprint: " + " ".join(ident(rng, "0123456789ABCDEF", 4) for _ in range(10))),
        ("public_key", "ED25519 key fingerprint is SHA256:%s." % b(32)[:43]), ("public_key", "MD5 Fingerprint=" + ":".join(h(2).upper() for _ in range(16))),
        ("version", '"%s": "^%s",' % (pkg, ver)), ("version", "%s = \"%s\"" % (crate, ver)), ("version", "Installing %s (%s)" % (pkg, ver)),
        ("path", "/usr/lib/node_modules/npm/node_modules/%s/index.js:%d" % (pkg, rng.randrange(900))), ("path", "/tmp/pytest-of-anna/pytest-%d/test_password_%d0/token.txt" % (i, i)),
        ("path", "/nix/store/%s-openssl-3.0.13/lib/libcrypto.so.3" % ident(rng, "0123456789abcdfghijklmnpqrsvwxyz", 32)), ("path", "  File \"/srv/app/auth/password.py\", line %d, in check_token" % rng.randrange(900)),
        ("hex", "0x%s <main+%d>: mov rax, rbx" % (h(16), rng.randrange(90))), ("hex", "%s: %s %s %s %s  ................" % (h(8), h(4), h(4), h(4), h(4))), ("log", "2026-03-%02dT10:00:%02dZ INFO password reset mail sent to user %d" % (1 + i % 28, i % 60, rng.randrange(9999))),
        ("log", "10.0.%d.%d - - [14/Mar/2026:10:00:%02d +0100] \"POST /oauth/token HTTP/1.1\" 200 %d" % (i % 250, rng.randrange(250), i % 60, rng.randrange(9999))),
        ("log", "level=info msg=\"token refreshed\" user_id=%d duration=%dms" % (rng.randrange(99999), rng.randrange(900))),
    )


def benign(seed=SEED, hash_rounds=12):
    """Yields (category, language, line), all lines distinct: labels, texts, code and random-looking text without a secret.
    The language is "" where the line has none."""
    seen = set()

    def new(line):
        if line in seen:
            return False
        seen.add(line)
        return True

    rng = Random("%s|benign" % seed)
    for lang, texts in UI.items():
        assert len(texts) == len(UI_KEYS), lang
        for key, text, english in zip(UI_KEYS, texts, UI["en"]):
            words = key.split("_")
            camel = words[0] + "".join(w.capitalize() for w in words[1:])
            for name, f in rng.sample(I18N, 8):
                if name in ("form", "form_star", "form_line", "masked") and len(text) > 40:
                    continue
                line = f(key, camel, text, english)
                if new(line):
                    yield "i18n_" + name, lang, line
            if new(text):
                yield "text", lang, text
        for text in SAYINGS[lang]:
            for line in (text, rng.choice(("# ", "// ", "- ", "> ")) + text):
                if new(line):
                    yield "saying", lang, line
    for group, forms in CODE.items():
        for n in CODE_NAMES:
            words = n.split("_")
            human = " ".join(words).replace("api", "API").replace("db", "DB")
            args = dict(n=n, N=n.upper(), k="-".join(words), c=words[0] + "".join(w.capitalize() for w in words[1:]),
                        P="".join(w.capitalize() for w in words), h=human, H=human[0].upper() + human[1:], i=rng.randrange(10, 2000))
            for form in forms:
                line = form.format(**args)
                if new(line):
                    yield "code_" + group, "", line
    for line in PLAIN:
        if new(line):
            yield "plain", "", line
    for i in range(hash_rounds):
        for category, line in _hashes(Random("%s|hash|%d" % (seed, i)), i):
            if new(line):
                yield category, "", line


BENIGN_LABELS = tuple(line for _, _, line in benign())


# ------------------------------------------------------------------------------------- files
_STDLIB = os.path.dirname(os.__file__)
BENIGN_ROOTS = (            # (folder, lines at most)
    (_STDLIB, 70000),
    (os.path.join(_STDLIB, "site-packages"), 20000),
    ("/usr/lib/python3/dist-packages", 40000),
    ("/usr/lib/node_modules", 45000),
    ("/usr/share/perl", 35000),
    ("/usr/share/doc", 35000),
    ("/etc", 10000),
)
SKIP_DIRS = {"__pycache__", "test", "tests", "testing", "certdata", "private", "ssh", "docker", "apt", "sudoers.d", "fixtures", "__fixtures__"}
SKIP_FILES = re.compile(r"(?i)^(passwd|shadow|gshadow|group|subuid|subgid|environment|machine-id|sudoers|netrc|\.netrc|krb5\.keytab|pip\.conf|npmrc|"
                        r"\.npmrc|hosts|hostname|resolv\.conf|.*\.(key|pem|p12|pfx|jks|crt|gz|pyc|so|mo|png|gif|ico|jpg|node|wasm))-?$|credential")
KEY_BLOCK = re.compile("-{5}" + r"BEGIN [A-Z ]*PRIVATE" + " KEY")


def _text_files(root):
    found = []
    for folder, dirs, files in os.walk(root):
        dirs[:] = [d for d in dirs if d not in SKIP_DIRS and not d.startswith(".") and not (root == _STDLIB and d in ("site-packages", "dist-packages"))]
        found += [os.path.join(folder, f) for f in files if not SKIP_FILES.search(f)]
    return sorted(found, key=lambda p: (zlib.crc32(os.path.relpath(p, root).encode("utf-8", "replace")), p))


def benign_files(limit=250000):
    """Yields paths of real text files of this machine in a fixed order (by a checksum of their path, so that every folder has
    its share), together at most `limit` lines.  Left out: folders with tests (they hold sample keys), files with private keys,
    and whatever of /etc could hold a credential."""
    total = 0
    for root, cap in BENIGN_ROOTS:
        lines = 0
        for path in _text_files(root):
            try:
                if os.path.islink(path) or not 0 < os.path.getsize(path) < 400000:
                    continue
                with open(path, encoding="utf-8") as f:
                    text = f.read()
            except (OSError, UnicodeDecodeError):
                continue
            n = text.count("\n") + 1
            if "\0" in text or KEY_BLOCK.search(text) or lines + n > cap or total + n > limit:
                continue
            lines, total = lines + n, total + n
            yield path
            if lines > cap * 0.99:
                break
