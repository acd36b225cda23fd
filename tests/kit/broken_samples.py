"""Secrets in pieces or in base64: over line ends, in strings that are added, in a manifest."""

import base64
import random
from collections.abc import Callable

from tests.kit.secret_samples import Sample


def in_base64(sample: Sample) -> Sample:
    """The same in base64, of which nothing may be seen."""
    text = base64.b64encode(sample.text.encode()).decode()
    return Sample(sample.kind, text, (text,))


def broken(sample: Sample, chance: random.Random) -> dict[str, str]:
    """The sample in pieces, by how."""
    text = sample.text
    cut = chance.randrange(6, len(text) - 6)
    first, second = text[:cut], text[cut:]
    third = len(text) // 3
    parts = text[:third], text[third : 2 * third], text[2 * third :]
    return {
        "a wrapped terminal": f"$ echo {first}\n{second}\n$ ls",
        "an indented line": f"  the key is\n    {first}\n    {second}\n  and no more",
        "a quoted mail": f"> use {first}\n> {second} for it",
        "a soft break of mail": f"the key: {first}=\n{second}\nbye",
        "a shell's line": f"export X={first}\\\n{second}",
        "a Windows line end": f"the key is {first}\r\n{second}\r\nbye",
        "strings added": f'key = "{first}" + "{second}"',
        "strings added with single quotes": f"key = '{first}'+'{second}';",
        "strings added over lines": f'const key = "{first}" +\n    "{second}";',
        "strings added with the sign before": f'key = "{first}"\n    + "{second}"',
        "strings side by side": f'key = ("{first}"\n       "{second}")',
        "strings on one line": f'KEY = "{first}" "{second}"',
        "PHP's dot": f"$key = '{first}' . '{second}';",
        "three strings": f'key = "{parts[0]}" + "{parts[1]}" + "{parts[2]}"',
        "three lines": f"{parts[0]}\n{parts[1]}\n{parts[2]}\n",
        "strings joined": f'key = ["{first}", "{second}"].join("")',
        "Python's join": f'key = "".join(["{first}", "{second}"])',
        "Lua's dots": f'local key = "{first}" .. "{second}"',
        "BASIC's sign": f'key = "{first}" & "{second}"',
        "SQL's bars": f"SELECT '{first}' || '{second}'",
        "a diff": f'+key = "{first}" +\n+      "{second}"',
        "colours of a terminal": f"key: \x1b[32m{first}\x1b[1m{second}\x1b[0m",
        "a space of no width": f"key {first}\u200b{second}",
    }


ENCODED: dict[str, str] = {
    "a secret's data": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  value: §\n",
    "a secret's data in JSON": '{"kind": "Secret", "data": {"value": "§"}}',
    "a secret of one line": "kind: Secret\ndata: {value: §}\n",
    "alone": "§",
    "in a command": "echo § | base64 -d",
    "in a string": 'x = atob("§")',
    "a secret's data before its kind": 'data:\n  config.json: "§"\nkind: Secret\n',
    "folded": "kind: Secret\ndata:\n  value: >-\n    §\n",
    "an address of data": "data:text/plain;base64,§",
}

Carry = Callable[[Sample], str]
