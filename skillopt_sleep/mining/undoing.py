"""Tell which shell commands take work back: in git, Mercurial, Sapling, Subversion and Jujutsu."""

import re

_GIT = r"git\s+(?:-[Cc]\s+\S+\s+|-(?![Cc]\s)\S+\s+)*"
# No command has more words before the one that counts; the bound keeps a long text from taking long.
_WORDS = r"(?:[^\s;&|]+\s+){0,20}?"
# A word that may be a branch is none of these: they name a commit of the work itself.
_COMMIT = r"(?:(?:ORIG_)?HEAD|@|[0-9a-f]{7,40})(?:[~^@][^\s;&|]*)?"
_PATH = r"(?!\d?[<>])[^\s;&|#-]"
# No branch is called so: it begins like a path, ends like a folder's, or is a pattern.
_SURELY_PATH = r"(?:['\"]?[.:][^\s;&|]*|[^\s;&|-][^\s;&|]*(?:/|\*[^\s;&|]*))(?=[\s;&|]|$)"
_OF_GIT = (
    r"revert\b(?!\s+--(?:abort|quit)\b)",
    # What is only taken off the index stays in the file.
    rf"restore\b(?!\s+{_WORDS}(?:--staged|-S)\b)",
    rf"restore\s+{_WORDS}(?:--worktree\b|-S?W)",
    rf"checkout\s+(?:\S+\s+)?--\s+{_PATH}",
    rf"checkout\s+(?:-(?![bBt])\S+\s+)*(?:{_COMMIT}\s+{_PATH}|{_SURELY_PATH})",
    rf"checkout\s+{_WORDS}(?:-f|-p|--force|--patch)(?=[\s;&|]|$)",
    rf"switch\s+{_WORDS}(?:-f|--force|--discard-changes)(?=[\s;&|]|$)",
    rf"reset\s+{_WORDS}(?:--(?:hard|merge|keep)\b|HEAD[~^@]|(?:ORIG_HEAD|[0-9a-f]{{7,40}})\s*(?:$|[;&|]))",
    r"stash(?:\s+(?:drop|push|save|clear|-\S+)|\s*$)",
    rf"clean\s+{_WORDS}(?:-\w*f|--force\b)",
    rf"apply\s+{_WORDS}(?:-R|--reverse)\b",
    r"undo\b",
)
_OF_OTHERS = (
    r"(?:hg|sl|svn|fossil)\s+(?:revert|undo|rollback|backout|strip|uncommit|unamend)\b",
    rf"(?:hg|sl)\s+(?:update|up|checkout|co|goto)\s+{_WORDS}(?:-C|--clean)\b",
    r"jj\s+(?:undo|restore|revert|backout|abandon|op(?:eration)?\s+(?:undo|restore|revert))\b",
    rf"patch\s+{_WORDS}(?:-R|--reverse)\b",
)
_UNDO = re.compile(rf"\b(?:{_GIT}(?:{'|'.join(_OF_GIT)})|{'|'.join(_OF_OTHERS)})")
_UNDO_OF_FILES = re.compile(rf"\b(?:{_GIT}(?:checkout|rm)|rm|unlink)\s")


def undoes_work(command: str) -> bool:
    """Tell whether a command takes work back, whatever it names."""
    return _UNDO.search(command) is not None


def undoes_files_named(command: str) -> bool:
    """Tell whether a command takes back the work on the files that it names, if it names any."""
    return _UNDO_OF_FILES.search(command) is not None
