"""Find the number that a worked solution ends with, as GSM8K writes it: the calculation, then `#### 5`."""

import re

_ENDING = re.compile(r"^####\s*(\S.*?)\s*\Z", re.MULTILINE)


def is_worked(answer: str) -> bool:
    """Tell whether an answer is a whole calculation that ends with `#### …`."""
    return _ENDING.search(answer) is not None


def ending_of(answer: str) -> str:
    """Return what stands after the last ####; an answer without it is returned as it is."""
    found = _ENDING.search(answer)
    return found[1] if found else answer.strip()
