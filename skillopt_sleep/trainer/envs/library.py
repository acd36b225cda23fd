"""Give a model read-only tools for a folder of documents: find by name, read lines, search by pattern.

Nothing outside of the folder can be reached, whatever a model asks for, and every answer fits into a prompt.
"""

import hashlib
from pathlib import Path, PurePosixPath

import msgspec
import regex

from skillopt_sleep.errors import ConfigError

SHOWN_CHARS = 6_000
MOST_NAMES = 100
MOST_HITS = 40
READ_LINES = 120
LINE_CHARS = 500
REGEX_SECONDS = 1.0
TEXTS = frozenset({".txt", ".md", ".csv", ".tsv", ".json", ".jsonl", ".html", ".xml", ".log"})

TOOLS = f"""\
- {{"tool": "glob", "pattern": "**/*1941*"}} lists the documents whose path has this form
- {{"tool": "grep", "pattern": "total receipts", "files": "*.txt"}} finds lines by a regular expression
- {{"tool": "read", "file": "report.txt", "line": 1}} shows {READ_LINES} lines from this one on"""


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model's call of a tool."""

    tool: str
    pattern: str = ""
    files: str = "*"
    file: str = ""
    line: int = 1


class Library:
    """The text files below a folder, listed when it is opened; links that lead out of it are left out."""

    def __init__(self, folder: Path) -> None:
        """List the folder; raise ConfigError if it has no document."""
        root = folder.resolve()
        self._paths: dict[str, Path] = {}
        for path in sorted(root.rglob("*")):
            is_text = path.suffix.lower() in TEXTS and path.is_file()
            if is_text and path.resolve().is_relative_to(root):
                self._paths[path.relative_to(root).as_posix()] = path
        if not self._paths:
            raise ConfigError(
                f"{folder} holds no text document", remedy=f"add files of type {', '.join(sorted(TEXTS))}"
            )

    def digest(self) -> str:
        """Hash all names and contents, so that a change of the library makes another dataset."""
        whole = hashlib.blake2b(digest_size=16)
        for name, path in self._paths.items():
            data = path.read_bytes()
            whole.update(f"{len(name)}:{name}{len(data)}:".encode())
            whole.update(data)
        return whole.hexdigest()

    def use(self, text: str) -> str:
        """Run a tool call written as JSON and return its output; problems are reported in words, never raised."""
        try:
            output = self._run(msgspec.json.decode(text, type=Call))
        except msgspec.DecodeError as error:
            output = f"That is no call of a tool: {error}"
        except (ValueError, RecursionError) as error:
            output = f"That can't be done: {error}"
        if len(output) > SHOWN_CHARS:
            return f"{output[:SHOWN_CHARS]}\n(cut here)"
        return output

    def _run(self, call: Call) -> str:
        match call.tool:
            case "glob":
                return self._glob(call.pattern)
            case "grep":
                return self._grep(call.pattern, call.files)
            case "read":
                return self._read(call.file, call.line)
            case _:
                return f"There is no tool {call.tool!r}: use glob, grep or read."

    def _glob(self, pattern: str) -> str:
        names = self._like(pattern)
        if not names:
            return "No document has such a path."
        rest = f"\n({len(names) - MOST_NAMES} more)" if len(names) > MOST_NAMES else ""
        return "\n".join(names[:MOST_NAMES]) + rest

    def _grep(self, pattern: str, files: str) -> str:
        if not pattern:
            return "grep needs a pattern."
        hits: list[str] = []
        try:
            compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)
            for name in self._like(files):
                # The time limit is per document, so that the hits don't depend on how many documents there are.
                whole = "\n".join(self._lines(name))
                for match in compiled.finditer(whole, timeout=REGEX_SECONDS):
                    number = whole.count("\n", 0, match.start()) + 1
                    line = whole.split("\n", number)[number - 1]
                    hit = f"{name}:{number}: {line[:LINE_CHARS]}"
                    if hit not in hits[-1:]:
                        hits.append(hit)
                    if len(hits) == MOST_HITS:
                        return "\n".join([*hits, "(more lines match: narrow the pattern or the files)"])
        except regex.error as error:
            return f"The pattern is not a regular expression: {error}"
        except TimeoutError:
            return "The pattern takes too long: make it simpler."
        return "\n".join(hits) or "Nothing matches."

    def _read(self, name: str, line: int) -> str:
        name = PurePosixPath(name).as_posix()
        if name not in self._paths:
            return f"There is no document {name!r}: find its path with glob."
        lines = self._lines(name)
        start = max(line, 1)
        if start > len(lines):
            return f"{name} has {len(lines)} lines."
        shown = [f"{at}: {text[:LINE_CHARS]}" for at, text in enumerate(lines[start - 1 :][:READ_LINES], start)]
        last = start + len(shown) - 1
        return "\n".join([*shown, f"(line {start} to {last} of {len(lines)})"])

    def _like(self, pattern: str) -> list[str]:
        """List the documents whose path, or the end of it, matches this glob pattern."""
        form = PurePosixPath(pattern.removeprefix("**/"))
        whole = form.parts in {(), ("**",)}
        return [name for name in self._paths if whole or PurePosixPath(name).match(str(form))]

    def _lines(self, name: str) -> list[str]:
        return self._paths[name].read_text(encoding="utf-8", errors="replace").splitlines()
