"""The pages that are written by the program itself: the configuration from the settings, the commands from the help."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import inspect

from skillopt_sleep.cli.table import COMMANDS
from skillopt_sleep.kit.toml import described, written
from skillopt_sleep.settings import ProjectSettings, Settings, sections_of
from skillopt_sleep.settings.faults import expected
from tests.command_tree import Parameter, Told, commands, own_parameters

NOTE = "<!-- Written by python -m tests.documented. Change {}, not this page. -->\n"

CONFIGURATION = """# Configuration

*Which settings are there, what does each of them do, and where do I set it?*

All settings are in one file, `config.toml`. Every key is optional, and a missing one has the default that this page shows.
A wrong key or value is an error that names the line and the remedy, and nothing runs until it is right.

```sh
skillopt-sleep config path                  # where config.toml is
skillopt-sleep config show                  # every key with its value
skillopt-sleep config set budget.calls 200  # change one key
skillopt-sleep config edit                  # open it in your editor
```

[An example](../.skillopt-sleep.example/config.toml) has every key with its default. You need none of it to begin:
`skillopt-sleep init` asks what it has to know and writes the file.

A wrong key is refused, such as `budget.cals`:

<!-- output: skillopt-sleep config set budget.cals 200 -->
```text
```

## Where a value comes from

The first of these that names a value wins:

| place | as in |
|---|---|
| an option of the command | `skillopt-sleep run --model gpt-5.4-mini` |
| a variable of the environment | `SKILLOPT_SLEEP_BACKEND_MODEL=gpt-5.4-mini` |
| `config.toml` | `model = "gpt-5.4-mini"` below `[backend]` |
| the default | the tables of this page |

Every key but the prices has a variable: `SKILLOPT_SLEEP_`, the section, `_` and the key, in capital letters. The items of a list are
separated by commas. These variables are no settings:

| variable | what it does |
|---|---|
| `SKILLOPT_SLEEP_HOME` | puts everything that the program keeps under this one folder, and `config.toml` too |
| `CLAUDE_CONFIG_DIR`, `CODEX_HOME` | where your agents keep their sessions and settings; the agents read them as well |
| `OPENAI_API_KEY`, `AZURE_OPENAI_API_KEY`, `ANTHROPIC_API_KEY` | the key of an API, if `backend.api_key_env` names no other variable |

The key of an API never stands in `config.toml`, only the name of its variable.
"""

PROJECT = """## What a project's own file may set

A project restricts what is done with it in `.skillopt-sleep/project.toml`. Whoever may write to the repository may write
this file, so it can only take away: it can't allow, send or spend more than you do.

```toml
enabled = true             # false: nothing of this project is read
exclude = ["customers/**"] # paths inside it

[budget]
calls = 50                 # a night's most for this project, if your own limits aren't lower
```
"""

HOUSE_RULES = """## House rules

`preferences.md` lies beside `config.toml`. It holds what you want of every rule, in your own words, such as the language or
the length. The optimizer reads it whenever it writes or changes edits. There is [an example](../.skillopt-sleep.example/preferences.md).
"""

COMMANDS_PAGE = """# Commands

*Which commands are there, and what are their options?*

Each command has one line here and its options below. `skillopt-sleep --help` shows the same list, and
`skillopt-sleep help run` the same options. Without a command, the program shows what `skillopt-sleep status` does.
"""


def configuration() -> str:
    """The page of the settings."""
    parts = [CONFIGURATION, "## The sections\n"]
    for name, kind in sections_of(Settings).items():
        about = kind.__doc__ if kind else f"{described(Settings)[name]}."
        parts += [f"### {name}\n", f"{about}\n"]
        if kind is not None:
            parts.append(_keys(kind))
    parts += [PROJECT, _keys(ProjectSettings), HOUSE_RULES]
    return _page(parts, source="skillopt_sleep/settings/sections.py")


def _keys(kind: type[msgspec.Struct]) -> str:
    return _table(("key", "what it is", "takes", "default"), _key_rows(kind))


def _key_rows(kind: type[msgspec.Struct], prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    defaults = kind()
    about, inner = described(kind), sections_of(kind)
    for field in msgspec.structs.fields(kind):
        section = inner[field.name]
        if section is None:
            default: Any = getattr(defaults, field.name)
            takes = _takes(inspect.type_info(field.type))
            yield f"`{prefix}{field.name}`", about[field.name], takes, f"`{written(default)}`"
        else:
            yield from _key_rows(section, f"{field.name}.")


def _takes(info: inspect.Type) -> str:
    """What values a key takes: its words, or its known values."""
    takes = expected(info)
    words = takes.words.partition(", as in")[0].partition(":")[0]
    if not takes.choices:
        return words
    known = ", ".join(f"`{choice}`" for choice in takes.choices)
    return f"a list of {known}" if words.startswith("a list") else known


def commands_page() -> str:
    """The page of the commands."""
    parts = [COMMANDS_PAGE]
    told = list(commands())
    for panel, group in groupby(told, key=lambda one: one.panel):
        rows = [(_link(one), _cell(COMMANDS[one.words[0]].help)) for one in group if len(one.words) == 1]
        parts += [f"## {panel}\n", _table(("command", "what it does"), rows)]
        for one in told:
            if one.panel == panel:
                parts += _command(one)
    parts += ["## The program's own options\n", _options(own_parameters())]
    return _page(parts, source="skillopt_sleep/cli/")


def _link(one: Told) -> str:
    name = " ".join(one.words)
    return f"[`{name}`](#{name.replace(' ', '-')})"


def _command(one: Told) -> Iterator[str]:
    heading = "###" if len(one.words) == 1 else "####"
    yield f"{heading} {' '.join(one.words)}\n"
    yield f"{one.help}\n"
    if one.example and not one.is_group:
        yield f"```sh\n{one.example}\n```\n"
    if one.parameters:
        yield _options(one.parameters)


def _options(parameters: Sequence[Parameter]) -> str:
    rows: list[tuple[str, str]] = []
    for one in parameters:
        names = ", ".join(f"`{name} {one.value}`".replace(" `", "`") for name in one.names)
        if not one.is_option:
            names = f"`{one.value}`"
        rows.append((_cell(names), _cell(one.help)))
    return _table(("option or argument", "what it does"), rows)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _table(titles: Sequence[str], rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _page(parts: Sequence[str], *, source: str) -> str:
    return "\n".join([*parts, NOTE.format(source)])
