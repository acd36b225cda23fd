"""Read and write the protected block of a text: guidance between two markers, closed to ordinary edits."""

import re

BEGIN = "<!-- slow-update:begin -->"
END = "<!-- slow-update:end -->"
BLOCK = re.compile(f"{BEGIN}(.*?){END}", re.DOTALL)


def is_whole(text: str) -> bool:
    """Tell whether the markers enclose one block or none; anything else is damage that a person must repair."""
    blocks = len(BLOCK.findall(text))
    return blocks <= 1 and text.count(BEGIN) == text.count(END) == blocks


def guidance(text: str) -> str:
    """Return the content of the block, or "" if there is no block."""
    block = BLOCK.search(text)
    return block[1].strip("\n") if block else ""


def with_guidance(text: str, content: str) -> str:
    """Return the text with this content in its block: a new block comes last, and empty content removes it.

    Nothing outside of the block changes but the line end before it.
    """
    new_block = f"{BEGIN}\n{content}\n{END}" if content else ""
    old_block = BLOCK.search(text)
    if old_block:
        before, after = text[: old_block.start()], text[old_block.end() :]
        if new_block:
            return before + new_block + after
        return before.removesuffix("\n") + after
    if not new_block:
        return text
    body = text.rstrip("\n")
    if body:
        return f"{body}\n{new_block}"
    return new_block
