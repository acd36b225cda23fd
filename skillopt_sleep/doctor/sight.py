"""What an agent started in a project really sees: instruction files and skills.

Codex tells it itself: `codex debug prompt-input` shows what it would send. Claude Code has no such command: for it
the rules hold that were measured with the genuine program.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import private_dir, read_plain
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import run
from skillopt_sleep.kit.toml import to_tables
from skillopt_sleep.proposals.paths import LIVE_BYTES
from skillopt_sleep.settings import read_toml

CLAUDE = "Claude Code"
CODEX = "Codex"
MOST_HOPS = 5
PROMPT_SECONDS = 20.0
MOST_DESCRIPTION = 1536

# A server that isn't there: only so does the program ask nobody for the list of models.
_NOBODY = '{name="nobody",base_url="http://127.0.0.1:9/v1",wire_api="responses"}'
_SHOW = (
    *("--disable", "plugins", "debug", "prompt-input"),
    *("-c", f"model_providers.nobody={_NOBODY}", "-c", "model_provider=nobody"),
    *("-c", "skills.bundled.enabled=false", "-c", "analytics.enabled=false"),
    *("-c", "check_for_update_on_startup=false"),
)
# Of the user's own settings only these: it would start the servers and commands that others name.
_KEPT = ("project_doc_max_bytes", "project_doc_fallback_filenames", "project_root_markers")
_TOLD = "# AGENTS.md instructions"
_ROOT = re.compile(r"^- `(r\d+)` = `(.+)`$", re.MULTILINE)
_LISTED = re.compile(r"\(file: (\S[^\n]*SKILL\.md)\)$", re.MULTILINE)
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_DESCRIPTION = re.compile(r"^description:(.*?)(?=^\S|\Z)", re.DOTALL | re.MULTILINE)
_HIDDEN = re.compile(r"^disable-model-invocation:[ \t]*true\b", re.MULTILINE)
_BY_PATH = re.compile(r"^paths:", re.MULTILINE)
_CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"(?:^|\s)@(\S+)")


class Sight(NamedTuple):
    """What one agent sees: `text` is all its instructions, where it told them; `cut` files it reads only in part."""

    agent: str
    instructions: tuple[Path, ...]
    skills: tuple[Path, ...]
    text: str | None = None
    cut: tuple[Path, ...] = ()

    def sees(self, path: Path, body: str) -> bool:
        """Whether these lessons in this file reach the model at the start of a session."""
        if path.name == "SKILL.md":
            return path.resolve() in {skill.resolve() for skill in self.skills}
        if self.text is not None:
            return body.strip() in self.text.replace("\r\n", "\n")
        return path.resolve() in {file.resolve() for file in self.instructions}


class _Item(msgspec.Struct):
    """One thing that is sent; only a message has content."""

    content: tuple[dict[str, Any], ...] | None = None


def claude_sight(root: Path, *, home: Path, agent_home: Path) -> Sight:
    """What Claude Code would be given in the root of a project."""
    folders = (root, *root.parents)
    files = [agent_home / "CLAUDE.md", *_rules(agent_home / "rules")]
    own: list[Path] = []
    for folder in folders:
        named = [folder / "CLAUDE.md", folder / ".claude" / "CLAUDE.md", folder / "CLAUDE.local.md"]
        own += [path for path in named if path.is_file() and path != home / ".claude" / "CLAUDE.md"]
        if folder != home:
            files += _rules(folder / ".claude" / "rules")
    files += own or [folder / "AGENTS.md" for folder in folders]
    whole = [path for file in files for path in _with_imports(file, (root, agent_home), MOST_HOPS)]
    seen = {path.resolve(): path for path in reversed(whole)}
    listed = dict.fromkeys((*_skills(agent_home / "skills"), *_skills(root / ".claude" / "skills")))
    return Sight(CLAUDE, tuple(reversed(seen.values())), tuple(path for path in listed if not _is_hidden(path)))


def cut_descriptions(sight: Sight) -> tuple[str, ...]:
    """The skills of Claude Code whose description is longer than what it shows of it."""
    found: list[str] = []
    for path in sight.skills:
        said = _DESCRIPTION.search(_front(path))
        if said and len(" ".join(said[1].split())) > MOST_DESCRIPTION:
            found.append(path.parent.name)
    return tuple(found)


def codex_sight(
    program: str, root: Path, *, home: Path, agent_home: Path, environ: Mapping[str, str], place: Path
) -> Sight:
    """What Codex says it would send from the root of a project, asked in an agent home of its own in `place`.

    The project counts as one that isn't trusted. Raises ItemError where it doesn't say, ConfigError where the user's
    own config.toml of Codex can't be read.
    """
    kept = read_toml(agent_home / "config.toml") if (agent_home / "config.toml").is_file() else {}
    own = _lay_out(place, kept, home=home, agent_home=agent_home)
    passed = {name: environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "PATHEXT") if environ.get(name)}
    try:
        ran = run(
            [program, *_SHOW],
            stdin=b"",
            cwd=root,
            environ={"PATH": os.defpath} | passed | own,
            timeout=PROMPT_SECONDS,
        )
        items = from_json(ran.stdout, list[_Item]) if not ran.status and not ran.stopped else []
    except (OSError, msgspec.DecodeError) as error:
        raise ItemError(f"codex debug prompt-input can't be read: {error}") from error
    texts = [str(part.get("text", "")) for item in items for part in item.content or ()]
    if not texts:
        said = one_line(ran.stderr.decode(errors="replace").strip().rpartition("\n")[2], limit=120)
        raise ItemError(f"codex debug prompt-input said nothing: {said or ran.stopped or f'status {ran.status}'}")
    told = "\n".join(text for text in texts if text.startswith(_TOLD))
    names = ("AGENTS.override.md", "AGENTS.md", *_fallbacks(kept))
    there = [path for folder in (agent_home, root) if (path := _first(folder, names))]
    instructions = tuple(path for path in there if _text(path).strip() in told)
    cut = tuple(path for path in there if path not in instructions and _text(path).strip()[:80] in told)
    return Sight(CODEX, instructions, tuple(_listed("\n".join(texts))), text=told, cut=cut)


def _lay_out(place: Path, kept: Mapping[str, Any], *, home: Path, agent_home: Path) -> dict[str, str]:
    """A HOME and an agent home with what decides on instructions and skills, and nothing else; their variables."""
    agent, own_home = private_dir(place / "agent"), private_dir(place / "home")
    lines = [f"{key} = {to_json(kept[key]).decode()}\n" for key in _KEPT if key in kept]
    skills: Any = kept.get("skills")
    if isinstance(skills, dict):
        fields = cast("dict[str, Any]", skills)
        if fields.get("include_instructions") is False:
            lines.append("[skills]\ninclude_instructions = false\n")
        lines.append(to_tables("skills.config", fields.get("config", [])))
    (agent / "config.toml").write_text("".join(lines), encoding="utf-8")
    for name in ("AGENTS.md", "AGENTS.override.md"):
        if (agent_home / name).is_file():
            (agent / name).write_bytes((agent_home / name).read_bytes())
    private_dir(agent / "skills")
    for skill in _skills(agent_home / "skills"):
        (agent / "skills" / skill.parent.name).symlink_to(skill.parent.resolve(), target_is_directory=True)
    if (home / ".agents").is_dir():
        (own_home / ".agents").symlink_to((home / ".agents").resolve(), target_is_directory=True)
    return {"HOME": str(own_home), "CODEX_HOME": str(agent), "TMPDIR": str(private_dir(place / "tmp"))}


def _fallbacks(kept: Mapping[str, Any]) -> tuple[str, ...]:
    names: Any = kept.get("project_doc_fallback_filenames")
    return tuple(map(str, cast("list[Any]", names))) if isinstance(names, list) else ()


def _listed(text: str) -> Iterator[Path]:
    roots = dict(_ROOT.findall(text))
    for file in _LISTED.findall(text):
        first, _, rest = file.partition("/")
        yield Path(roots[first], rest) if first in roots else Path(file)


def _first(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file() and _text(folder / name).strip()), None)


def _skills(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/SKILL.md"))


def _rules(folder: Path) -> list[Path]:
    """The rules that are read at the start: one with paths waits for a file of that name."""
    return [path for path in sorted(folder.rglob("*.md")) if not _BY_PATH.search(_front(path))]


def _with_imports(file: Path, inside: tuple[Path, ...], hops: int) -> Iterator[Path]:
    """The file and what it takes in by `@path`; what is elsewhere waits for the user's yes."""
    if not os.path.isfile(file):  # noqa: PTH113 - Path.is_file raises where a name is too long
        return
    yield file
    for name in _IMPORT.findall(_CODE.sub(" ", _text(file))) if hops else ():
        inner = Path(os.path.normpath(file.parent / name))
        if any(inner.is_relative_to(folder) for folder in inside):
            yield from _with_imports(inner, inside, hops - 1)


def _is_hidden(skill: Path) -> bool:
    return bool(_HIDDEN.search(_front(skill)))


def _front(path: Path) -> str:
    found = _FRONT.match(_text(path).replace("\r\n", "\n"))
    return found[1] if found else ""


def _text(path: Path) -> str:
    try:
        return read_plain(path, most=LIVE_BYTES).decode(errors="replace")
    except OSError:
        return ""
