"""Find out what an agent started in a project really sees: instruction files and skills.

Codex can be asked: `codex debug prompt-input` shows what it would send. Claude Code has no such command.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.kit.files import private_dir, readable
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import run
from skillopt_sleep.kit.toml import to_tables
from skillopt_sleep.proposals.paths import LIVE_BYTES
from skillopt_sleep.protocols.agent import Start
from skillopt_sleep.settings import read_toml

CLAUDE = "Claude Code"
CODEX = "Codex"
PROMPT_SECONDS = 20.0
MOST_DESCRIPTION = 1536

# A server that doesn't exist, so that the program doesn't fetch the list of models.
_NOBODY = '{name="nobody",base_url="http://127.0.0.1:9/v1",wire_api="responses"}'
_SHOW = (
    *("--disable", "plugins", "debug", "prompt-input"),
    *("-c", f"model_providers.nobody={_NOBODY}", "-c", "model_provider=nobody"),
    *("-c", "skills.bundled.enabled=false", "-c", "analytics.enabled=false"),
    *("-c", "check_for_update_on_startup=false"),
)
# Only these of the user's settings are passed on: others would start servers and commands.
_KEPT = ("project_doc_max_bytes", "project_doc_fallback_filenames", "project_root_markers")
_INSTRUCTIONS = "# AGENTS.md instructions"
_ROOT = re.compile(r"^- `(r\d+)` = `(.+)`$", re.MULTILINE)
_LISTED = re.compile(r"\(file: (\S[^\n]*SKILL\.md)\)$", re.MULTILINE)
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_DESCRIPTION = re.compile(r"^description:(.*?)(?=^\S|\Z)", re.DOTALL | re.MULTILINE)
_HIDDEN = re.compile(r"^disable-model-invocation:[ \t]*true\b", re.MULTILINE)


class Sight(NamedTuple):
    """One agent's view: `text` is all its instructions, if it can be asked; `cut` are files read only in part."""

    agent: str
    instructions: tuple[Path, ...]
    skills: tuple[Path, ...]
    text: str | None = None
    cut: tuple[Path, ...] = ()

    def sees(self, path: Path, body: str) -> bool:
        """Return whether the text (`body`) in this file reaches the model at the start of a session."""
        if path.name == "SKILL.md":
            return path.resolve() in {skill.resolve() for skill in self.skills}
        if self.text is not None:
            return all(line.strip() in self.text for line in body.splitlines())
        return path.resolve() in {file.resolve() for file in self.instructions}


class _Item(msgspec.Struct):
    """One item of the prompt; only messages have content."""

    content: tuple[dict[str, Any], ...] | None = None


def claude_sight(root: Path, *, home: Path, agent_home: Path) -> Sight:
    """Return what Claude Code reads when it starts in the root of a project."""
    loaded = AGENTS["claude"].documents.loads(Start(root, root, home, agent_home))
    skills = dict.fromkeys((*_skills(agent_home / "skills"), *_skills(root / ".claude" / "skills")))
    instructions = tuple(Path(file.path) for file in loaded)
    return Sight(CLAUDE, instructions, tuple(path for path in skills if not _is_hidden(path)))


def cut_descriptions(sight: Sight) -> tuple[str, ...]:
    """Return the names of the skills whose description is longer than what Claude Code shows of it."""
    names: list[str] = []
    for path in sight.skills:
        description = _DESCRIPTION.search(_front(path))
        if description and len(" ".join(description[1].split())) > MOST_DESCRIPTION:
            names.append(path.parent.name)
    return tuple(names)


def codex_sight(
    program: str, root: Path, *, home: Path, agent_home: Path, environ: Mapping[str, str], place: Path
) -> Sight:
    """Ask Codex what it would send from the root of a project, using a copy of the agent home in `place`.

    The project counts as untrusted. Raises ItemError if Codex doesn't answer, ConfigError if the user's own
    config.toml of Codex can't be read.
    """
    config: dict[str, Any] = {}
    if (agent_home / "config.toml").is_file():
        config = read_toml(agent_home / "config.toml")
    variables = _lay_out(place, config, home=home, agent_home=agent_home)
    passed = {name: environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "PATHEXT") if environ.get(name)}
    texts = _prompt_texts(program, root, {"PATH": os.defpath} | passed | variables)
    sent = "\n".join(text for text in texts if text.startswith(_INSTRUCTIONS))
    instructions: list[Path] = []
    cut: list[Path] = []
    for file in AGENTS["codex"].documents.loads(Start(root, root, home, agent_home)):
        path = Path(file.path)
        content = _text(path).strip()
        if content in sent:
            instructions.append(path)
        elif content[:80] in sent:
            cut.append(path)
    return Sight(CODEX, tuple(instructions), tuple(_listed("\n".join(texts))), text=sent, cut=tuple(cut))


def _prompt_texts(program: str, root: Path, environ: Mapping[str, str]) -> list[str]:
    """Return the texts of the prompt that Codex would send; raises ItemError if it doesn't say."""
    items: list[_Item] = []
    try:
        ran = run([program, *_SHOW], stdin=b"", cwd=root, environ=environ, timeout=PROMPT_SECONDS)
        if not ran.status and not ran.stopped:
            items = from_json(ran.stdout, list[_Item])
    except (OSError, msgspec.DecodeError) as error:
        raise ItemError(f"codex debug prompt-input can't be read: {error}") from error
    texts: list[str] = []
    for item in items:
        texts += [str(part.get("text", "")) for part in item.content or ()]
    if not texts:
        last_line = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        reason = one_line(last_line, limit=120) or ran.stopped or f"status {ran.status}"
        raise ItemError(f"codex debug prompt-input printed nothing: {reason}")
    return texts


def _lay_out(place: Path, config: Mapping[str, Any], *, home: Path, agent_home: Path) -> dict[str, str]:
    """Create a HOME and an agent home with all that affects instructions and skills; return their variables."""
    agent = private_dir(place / "agent")
    own_home = private_dir(place / "home")
    lines = [f"{key} = {to_json(config[key]).decode()}\n" for key in _KEPT if key in config]
    skills: Any = config.get("skills")
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


def _listed(text: str) -> Iterator[Path]:
    roots = dict(_ROOT.findall(text))
    for file in _LISTED.findall(text):
        first, _, rest = file.partition("/")
        if first in roots:
            yield Path(roots[first], rest)
        else:
            yield Path(file)


def _skills(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/SKILL.md"))


def _is_hidden(skill: Path) -> bool:
    return bool(_HIDDEN.search(_front(skill)))


def _front(path: Path) -> str:
    """Return the front matter of a Markdown file, or ""."""
    front = _FRONT.match(_text(path).replace("\r\n", "\n"))
    return front[1] if front else ""


def _text(path: Path) -> str:
    return readable(path, most=LIVE_BYTES).decode(errors="replace")
