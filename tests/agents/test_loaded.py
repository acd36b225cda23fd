"""What an agent loads in a folder, as we know it; the genuine programs are asked too (marker cli)."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.protocols.agent import Start
from tests.genuine import Programs
from tests.server import ModelServer

CLAUDE, CODEX = "claude", "codex"
KEY = "dummy-key-for-tests"


class Folders(NamedTuple):
    """A person's home and a project, `shop`, in a folder of it; the session's folder is `shop/api`, or `at`."""

    home: Path
    at: Path

    def loads(self, agent: str) -> list[tuple[str, str]]:
        """The files and their texts, as we know them."""
        start = Start(self.home / "work/shop", self.at, self.home, self.home / f".{agent}")
        files = AGENTS[agent].documents.loads(start)
        return [(str(Path(file.path).relative_to(self.home)), file.text.strip()) for file in files]


def laid_out(folder: Path, files: Mapping[str, str], at: str = "api") -> Folders:
    home = folder / "home"
    for name in ("work/shop/.git", "work/shop/api", ".claude", ".codex"):
        (home / name).mkdir(parents=True)
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("HOME", str(home)))
    # A repository without a commit: whatever looks for one finds it.
    subprocess.run(["git", "init", "--quiet", home / "work/shop"], check=True)
    return Folders(home, home / "work/shop" / at)


def approved(project: str) -> str:
    return json.dumps({"projects": {project: {"hasClaudeMdExternalIncludesApproved": True}}})


# A layout, where the session is, and the files that are loaded, in order.
LOADED_BY_CLAUDE: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "from the user's down to the folder's, rules behind the memory": (
        {
            ".claude/CLAUDE.md": "user",
            ".claude/rules/u.md": "user's rule",
            "work/CLAUDE.md": "above",
            "work/shop/CLAUDE.md": "root",
            "work/shop/.claude/CLAUDE.md": "root, in its folder",
            "work/shop/.claude/rules/deep/r.md": "---\ndescription: x\n---\nrule",
            "work/shop/CLAUDE.local.md": "root, local",
            "work/shop/AGENTS.md": "not read",
            "work/shop/api/CLAUDE.local.md": "local",
            "work/shop/api/CLAUDE.md": "api",
            "work/shop/web/CLAUDE.md": "another folder",
        },
        "api",
        [
            ".claude/CLAUDE.md", ".claude/rules/u.md", "work/CLAUDE.md", "work/shop/CLAUDE.md",
            "work/shop/.claude/CLAUDE.md", "work/shop/.claude/rules/deep/r.md", "work/shop/CLAUDE.local.md",
            "work/shop/api/CLAUDE.md", "work/shop/api/CLAUDE.local.md",
        ],
    ),
    "imports of imports, four deep, each once, none in code or comments": (
        {
            "work/shop/CLAUDE.md": (
                "See @docs/1.md and `@span.md`.\n```\n@fence.md\n```\n<!-- @comment.md\n-->\n"
                "- @./docs/a\\ b.md\n@docs/c.md#part\n@absent.md @docs @.env\n"
            ),
            **{f"work/shop/docs/{n}.md": f"{n}\n@{n + 1}.md\n@../CLAUDE.md" for n in range(1, 6)},
            **{f"work/shop/{name}.md": name for name in ("span", "fence", "comment", "docs/a b", "docs/c")},
            "work/shop/CLAUDE.local.md": "@docs/c.md",
        },
        "",
        [
            "work/shop/CLAUDE.md", *(f"work/shop/docs/{n}.md" for n in range(1, 5)), "work/shop/docs/a b.md",
            "work/shop/docs/c.md", "work/shop/CLAUDE.local.md",
        ],
    ),
    "imports from outside of the folder only for the user": (
        {
            ".claude/CLAUDE.md": "@more.md\n@~/notes.md",
            ".claude/more.md": "more",
            "notes.md": "notes",
            "work/shop/CLAUDE.md": "root\n@~/notes.md\n@../out.md\n@in.md",
            "work/out.md": "out",
            "work/shop/in.md": "above the folder",
        },
        "api",
        [".claude/CLAUDE.md", ".claude/more.md", "notes.md", "work/shop/CLAUDE.md"],
    ),
    "imports from outside that the user approved": (
        {
            ".claude.json": approved("HOME/work/shop"),
            "work/shop/CLAUDE.md": "@../out.md\n@~/.claude/mine.md",
            "work/out.md": "out",
            ".claude/mine.md": "mine",
        },
        "api",
        ["work/shop/CLAUDE.md", "work/out.md", ".claude/mine.md"],
    ),
    "rules for some paths wait": (
        {
            f"work/shop/.claude/rules/{name}/r.md": f"---\n{front}\n---\n{name}"
            for name, front in {
                "ts": 'paths: "**/*.ts"', "list": "paths:\n  - '*.py'", "quoted": "'paths': x.md", "all": 'paths: "**"',
                "none": "paths:", "other": "globs: '*.ts'",
            }.items()
        },
        "",
        [],
    ),
    "AGENTS.md where no memory says anything, behind the rules": (
        {
            ".claude/CLAUDE.md": "user",
            "AGENTS.md": "home",
            "work/shop/CLAUDE.md": "<!-- nothing -->\n",
            "work/shop/.claude/rules/r.md": "rule",
            "work/shop/AGENTS.md": "root\n@docs/a.md",
            "work/shop/docs/a.md": "a",
            "work/shop/AGENTS.override.md": "not read",
        },
        "",
        [
            ".claude/CLAUDE.md", "AGENTS.md", "work/shop/.claude/rules/r.md", "work/shop/AGENTS.md",
            "work/shop/docs/a.md",
        ],
    ),
    "AGENTS.md by import": (
        {"work/shop/.claude/CLAUDE.md": "@../AGENTS.md", "work/shop/AGENTS.md": "a"},
        "",
        ["work/shop/.claude/CLAUDE.md", "work/shop/AGENTS.md"],
    ),
    "as it is shown": (
        {
            "work/shop/CLAUDE.md": (
                "---\na: b\n---\n\nBody <!-- inline -->\n<!-- block\nof two lines -->\n```\n<!-- code -->\n```\n<!-- open\n"
            )
        },
        "",
        ["work/shop/CLAUDE.md"],
    ),
}  # fmt: skip
USERS = {".codex/AGENTS.md": "user"}
NESTED = {
    "AGENTS.md": "home",
    "work/AGENTS.md": "above",
    "work/shop/AGENTS.md": "root",
    "work/shop/api/AGENTS.md": "api",
}
LOADED_BY_CODEX: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "the user's, then from the root to the folder": (
        USERS | NESTED,
        "api",
        [".codex/AGENTS.md", "work/shop/AGENTS.md", "work/shop/api/AGENTS.md"],
    ),
    "overrides replace, an empty one of the user doesn't": (
        USERS | NESTED | {".codex/AGENTS.override.md": " \n", "work/shop/AGENTS.override.md": "instead"},
        "api",
        [".codex/AGENTS.md", "work/shop/AGENTS.override.md", "work/shop/api/AGENTS.md"],
    ),
    "an empty override of the project does": (
        NESTED | {"work/shop/AGENTS.override.md": " \n"},
        "api",
        ["work/shop/api/AGENTS.md"],
    ),
    "a limit of nothing": (USERS | NESTED | {".codex/config.toml": "project_doc_max_bytes = 0"}, "", [".codex/AGENTS.md"]),
    "a limit that cuts": (NESTED | {".codex/config.toml": "project_doc_max_bytes = 6"}, "api",
                          ["work/shop/AGENTS.md", "work/shop/api/AGENTS.md"]),
    "a limit of 32 KiB, not for the user's": (
        {".codex/AGENTS.md": "u" * 40_000, "work/shop/AGENTS.md": "é" * 20_000, "work/shop/api/AGENTS.md": "api"},
        "api",
        [".codex/AGENTS.md", "work/shop/AGENTS.md"],
    ),
    "markers of the user's own": (
        NESTED | {".codex/config.toml": 'project_root_markers = ["pnpm-lock.yaml"]', "work/shop/api/pnpm-lock.yaml": ""},
        "api",
        ["work/shop/api/AGENTS.md"],
    ),
    "a marker that is nowhere": (
        NESTED | {".codex/config.toml": 'project_root_markers = ["nowhere.toml"]'},
        "api",
        ["work/shop/api/AGENTS.md"],
    ),
    "further names": (
        {
            ".codex/config.toml": 'project_doc_fallback_filenames = ["CLAUDE.md"]',
            ".codex/CLAUDE.md": "not read",
            "work/shop/CLAUDE.md": "root",
            "work/shop/api/CLAUDE.md": "not read",
            "work/shop/api/AGENTS.md": "api",
        },
        "api",
        ["work/shop/CLAUDE.md", "work/shop/api/AGENTS.md"],
    ),
}  # fmt: skip
LAYOUTS = [(CLAUDE, *case) for case in LOADED_BY_CLAUDE.values()] + [
    (CODEX, *case) for case in LOADED_BY_CODEX.values()
]
IDS = [f"{CLAUDE}: {name}" for name in LOADED_BY_CLAUDE] + [f"{CODEX}: {name}" for name in LOADED_BY_CODEX]


@pytest.mark.parametrize(("agent", "files", "at", "loaded"), LAYOUTS, ids=IDS)
def test_we_know_what_an_agent_loads(
    tmp_path: Path, agent: str, files: dict[str, str], at: str, loaded: list[str]
) -> None:
    names = [name for name, _ in laid_out(tmp_path, files, at).loads(agent)]
    if not loaded:  # the disk's order
        assert sorted(Path(name).parent.name for name in names) == ["all", "none", "other"]
    else:
        assert names == loaded


@pytest.mark.cli
@pytest.mark.parametrize(("agent", "files", "at"), [layout[:3] for layout in LAYOUTS], ids=IDS)
def test_the_genuine_program_loads_the_same(
    tmp_path: Path, programs: Programs, agent: str, files: dict[str, str], at: str
) -> None:
    folders = laid_out(tmp_path, files, at)
    known = folders.loads(agent)
    if agent == CLAUDE:
        assert asked_of_claude(programs.claude, folders) == known
    else:
        shown = asked_of_codex(programs.codex, folders)
        assert shown == "".join(text for _, text in known)


def asked_of_claude(program: Path, folders: Folders) -> list[tuple[str, str]]:
    """The files in the first request that Claude Code makes, and their texts."""
    with ModelServer() as server:
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folders.home),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": server.root_url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }
        subprocess.run(
            [program, "-p", "hello", "--max-turns", "1"],
            stdin=subprocess.DEVNULL, capture_output=True, env=environ, cwd=folders.at, check=False, timeout=120,
        )  # fmt: skip
        texts = [part["text"] for part in server.requests[0].body["messages"][0]["content"]]
    (shown,) = [text for text in texts if "user instructions are shown below" in text]
    parts = re.split(
        r"^Contents of (\S[^\n]*) \([^\n]*\):\n", shown.rpartition("</system-reminder>")[0], flags=re.MULTILINE
    )
    names = [str(Path(name).relative_to(folders.home)) for name in parts[1::2]]
    return list(zip(names, (text.strip() for text in parts[2::2]), strict=True))


def asked_of_codex(program: Path, folders: Folders) -> str:
    """The instructions that Codex would send, without what it puts between the files."""
    nobody = '{name="nobody",base_url="http://127.0.0.1:9/v1",wire_api="responses"}'
    settings = (f"model_providers.nobody={nobody}", "model_provider=nobody", "check_for_update_on_startup=false")
    argv = [str(program), "--disable", "plugins", "debug", "prompt-input"]
    for setting in settings:
        argv += ["-c", setting]
    environ = {"PATH": os.environ["PATH"], "HOME": str(folders.home), "CODEX_HOME": str(folders.home / ".codex")}
    ran = subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, env=environ, cwd=folders.at, check=True, timeout=120
    )
    texts = [part.get("text", "") for item in json.loads(ran.stdout) for part in item.get("content") or ()]
    (shown,) = [text for text in texts if text.startswith("# AGENTS.md instructions")]
    body = shown.partition("<INSTRUCTIONS>")[2].rpartition("</INSTRUCTIONS>")[0]
    return re.sub(r"\s+|--- project-doc ---", "", body)
