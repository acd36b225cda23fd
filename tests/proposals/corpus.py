"""Files of every shape that an editor leaves behind."""

from skillopt_sleep.proposals.block import BEGIN, END, change, parts

BOM = b"\xef\xbb\xbf"
CORPUS = {
    "empty": b"",
    "lf": b"# Rules\n\nUse tabs.\n",
    "crlf": b"# Rules\r\n\r\nUse tabs.\r\n",
    "cr": b"# Rules\r\rUse tabs.\r",
    "mixed": b"one\r\ntwo\nthree\rfour\n",
    "mixed, ends with cr": b"one\r\ntwo\nthree\r",
    "no final newline": b"# Rules\nUse tabs.",
    "no final newline, crlf": b"# Rules\r\nUse tabs.",
    "one line, no newline": b"Use tabs.",
    "bom": BOM + b"# Rules\n",
    "bom alone": BOM,
    "bom, crlf, no final newline": BOM + b"a\r\nb",
    "only a newline": b"\n",
    "only newlines": b"\n\n\n\n",
    "only blanks": b" \t ",
    "tabs and trailing blanks": b"\tone  \n  two\t\n   \n",
    "blank last line without newline": b"one\n  ",
    "zero byte": b"one \x00 two and more text around it\n",
    "code fence": b"```sh\nmake\n\n\n\nmake test\n```\n",
    "tilde fence": b"~~~~\n```\n~~~\n~~~~\n",
    "frontmatter": b"---\n# a comment\nname: &a x\nother: *a\n---\nbody\n---\nmore\n",
    "markers in prose": f"We write `{BEGIN}` and {END} here.\n".encode(),
    "markers in a closed fence": f"```\n{BEGIN}\nexample\n{END}\n```\n".encode(),
    "not ascii": "Größe — 日本語 🙂\n\u2028\u0085\x0b\x0c\n".encode(),
    "large": b"A line of an instruction file.\n" * 32_000,
}


def splice(data: bytes, body: str) -> bytes:
    """Put the body into the file's block: replace it, append it, or remove it if the body is empty."""
    cut = parts(data)
    return change(cut, cut.body, body).data
