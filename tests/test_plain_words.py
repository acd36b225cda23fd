"""Ordinary words stand where a person reads: in messages, templates and the documentation."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "skillopt_sleep"
# What we once said, and what to say.
SAY = {
    r"bystanders?": "other lessons",
    r"(?<!no_)headroom": "nothing left to improve",
    r"deeds?": "what you did",
    r"of known worth": "whose grade we know",
    r"founded nothing|founds (no|nothing|a)": "no lesson came of it",
    r"as another date or session id": "nothing: docs/gate.md says what a useless rule is",
    r"proving what was wanted": "checking the quotes",
    r"naming lessons": "wording the lessons",
    r"what nothing came of": "not used, and why",
    r"none but that": "no other problems",
    r"these alone don't prove": "too few to prove anything",
    r"jail": "seal",
}
# Pages that explain the word or are about the code.
MAY = {
    "docs/glossary.md": ("deed", "as another date or session id"),
    "docs/gate.md": ("as another date or session id",),
    "docs/inside-the-code.md": ("deed", "deeds"),
}


def texts() -> Iterator[tuple[str, str]]:
    """Yield what a person reads, with its place: pages, templates, and the sentences in the code but for docstrings."""
    for path in (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.j2")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py")):
        for line, text in sentences(ast.parse(path.read_text(encoding="utf-8"))):
            yield f"{path.relative_to(ROOT)}:{line}", text


def sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the strings of at least two words, but no docstring."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    for node in constants:
        if isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


def test_what_a_person_reads_has_ordinary_words() -> None:
    patterns = {said: re.compile(rf"\b({said})\b", re.IGNORECASE) for said in SAY}
    found = [
        f"{place}: {match[0]!r}, say {SAY[said]!r}"
        for place, text in texts()
        for said, pattern in patterns.items()
        for match in pattern.finditer(text)
        if match[0].lower() not in MAY.get(place, ())
    ]
    assert not found, "\n".join(found)


def test_a_sentence_in_code_is_found_and_a_docstring_is_not() -> None:
    tree = ast.parse('"""A bystander."""\nsay(f"a bystander of {name}")\nkind = "bystander"')
    assert list(sentences(tree)) == [(2, "a bystander of ")]
