"""The texts in which secrets stand: assignments in 26 syntaxes, URLs, headers, command lines, escapes, prose.

`@@` is the secret's place; KEY, key and keyName are those of its name. Both pools have the same syntaxes of
assignments, with other names; all else is a pool's own.
"""

import json
import re
from urllib.parse import quote

from bench.planted_secrets import Secret

NAMES = {
    "dev": ("API_KEY", "ACCESS_TOKEN", "CLIENT_SECRET", "DEPLOY_TOKEN", "SERVICE_API_KEY"),
    "held-out": ("AUTH_TOKEN", "SECRET_KEY", "WEBHOOK_SECRET", "BOT_TOKEN", "MAIL_API_KEY", "GH_TOKEN"),
}
ASSIGNMENTS = (
    "KEY=@@",
    "export KEY=@@",
    'KEY="@@"',
    "key: @@",
    'key: "@@"',
    '"key": "@@"',
    "{'key': '@@'}",
    "key = '@@'",
    'const keyName = "@@";',
    "let keyName: string = `@@`",
    'keyName := "@@"',
    "'key' => '@@',",
    "<keyName>@@</keyName>",
    '<add key="KEY" value="@@" />',
    'config.set("key", "@@")',
    'os.environ["KEY"] = "@@"',
    "--key-name @@",
    "--key-name=@@",
    "docker run -e KEY=@@ app:latest",
    "setx KEY @@",
    '$env:KEY = "@@"',
    "KEY ?= @@",
    "ENV KEY @@",
    "app.keyName=@@",
    "define('KEY', '@@');",
    '{"name": "KEY", "value": "@@"}',
)
SINGLE = {
    "dev": (
        "https://api.example.com/v1/items?token=@@&page=2",
        "https://hooks.example.com/in/@@/run",
        "git clone https://oauth2:@@@git.example.com/team/app.git",
        "Authorization: Bearer @@",
        "curl -H 'X-Api-Key: @@' https://api.example.com/",
        "curl -u ci:@@ https://api.example.com/",
        "echo @@ | gh auth login --with-token",
        "here is the key: @@ please put it into the secrets",
        "the token `@@` has expired, hasn't it?",
        "| prod | @@ | 2025 |",
        "2025-03-02T10:11:12Z INFO auth token=@@ status=200",
        "-  api_key: @@",
        "(@@)",
        "login failed for @@.",
    ),
    "held-out": (
        "GET /callback?access_token=@@#done HTTP/1.1",
        "wss://stream.example.com/@@",
        "pip install --index-url https://__token__:@@@pypi.example.com/simple app",
        "  -H 'PRIVATE-TOKEN: @@' \\",
        'headers={"Authorization": "Bearer @@"}',
        "http --auth-type bearer --auth @@ example.com/me",
        "aws configure set key @@ && make deploy",
        "I set it to @@, and nothing happens",
        "my new key is @@",
        "**@@**",
        "[warn] refusing key '@@' (revoked)",
        "+    token: @@",
        "<@@>",
        "printf '%s' \"@@\" > .secret; chmod 600 .secret",
        "token1=@@;token2=none",
    ),
}
ANY = {
    "dev": ("my config says\n@@\nwhy doesn't it connect?", "cat > settings <<END\n@@\nEND", "+@@", "```\n@@\n```"),
    "held-out": ("I get a 401 with\n\n@@\n\nany idea?", "tee conf <<'X'\n@@\nX", "> @@", "$ cat it\n@@\n$"),
}
# The attribute that is called key is the syntax's, not the name's.
_PLACE = re.compile(r"KEY|keyName|key-name|key(?!=)")


def carried(secret: Secret, pool: str, *, turn: int) -> list[tuple[str, str]]:
    """The secret in every carrier that suits it, each with the carrier's sort; `turn` turns the names over."""
    found = [("text", frame.replace("@@", secret.text)) for frame in ANY[pool]]
    found.append(("escaped", json.dumps({"cmd": f"set {secret.text} now"})))
    found.append(("escaped", json.dumps(json.dumps({"output": f"line\n{secret.text}\n"}))))
    if not secret.single:
        return found
    names = NAMES[pool]
    for number, frame in enumerate(ASSIGNMENTS):
        found.append(("assigned", _named(frame, names[(turn + number) % len(names)]).replace("@@", secret.text)))
    for frame in SINGLE[pool]:
        in_url = "://" in frame.split("@@", maxsplit=1)[0].split(" ")[-1]
        found.append(("inline", frame.replace("@@", quote(secret.text, safe=":") if in_url else secret.text)))
    return found


def _named(frame: str, name: str) -> str:
    words = name.lower().split("_")
    humped = words[0] + "".join(word.capitalize() for word in words[1:])
    written = {"KEY": name, "keyName": humped, "key-name": "-".join(words), "key": "_".join(words)}
    return _PLACE.sub(lambda place: written[place[0]], frame)
