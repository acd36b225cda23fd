"""Which packages a text tells the agent to install, or to fetch and run: `pip install X`, `npx X`."""

import re
from collections.abc import Iterator

from skillopt_sleep.proposals.guard.structure import SPAN, SPAN_END
from skillopt_sleep.proposals.guard.words import words

_FLAGS = r"(?:\s+--?[\w-]+(?:=\S+)?)*"
# Where the command names what to install, all that follows are packages.
_INSTALL = (
    rf"npm{_FLAGS}\s+(?:i|in|ins|inst|insta|instal|install|isntall|add|link)|(?:pnpm|bun){_FLAGS}\s+(?:i|install|add|link)"
    rf"|yarn{_FLAGS}\s+(?:global\s+)?add|(?:uv\s+)?pip[\d.]*{_FLAGS}\s+(?:install|download)|pip[\d.]*(?:\._internal|\.cli|\.main|_?main){{1,3}}\(\s*install|uv{_FLAGS}\s+add|uv\s+tool\s+install"
    r"|pipx\s+(?:install|inject)|easy_install|(?:poetry|pdm|rye|hatch|pixi)\s+add|(?:conda|mamba|micromamba)\s+(?:install|create)"
    rf"|cargo{_FLAGS}\s+(?:install|add|binstall)|go\s+(?:install|get)|gem\s+install|bundle\s+add|composer\s+(?:global\s+)?require"
    rf"|(?:apt|apt-get|aptitude|dnf|yum|zypper|pkg|brew|port|choco|winget|scoop|snap|flatpak|opam|cabal|stack|luarocks|conan|vcpkg){_FLAGS}\s+install"
    r"|apk\s+add|brew\s+tap|pacman\s+-S\w*|nix-env\s+-i\w*|nix\s+profile\s+install|cpanm?|helm\s+(?:install|repo\s+add)"
    r"|(?:code|cursor|codium)\s+--install-extension|(?:claude|codex|gemini)\s+mcp\s+add|(?:claude\s+|/)plugins?\s+(?:install|marketplace\s+add)"
    r"|gh\s+extension\s+install|dotnet\s+(?:add\s+package|tool\s+install)|(?:asdf\s+plugin|mise)\s+(?:add|use|install)"
    r"|install\.packages\(|pkg\.add\(|gem\.install|(?:micropip|piplite)\.install\(|npm\.commands\.install\(|install-(?:module|package|script)|kubectl\s+krew\s+install|deno\s+(?:install|add)|pre-commit\s+try-repo"
)
# Where it runs what it fetches, only the first is one.
_FETCH = (
    rf"(?:npx|bunx|pnpx|uvx){_FLAGS}|(?:pnpm|yarn)\s+dlx{_FLAGS}|bun\s+x|npm{_FLAGS}\s+(?:exec|x|init|create)|(?:pnpm|yarn|bun)\s+create"
    rf"|pipx\s+run|uv\s+tool\s+run|uv\s+run{_FLAGS}?\s+--with|go\s+run|nix\s+(?:run|shell)|nix-shell\s+-p"
)
_IMAGE = r"(?:docker|podman|nerdctl)\s+(?:run|pull|create)"
_HEAD = re.compile(
    rf"(?<![\w./@-])(?:(?P<install>{_INSTALL})|(?P<fetch>{_FETCH})|(?P<image>{_IMAGE}))(?:(?<=\()|(?![\w-]))",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[;&|\n(){}]|\s#")
_WITH_VALUE = words("with-value")
_DOCKER_WITH_VALUE = words("docker-with-value")
_PACKAGE_FLAG = re.compile(r"(?:-p|--package|--with)(?:=(.+))?")
_PACKAGE = re.compile(r"@?[A-Za-z0-9][\w@./+:~^=<>\[\],-]*")
_LOCAL = re.compile(r"[./~$<*\\]|.*\.(?:txt|toml|lock|go)$|[A-Z]$|(?:foo|bar|package|packages|pkg|name)$")
_VERSION = re.compile(r"(?<=.)(?:@[^/]*$|[=<>~!^\[].*$)")
_OWN = frozenset({"pip", "setuptools", "wheel"})
# What projects have among their own tools, as `npx tsc` runs it.
_TOOLS = words("tools")
_WORDS = words("after-a-command")
_MOST = 12


def installs(text: str) -> Iterator[tuple[str, int, int]]:
    """The package of each such command, and where the command stands; `text` is as a shell reads it."""
    for head in _HEAD.finditer(text):
        rest = text[head.end() : head.end() + 300]
        ends = _ENDS.search(rest)
        rest = rest[: ends.start()] if ends else rest
        in_span = text.rfind(SPAN, 0, head.start()) > text.rfind(SPAN_END, 0, head.start())
        if in_span:
            rest = re.sub(rf"{SPAN_END}(?!\s*{SPAN}).*", "", rest)
        if head["image"]:
            rest = _without_options(rest)
        for name in _packages(rest, first=bool(head["fetch"] or head["image"]), in_span=in_span):
            if not _is_fine(name, head):
                yield name, head.start(), head.end()


def _without_options(rest: str) -> str:
    words = rest.split()
    values = {at + 1 for at, word in enumerate(words) if word in _DOCKER_WITH_VALUE}
    return " ".join(word for at, word in enumerate(words) if at not in values and not word.startswith("-"))


def _packages(rest: str, *, first: bool, in_span: bool) -> Iterator[str]:
    words = rest.split()[:_MOST]
    at = 0
    while at < len(words):
        raw, word = words[at], words[at].rstrip(".,:;!?)\"'")
        at += 1
        if named := _PACKAGE_FLAG.fullmatch(word):
            yield named[1] or (words[at] if at < len(words) else "")
            at += 0 if named[1] else 1
        elif word.startswith("-"):
            at += word in _WITH_VALUE
        elif _LOCAL.match(word):
            if first:
                return
        elif not _PACKAGE.fullmatch(word) or (not in_span and word.casefold() in _WORDS):
            return
        else:
            yield word
            if first or raw[-1] in ".:;!?":
                return


def _is_fine(name: str, head: re.Match[str]) -> bool:
    base = base_name(name)
    if head["image"]:
        return "/" not in base
    if head["fetch"]:
        return base in _TOOLS or base[:1].isdigit()
    return base in _OWN or base[:1].isdigit() or not base


def base_name(package: str) -> str:
    """The package without its version and extras."""
    return _VERSION.sub("", package)
