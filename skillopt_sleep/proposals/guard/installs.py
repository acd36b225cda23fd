"""Find the packages that a text tells the agent to install or to download and run: `pip install X`, `npx X`."""

import re
from collections.abc import Iterator

from skillopt_sleep.proposals.guard.structure import SPAN, SPAN_END
from skillopt_sleep.proposals.guard.words import words

_FLAGS = r"(?:\s+--?[\w-]+(?:=\S+)?)*"
# Commands that install: all words that follow are packages.
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
# Commands that run what they download: only the first word is a package.
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
_PACKAGE_FLAG = re.compile(r"(?:-p|--package|--with|-i|--(?:extra-)?index-url|--find-links)(?:=(.+))?")
_PACKAGE = re.compile(r"@?[A-Za-z0-9][\w@./+:~^=<>\[\],-]*")
_LOCAL = re.compile(r"[./~$<*\\]|.*\.(?:txt|toml|lock|go)$|[A-Z]$|(?:foo|bar|package|packages|pkg|name)$")
_VERSION = re.compile(r"(?<=.)(?:@[^/]*$|[=<>~!^\[].*$)")
_OWN = frozenset({"pip", "setuptools", "wheel"})
# Tools that projects have themselves, so that `npx tsc` runs the project's own.
_TOOLS = words("tools")
_WORDS = words("after-a-command")
_MOST = 12


def installs(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each package, with the start and end of its command; `text` is as a shell reads it."""
    for head in _HEAD.finditer(text):
        rest = text[head.end() : head.end() + 300]
        end = _ENDS.search(rest)
        if end:
            rest = rest[: end.start()]
        in_span = text.rfind(SPAN, 0, head.start()) > text.rfind(SPAN_END, 0, head.start())
        if in_span:
            rest = re.sub(rf"{SPAN_END}(?!\s*{SPAN}).*", "", rest)
        if head["image"]:
            rest = _without_options(rest)
        only_first = bool(head["fetch"] or head["image"])
        for name in _packages(rest, only_first=only_first, in_span=in_span):
            if not _is_harmless(name, head):
                yield name, head.start(), head.end()


def _without_options(rest: str) -> str:
    """Drop the options and their values from the words after a command that takes an image."""
    words: list[str] = []
    previous = ""
    for word in rest.split():
        if previous not in _DOCKER_WITH_VALUE and not word.startswith("-"):
            words.append(word)
        previous = word
    return " ".join(words)


def _packages(rest: str, *, only_first: bool, in_span: bool) -> Iterator[str]:
    """Yield the packages among the words after a command, up to the first word that can't be one."""
    words = iter(rest.split()[:_MOST])
    for word in words:
        name = word.rstrip(".,:;!?)\"'")
        flag = _PACKAGE_FLAG.fullmatch(name)
        if flag:
            yield flag[1] or next(words, "")
        elif name.startswith("-"):
            if name in _WITH_VALUE:
                next(words, "")
        elif _LOCAL.match(name):
            if only_first:
                return
        elif _is_package(name, in_span=in_span):
            yield name
            if only_first or word[-1] in ".:;!?":
                return
        else:
            return


def _is_package(name: str, *, in_span: bool) -> bool:
    if not _PACKAGE.fullmatch(name):
        return False
    # Outside a code span a word like "and" goes on with the sentence.
    return in_span or name.casefold() not in _WORDS


def _is_harmless(name: str, head: re.Match[str]) -> bool:
    base = base_name(name)
    if head["image"]:
        return "/" not in base
    if head["fetch"]:
        return base in _TOOLS or base[:1].isdigit()
    return base in _OWN or base[:1].isdigit() or not base


def base_name(package: str) -> str:
    """Return the package without its version and extras."""
    return _VERSION.sub("", package)
